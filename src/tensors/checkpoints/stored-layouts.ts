/**
 * How quantized tensors are stored in checkpoints: which tensors belong together, and how their elements and scales are
 * encoded. One row per layout.
 *
 * Sources: DeepSeek-V3's inference code, NVIDIA Model Optimizer, compressed-tensors, transformers and the original code
 * of gpt-oss. All of them store the first of two fp4 elements in the low half of a byte.
 */

export interface StoredLayout {
  /** The layout in words. */
  readonly title: string;
  /** Suffixes that are added to the logical tensor's name to form the names of the stored tensors. */
  readonly codes: string;
  readonly scale: string;
  /** A second scale, for the whole tensor or for each of its matrices. */
  readonly second: {
    readonly suffix: string;
    /** `divide`: a value is code * scale / second scale. */
    readonly rule: 'multiply' | 'divide';
    readonly isOptional: boolean;
  } | null;
  /**
   * - `elements`: signed codes of at most 8 bits, in the type of their tensor.
   * - `pairs`: bytes, each with two e2m1.
   * - `blocks`: bytes, the last two axes being blocks and the bytes of a block, each with two e2m1.
   */
  readonly stored: 'elements' | 'pairs' | 'blocks';
  /** Number of elements along the last axis that share a scale; null if the shapes determine it. */
  readonly group: 16 | 32 | null;
  /** Format of the scales, if the layout fixes it. Scales in bytes are ue8m0 in every layout. */
  readonly scaleFormat: 'e4m3' | 'ue8m0' | null;
}

const none = { second: null, group: null, scaleFormat: null } as const;
const nvfp4 = { stored: 'pairs', group: 16, scaleFormat: 'e4m3' } as const;
const mxfp4 = { second: null, stored: 'pairs', group: 32, scaleFormat: 'ue8m0' } as const;

/** The layouts, in the order in which they are tried. */
export const storedLayouts: readonly StoredLayout[] = [
  {
    ...nvfp4,
    title: 'NVFP4 of ModelOpt',
    codes: '',
    scale: '_scale',
    second: { suffix: '_scale_2', rule: 'multiply', isOptional: false },
  },
  { ...mxfp4, title: 'MXFP4 of ModelOpt', codes: '', scale: '_scale' },
  {
    ...nvfp4,
    title: 'NVFP4 of compressed-tensors',
    codes: '_packed',
    scale: '_scale',
    second: { suffix: '_global_scale', rule: 'divide', isOptional: false },
  },
  { ...mxfp4, title: 'MXFP4 of compressed-tensors', codes: '_packed', scale: '_scale' },
  { ...mxfp4, title: 'MXFP4 of gpt-oss', codes: '_blocks', scale: '_scales', stored: 'blocks' },
  { ...mxfp4, title: 'MXFP4 of gpt-oss, original', codes: '.blocks', scale: '.scales', stored: 'blocks' },
  {
    ...none,
    title: 'codes and scales',
    codes: '',
    scale: '_scale',
    stored: 'elements',
    second: { suffix: '_scale_2', rule: 'multiply', isOptional: true },
  },
  // Codes are multiplied by this scale, in spite of its name.
  { ...none, title: 'codes and scales of DeepSeek', codes: '', scale: '_scale_inv', stored: 'elements' },
];

/** Codes with a zero point are not symmetric; ptxlab does not read them as values. */
export const zeroPointSuffix = '_zero_point';

/** Names of scales of activations and caches. They do not scale any tensor in the file. */
export const activationScale: RegExp =
  /(?:^|[._])(?:(?:input|output|activation)_(?:scale|scale_inv|global_scale|zero_point)|[qkv]_scale|kv_scale)$/;
