/**
 * Data that describes the conversions of another software stack. It lists the inputs for which the results of that
 * stack differ from those of PTX.
 */
import type { Bits } from '../base/bits.ts';
import type { Conversion } from './conversion.ts';

/**
 * `bits`: the result has the given bits, which may be different for positive and negative sources; null means that
 * sources with this sign have the usual result. `payload`: the result is a NaN with the sign of the source and as many
 * leading bits of its payload as fit; `quiet` also sets the top bit of the payload. If the payload would be zero, its
 * lowest bit is set, so that the result is still a NaN.
 */
export type ReplacementResult =
  | { readonly kind: 'bits'; readonly positive: Bits | null; readonly negative: Bits | null }
  | { readonly kind: 'payload'; readonly quiet: boolean };

/** The result that replaces the usual one for all source patterns from `first` to `last`, inclusive. */
export interface Replacement {
  /** For a signed format, the pattern without the sign bit. */
  readonly first: Bits;
  readonly last: Bits;
  readonly result: ReplacementResult;
  /** The id (in `semanticRules`) of the rule that requires this replacement. */
  readonly rule: string;
}

/** A conversion, which rounds once, and the inputs for which its results are replaced. */
export interface ConversionStage {
  readonly conversion: Conversion;
  /** Ranges do not overlap. */
  readonly replacements: readonly Replacement[];
}

/** One stage, or two if the stack rounds twice because it converts to f32 first and from there to the destination. */
export type ConversionStages = readonly [ConversionStage] | readonly [ConversionStage, ConversionStage];
