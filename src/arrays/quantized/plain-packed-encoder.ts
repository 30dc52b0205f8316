/** Encodes and packs blocks in plain JavaScript. This version is the specification for the WebAssembly kernel. */
import { singleAt } from '../../base/typed-reads.ts';
import type { BlockEncoding, PackedBlock } from '../../numerics/packed-blocks.ts';
import { convert } from '../convert.ts';
import { type SourceArray, type SourceFormat, singlesOf } from '../elements/source-values.ts';
import { sharedNumbers, SmallNumbers } from './small-numbers.ts';

/** The codes and factors of consecutive blocks, as the unsigned integers that are stored in the blocks. */
export interface BlockContents {
  /** One code per element, each in a byte of its own. Bits above the width of a code are ignored. */
  readonly codes: Uint8Array;
  /** The bit patterns of the factors. */
  readonly scales: Uint8Array | Uint16Array;
  readonly offsets: Uint16Array | null;
}

export interface PackedEncoder {
  /** Packs whole blocks. The length of `codes` determines the number of blocks. */
  pack(contents: BlockContents, out: Uint8Array): void;
  /** Encodes whole blocks of values. */
  encode(source: SourceArray, from: SourceFormat, out: Uint8Array): void;
}

export class PlainPackedEncoder implements PackedEncoder {
  private readonly block: PackedBlock;
  private readonly encoding: BlockEncoding | null;
  private readonly codes: SmallNumbers;
  private readonly scales: SmallNumbers;
  private readonly offsets: SmallNumbers | null;

  constructor(block: PackedBlock, encoding: BlockEncoding | null) {
    const { elements, codes, scale, offset } = block;
    if (codes.kind !== 'linear' && codes.kind !== 'listed') throw new Error(`${codes.kind} codes are not packed`);
    this.block = block;
    this.encoding = encoding;
    this.codes = new SmallNumbers(codes.places, elements);
    this.scales = sharedNumbers(scale.factor, elements);
    this.offsets = offset === null ? null : sharedNumbers(offset.factor, elements);
  }

  pack({ codes, scales, offsets }: BlockContents, out: Uint8Array): void {
    const { elements, bytes } = this.block;
    const blocks = Math.floor(codes.length / elements);
    out.fill(0, 0, blocks * bytes);
    const write = (numbers: SmallNumbers, from: BlockContents['scales']): void => {
      for (let block = 0; block < blocks; block++) numbers.write(from, block * numbers.count, out, block * bytes);
    };
    write(this.codes, codes);
    write(this.scales, scales);
    if (this.offsets !== null && offsets !== null) write(this.offsets, offsets);
  }

  encode(source: SourceArray, from: SourceFormat, out: Uint8Array): void {
    const { block, encoding } = this;
    if (encoding === null) throw new Error('this encoder takes its codes from the caller and cannot compute them');
    const values = singlesOf(source, from, new Float32Array(source.length));
    const codes = new Uint8Array(values.length);
    const scales = new Float32Array(values.length / block.elements);
    const offsets = new Float32Array(scales.length);
    for (const i of scales.keys()) {
      const part = values.subarray(i * block.elements, (i + 1) * block.elements);
      const { span, offset } = spanOf(part, encoding);
      const scale = Math.fround(span / encoding.divisor);
      scales[i] = scale;
      offsets[i] = offset;
      const inverse = inverseOf(scale);
      for (let k = 0; k < part.length; k++) {
        const value = singleAt(part, k);
        const steps = Math.fround(Math.fround(value - offset) * inverse);
        codes[i * block.elements + k] = codeOf(Number.isNaN(value) ? 0 : steps, encoding);
      }
    }
    this.pack({ codes, scales: patternsOf(scales), offsets: patternsOf(offsets) }, out);
  }
}

/** Factors beyond the range of f16 become the largest f16. */
function patternsOf(factors: Float32Array): Uint16Array {
  return convert(factors, { to: 'f16', saturate: true });
}

/**
 * Returns the span of a block (the number from which its scale is computed) and the block's offset. NaNs are ignored.
 */
function spanOf(values: Float32Array, { from }: BlockEncoding): { readonly span: number; readonly offset: number } {
  if (from === 'range') {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return low > high ? { span: 0, offset: 0 } : { span: Math.fround(high - low), offset: low };
  }
  let largest = 0;
  for (const value of values) if (Math.abs(value) > Math.abs(largest)) largest = value;
  return { span: from === 'magnitude' ? Math.abs(largest) : largest, offset: 0 };
}

/**
 * The factor 1 / scale, or 0 for a scale of 0. For an infinite scale, the factor is the smallest nonzero f32 with the
 * same sign. Multiplied by this factor, infinite values remain infinite, and finite values become less than 1/2 in
 * magnitude.
 */
function inverseOf(scale: number): number {
  if (scale === 0) return 0;
  return Math.abs(scale) === Number.POSITIVE_INFINITY ? Math.sign(scale) * 2 ** -149 : Math.fround(1 / scale);
}

/**
 * The code that is stored for a value, where `steps` is the value divided by the scale. If 1 / scale is infinite,
 * `steps` can be NaN; the code is then 0.
 */
function codeOf(steps: number, { zero, least, most, ties }: BlockEncoding): number {
  if (Number.isNaN(steps)) return 0;
  const rounded =
    ties === 'up'
      ? Math.trunc(Math.fround(steps + (zero + 0.5)))
      : zero + Math.sign(steps) * Math.floor(Math.abs(steps) + 0.5);
  return Math.max(least, Math.min(most, rounded)) & 0xff;
}
