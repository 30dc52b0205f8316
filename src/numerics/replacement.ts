/** Data beside a conversion: results that another stack than PTX would give for some of its inputs. */
import type { Bits } from '../base/bits.ts';
import type { Conversion } from './conversion.ts';

/**
 * `bits`: these, by the sign of the source; null leaves the conversion's own result. `payload`: a NaN of the source's sign
 * with the leading bits of its payload, as many as fit; `quiet` also sets the topmost. A payload that would be empty gets
 * its lowest bit, so that a NaN stays one.
 */
export type ReplacementResult =
  | { readonly kind: 'bits'; readonly positive: Bits | null; readonly negative: Bits | null }
  | { readonly kind: 'payload'; readonly quiet: boolean };

/** For source patterns from `first` to `last`, both included, what stands in the place of the conversion's result. */
export interface Replacement {
  /** Of a signed format, the pattern without its sign. */
  readonly first: Bits;
  readonly last: Bits;
  readonly result: ReplacementResult;
  /** The rule behind it, an id of `semanticRules`. */
  readonly rule: string;
}

/** One conversion, rounding once, and what takes the place of its results. */
export interface ConversionStage {
  readonly conversion: Conversion;
  /** Ranges do not overlap. */
  readonly replacements: readonly Replacement[];
}

/** One stage, or two where a stack itself goes by way of f32 and rounds twice. */
export type ConversionPlan = readonly [ConversionStage] | readonly [ConversionStage, ConversionStage];
