/** What a caller can choose when converting a file. */
import { callback, flag, oneOf, type Rule, type RulesFor, shaped, text, whole, term } from '../base/rules.ts';
import type { FormatSpelling } from '../arrays/spellings.ts';
import type { SchemeSpelling } from '../arrays/quantized/block-formats.ts';
import { type Granularity, granularities } from '../arrays/quantized/quantized-array.ts';
import { type MxRule, mxRules } from '../arrays/quantized/scale-rules.ts';
import { allSemantics, type Semantics } from '../arrays/semantics/semantic-rules.ts';
import { type Rounding, roundings } from '../numerics/conversion.ts';
import { type CheckpointLayout, checkpointLayouts } from './checkpoints/written-layouts.ts';
import type { WritableLayout } from './gguf/blocks.ts';
import type { Sharding } from './safetensors/sharded-layout.ts';

/** The formats, schemes and block types to which the tensors of a file can be converted. */
export type ConversionName = FormatSpelling | SchemeSpelling | WritableLayout;

export interface ConversionChoice {
  /**
   * A format in any spelling, or a scheme in which each block has a scale: mxfp8, mxfp8_e5m2, mxfp6, mxfp6_e3m2, mxfp4
   * or nvfp4. For GGUF files, also one of the block types q4_0, q4_1, q5_0, q5_1 and q8_0. Only floating-point tensors
   * are converted, unless `anyFormat` is set; other tensors are copied.
   */
  readonly to: ConversionName;
  /**
   * Which codes of e4m3, e5m2, s8, s4 or s2 share an f32 scale: those of the whole tensor, of each row, or of each tile
   * of 128 x 128 elements. Default: `row` for integer formats, and `none` for float formats.
   */
  readonly scale?: Granularity | 'none' | undefined;
  /**
   * Gives the stored tensors the names and types that programs expect when they read checkpoints of ModelOpt or
   * compressed-tensors. Default: ptxlab's own layout, which `planConversion` describes.
   */
  readonly layout?: CheckpointLayout | undefined;
  /** How ue8m0 scales are computed. Default `floor`, as in OCP MX 1.0. */
  readonly scaleRule?: MxRule | undefined;
  readonly rounding?: Rounding | undefined;
  /**
   * The seed for stochastic rounding (`rs`). Every tensor has its own stream of random bits, which starts at its first
   * element.
   */
  readonly seed?: number | bigint | undefined;
  readonly saturate?: boolean | undefined;
  readonly semantics?: Semantics | undefined;
  /**
   * Selects floating-point tensors by name. By default, all floating-point tensors are converted. If `layout` is given,
   * the default is to convert only the tensors that readers expect to be quantized.
   */
  readonly takes?: ((name: string) => boolean) | undefined;
  /** Whether to convert integers and powers of two (ue8m0) as well. By default, they are copied. */
  readonly anyFormat?: boolean | undefined;
  /** How to split the model into several files with an index. Only safetensors supports this. Default: one file. */
  readonly shards?: Sharding | undefined;
}

const seed: Rule<number | bigint> = {
  takes: 'an integer',
  accepts: (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
};

export const choiceRules: RulesFor<ConversionChoice> = {
  to: term(),
  scale: oneOf(...granularities, 'none'),
  layout: oneOf(...checkpointLayouts),
  scaleRule: oneOf(...mxRules),
  rounding: oneOf(...roundings),
  seed,
  saturate: flag,
  semantics: oneOf(...allSemantics),
  takes: callback(),
  anyFormat: flag,
  shards: shaped<Sharding>('an object with a name and a number of bytes', {
    name: text,
    mostBytes: whole(Number.MAX_SAFE_INTEGER, '2^53 - 1', 1),
  }),
};
