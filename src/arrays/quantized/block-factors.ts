/** Reads the scale factors that are stored in packed blocks, and converts them to numbers. */
import { byteAt, signedAt, singleAt } from '../../base/typed-reads.ts';
import type { Scale } from '../../numerics/packed-blocks.ts';
import { valueTable } from '../elements/element-values.ts';
import { sharedNumbers, type SmallNumbers } from './small-numbers.ts';

export class BlockFactors {
  /** Factors of a block. */
  readonly perBlock: number;
  private readonly blockBytes: number;
  private readonly numbers: SmallNumbers;
  private readonly values: Float32Array;
  private readonly patterns: Int32Array;
  /** The byte offsets of the factors if each factor occupies whole bytes (one or two); otherwise null. */
  private readonly places: Int32Array | null;
  private readonly isWide: boolean;

  constructor({ factor }: Scale, elements: number, blockBytes: number) {
    this.numbers = sharedNumbers(factor, elements);
    this.perBlock = this.numbers.count;
    this.blockBytes = blockBytes;
    this.patterns = new Int32Array(this.perBlock);
    this.values = factor.format === 'e4m3' ? unsignedValues() : valueTable(factor.format);
    this.isWide = this.numbers.width > 8;
    this.places = this.numbers.bytes;
  }

  /**
   * Reads the factors of consecutive blocks. The first block begins at byte `start`, and `blocks` is the number of
   * blocks. Returns true if all of the factors are finite.
   */
  read(bytes: Uint8Array, start: number, blocks: number, into: Float32Array): boolean {
    if (this.places === null) return this.readNumbers(bytes, start, blocks, into);
    const { blockBytes, values, places, perBlock, isWide } = this;
    let check = 0;
    for (let block = 0, next = 0; block < blocks; block++)
      for (let i = 0; i < perBlock; i++, next++) {
        const at = start + block * blockBytes + signedAt(places, i);
        const factor = singleAt(values, isWide ? byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) : byteAt(bytes, at));
        into[next] = factor;
        check += factor - factor;
      }
    return check === 0;
  }

  private readNumbers(bytes: Uint8Array, start: number, blocks: number, into: Float32Array): boolean {
    let check = 0;
    for (let block = 0, at = 0; block < blocks; block++) {
      this.numbers.read(bytes, start + block * this.blockBytes, this.patterns);
      for (let i = 0; i < this.perBlock; i++, at++) {
        const factor = singleAt(this.values, signedAt(this.patterns, i));
        into[at] = factor;
        check += factor - factor;
      }
    }
    return check === 0;
  }
}

/**
 * The values that e4m3 codes represent when they are used as unsigned scale factors. The sign bit is ignored, with one
 * exception: 0x7f is a NaN, but 0xff is 480. ggml uses the same values, but reads 0x7f as 0.
 */
function unsignedValues(): Float32Array {
  const values = valueTable('e4m3').map(Math.abs);
  values[0xff] = 480;
  return values;
}
