/**
 * The checksum of test/golden/numerics/exhaustive.json: the body of MurmurHash3_x86_32 over 32-bit words, without the
 * finalizer.
 */
import type { Bits } from '../../src/base/bits.ts';

export class Checksum {
  private state = 0;

  /** Adds a result to the checksum: one word, or two words for a 64-bit result, the low word first. */
  add(result: Bits): void {
    if (typeof result === 'number') {
      this.addWord(result);
      return;
    }
    this.addWord(Number(BigInt.asUintN(32, result)));
    this.addWord(Number(result >> 32n));
  }

  digits(): string {
    return (this.state >>> 0).toString(16).padStart(8, '0');
  }

  private addWord(word: number): void {
    let k = Math.imul(word, 0xcc9e2d51);
    k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    const h = this.state ^ k;
    this.state = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
  }
}
