/** Describes, as plain data, what tcgen05.cp copies (PTX ISA 9.1, section 9.7.16.9.1). */

export interface TensorCopy {
  /** With two blocks, each of them copies from its own shared memory to its own tensor memory. */
  readonly blocks: 1 | 2;
  /** For each 32 rows of the source, the lanes at which copies of them begin. */
  readonly parts: readonly (readonly number[])[];
  /** The length of a row in chunks of 16 bytes. */
  readonly chunks: 1 | 2;
  /** The number of bits of elements that are unpacked to bytes; null if bytes are copied as they are. */
  readonly unpacks: 4 | 6 | null;
}
