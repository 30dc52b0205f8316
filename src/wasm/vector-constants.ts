/** 128-bit constant vectors. */
import type { Bytes } from './bytes.ts';

/** A vector as four words, the lowest first. */
export type Words = readonly [number, number, number, number];

/** Writes the instruction that pushes a vector. */
export function writeWords(bytes: Bytes, words: Words): void {
  bytes.byte(0xfd);
  bytes.unsigned(12);
  for (const word of words) {
    for (let shift = 0; shift < 32; shift += 8) bytes.byte((word >>> shift) & 0xff);
  }
}

/** Collects distinct values and numbers them in the order in which they are added. */
export class VectorConstants {
  private readonly indices = new Map<string, number>();
  readonly values: Words[] = [];

  indexOf(words: Words): number {
    const [a, b, c, d] = words;
    const key = `${a | 0},${b | 0},${c | 0},${d | 0}`;
    const index = this.indices.get(key) ?? this.values.length;
    if (index === this.values.length) {
      this.indices.set(key, index);
      this.values.push(words);
    }
    return index;
  }
}
