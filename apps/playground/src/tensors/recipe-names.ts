/** The recipes as plain data, which the page can show before the worker has loaded anything. */
import type { ConversionChoice } from 'ptxlab/tensors';

export interface Recipe {
  readonly name: string;
  /** A phrase that describes which elements share a scale. */
  readonly words: string;
  readonly to: ConversionChoice['to'];
  readonly scale: 'tensor' | 'row' | null;
  /** The format of elements without scales; null for recipes with scales. */
  readonly plain: 'bf16' | 'f16' | 'e4m3' | null;
  /** Whether the recipe produces GGUF blocks. */
  readonly isBlocks: boolean;
  /** The length of a tensor's rows must be a multiple of this number of elements. */
  readonly block: number;
}

const plain = (to: 'bf16' | 'f16' | 'e4m3'): Recipe => ({
  name: to,
  words: 'no scales',
  to,
  scale: null,
  plain: to,
  isBlocks: false,
  block: 1,
});
const scaled = (to: 'e4m3' | 'e5m2' | 's8', scale: 'tensor' | 'row'): Recipe => ({
  name: `${to} by ${scale}`,
  words: `an f32 scale for ${scale === 'row' ? 'each row' : 'the tensor'}`,
  to,
  scale,
  plain: null,
  isBlocks: false,
  block: 1,
});
const mx = (to: 'mxfp8' | 'mxfp6' | 'mxfp4'): Recipe => ({
  name: to,
  words: 'a power-of-two scale for every 32 elements',
  to,
  scale: null,
  plain: null,
  isBlocks: false,
  block: 1,
});
const blocks = (to: 'q8_0' | 'q5_0' | 'q4_1' | 'q4_0', words: string): Recipe => ({
  name: to,
  words: `GGUF: ${words} for every 32 elements`,
  to,
  scale: null,
  plain: null,
  isBlocks: true,
  block: 32,
});

/** The recipes, in ascending order of bits per element. */
export const recipes: readonly Recipe[] = [
  mx('mxfp4'),
  {
    name: 'nvfp4',
    words: 'an e4m3 scale for every 16 elements (Blackwell)',
    to: 'nvfp4',
    scale: null,
    plain: null,
    isBlocks: false,
    block: 1,
  },
  blocks('q4_0', 'an f16 scale'),
  blocks('q4_1', 'an f16 scale and offset'),
  blocks('q5_0', 'an f16 scale'),
  mx('mxfp6'),
  plain('e4m3'),
  scaled('e4m3', 'tensor'),
  scaled('e4m3', 'row'),
  scaled('e5m2', 'tensor'),
  mx('mxfp8'),
  scaled('s8', 'row'),
  blocks('q8_0', 'an f16 scale'),
  plain('bf16'),
  plain('f16'),
];
