/**
 * How quantized tensors are stored in checkpoints: which tensors belong together, and how their elements and scales are
 * encoded. One row per layout.
 *
 * Sources: DeepSeek-V3's inference code, NVIDIA Model Optimizer, compressed-tensors, transformers and the original code
 * of gpt-oss. All of these programs store the first of two fp4 elements in the low half of a byte.
 */

export interface StoredLayout {
  /** A short description of the layout. */
  readonly title: string;
  /** Suffixes that are added to the logical tensor's name to form the names of the stored tensors. */
  readonly codes: string;
  readonly scale: string;
  /** A second scale, for the whole tensor or for each of its matrices. */
  readonly second: {
    readonly suffix: string;
    /** With `divide`, a value is code * scale / second scale; with `multiply`, it is code * scale * second scale. */
    readonly rule: 'multiply' | 'divide';
    readonly isOptional: boolean;
  } | null;
  /**
   * - `elements`: one signed code of at most 8 bits per element; the type of the tensor is the format of the codes.
   * - `pairs`: bytes that contain two e2m1 codes each.
   * - `blocks`: bytes that contain two e2m1 codes each; the last two axes are the blocks and the bytes within a block.
   */
  readonly stored: 'elements' | 'pairs' | 'blocks';
  /** Number of elements along the last axis that share a scale; null if this number follows from the shapes. */
  readonly group: 16 | 32 | null;
  /** Format of the scales, if the layout prescribes it. Scales that are stored as u8 are ue8m0 in every layout. */
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
  // Despite its name, the scale is not inverted: codes are multiplied by it.
  { ...none, title: 'codes and scales of DeepSeek', codes: '', scale: '_scale_inv', stored: 'elements' },
];

/** The suffix of tensors that contain zero points. ptxlab cannot decode tensors that have zero points. */
export const zeroPointSuffix = '_zero_point';

/**
 * Matches the names of scales for activations and for the KV cache. Such scales do not apply to any tensor in the file.
 */
export const activationScale: RegExp =
  /(?:^|[._])(?:(?:input|output|activation)_(?:scale|scale_inv|global_scale|zero_point)|[qkv]_scale|kv_scale)$/;
