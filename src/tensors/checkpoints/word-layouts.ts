/**
 * How checkpoints pack 2-bit, 4-bit or 8-bit integers into 32-bit words, one row per layout. A value is (code - zero
 * point) * scale; codes and zero points are unsigned. The lowest bits of a word contain its first code.
 *
 * Sources: compressed-tensors (`pack-quantized`), AutoGPTQ, GPTQModel and AutoAWQ.
 */

export interface WordLayout {
  /** A description of the layout for messages. */
  readonly title: string;
  readonly stored: 'words';
  /** Suffixes of the stored tensors. */
  readonly codes: '_packed' | '.qweight';
  readonly scale: '_scale' | '.scales';
  readonly zeros: '_zero_point' | '.qzeros';
  /**
   * The tensor that contains the group index of each column. If a file does not contain this tensor, each group
   * consists of consecutive columns.
   */
  readonly groupIndex: '_g_idx' | '.g_idx';
  /**
   * The tensor that contains the shape of the matrix. The shape is needed if the last columns do not fill a word. Null
   * if the layout has no such tensor.
   */
  readonly shape: '_shape' | null;
  /** The suffix of the logical matrix's name. It replaces the suffixes of the stored tensors. */
  readonly name: '' | '.weight';
  /** Whether codes, scales and zero points are stored with rows and columns swapped. */
  readonly isTransposed: boolean;
  /**
   * Whether the codes that share a word belong to consecutive rows or to consecutive columns of the matrix. The zero
   * points that share a word always belong to consecutive rows.
   */
  readonly along: 'rows' | 'columns';
  /**
   * The position of each code or zero point within its word, in the order of the elements. Null if these positions are
   * in ascending order.
   */
  readonly places: readonly number[] | null;
  /**
   * How zero points are stored. `versions`: GPTQ's first format stores the zero point minus 1, and its second format
   * stores the zero point itself.
   */
  readonly zeroRule: 'as-is' | 'versions';
}

/** The properties shared by the layouts of GPTQ and AWQ. */
const transposed = {
  stored: 'words',
  codes: '.qweight',
  scale: '.scales',
  zeros: '.qzeros',
  groupIndex: '.g_idx',
  shape: null,
  name: '.weight',
  isTransposed: true,
} as const;

export const wordLayouts: readonly WordLayout[] = [
  {
    title: 'integers of compressed-tensors, packed',
    stored: 'words',
    codes: '_packed',
    scale: '_scale',
    zeros: '_zero_point',
    groupIndex: '_g_idx',
    shape: '_shape',
    name: '',
    isTransposed: false,
    along: 'columns',
    places: null,
    zeroRule: 'as-is',
  },
  {
    ...transposed,
    title: 'GPTQ',
    along: 'columns',
    places: null,
    zeroRule: 'versions',
  },
  {
    ...transposed,
    title: 'AWQ',
    along: 'rows',
    places: [0, 4, 1, 5, 2, 6, 3, 7],
    zeroRule: 'as-is',
  },
];
