/** Describes, as plain data, what tcgen05.cp copies (PTX ISA 9.1, section 9.7.16.9.1). */

export interface TensorCopy {
  /** Number of blocks that take part. Each of them copies from its own shared memory to its own tensor memory. */
  readonly blocks: 1 | 2;
  /** For each group of 32 source rows, the lanes at which its copies begin. */
  readonly parts: readonly (readonly number[])[];
  /** The length of a row in 16-byte chunks. */
  readonly chunks: 1 | 2;
  /** The width in bits of elements that are unpacked to bytes; null if bytes are copied unchanged. */
  readonly unpacks: 4 | 6 | null;
}
