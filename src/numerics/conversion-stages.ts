/** Data added to a conversion: the different results that another software stack gives for some inputs. */
import type { Bits } from '../base/bits.ts';
import type { Conversion } from './conversion.ts';

/**
 * `bits`: these bits, depending on the sign of the source; null keeps the conversion's own result. `payload`: a NaN
 * with the source's sign and as many leading bits of its payload as fit; `quiet` also sets the top bit. If the payload
 * would be zero, its lowest bit is set, so that the result is still a NaN.
 */
export type ReplacementResult =
  | { readonly kind: 'bits'; readonly positive: Bits | null; readonly negative: Bits | null }
  | { readonly kind: 'payload'; readonly quiet: boolean };

/** The result that replaces the conversion's own for source patterns from `first` to `last`, inclusive. */
export interface Replacement {
  /** For a signed format, the pattern without the sign bit. */
  readonly first: Bits;
  readonly last: Bits;
  readonly result: ReplacementResult;
  /** The id (in `semanticRules`) of the rule that requires this. */
  readonly rule: string;
}

/** One conversion, which rounds once, and the replacements for its results. */
export interface ConversionStage {
  readonly conversion: Conversion;
  /** Ranges do not overlap. */
  readonly replacements: readonly Replacement[];
}

/** One stage, or two if the stack converts by way of f32 and thus rounds twice. */
export type ConversionStages = readonly [ConversionStage] | readonly [ConversionStage, ConversionStage];
