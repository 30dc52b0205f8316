/** Data added to a conversion: different results that another stack gives for some inputs. */
import type { Bits } from '../base/bits.ts';
import type { Conversion } from './conversion.ts';

/**
 * `bits`: these bits, by the sign of the source; null keeps the conversion's own result. `payload`: a NaN with the
 * source's sign and as many leading bits of its payload as fit; `quiet` also sets the top bit. A payload that would be
 * zero gets its lowest bit, so that the result is still a NaN.
 */
export type ReplacementResult =
  | { readonly kind: 'bits'; readonly positive: Bits | null; readonly negative: Bits | null }
  | { readonly kind: 'payload'; readonly quiet: boolean };

/** For source patterns from `first` to `last`, inclusive, the result that replaces the conversion's own. */
export interface Replacement {
  /** For a signed format, the pattern without its sign. */
  readonly first: Bits;
  readonly last: Bits;
  readonly result: ReplacementResult;
  /** The rule behind it, an id of `semanticRules`. */
  readonly rule: string;
}

/** One conversion, which rounds once, and the replacements of its results. */
export interface ConversionStage {
  readonly conversion: Conversion;
  /** Ranges do not overlap. */
  readonly replacements: readonly Replacement[];
}

/** One stage, or two if a stack itself goes through f32 and rounds twice. */
export type ConversionStages = readonly [ConversionStage] | readonly [ConversionStage, ConversionStage];
