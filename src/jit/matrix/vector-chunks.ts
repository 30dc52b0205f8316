/** Writes code that adds the products of a chunk to eight sums (vector-sums.ts). */
import type { DotArithmetic, FactorFormat } from '../../numerics/dot-arithmetic.ts';
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { splat } from '../simd/vector-words.ts';
import type { Eight, VectorEntries } from './vector-entries.ts';
import { addProducts, beginChunk, eachTotal, endChunk, type FourSums, fourSums, leastExponent } from './vector-sums.ts';

/**
 * The exponent that is used for zeros. Twice this number still fits in 16 bits. If one factor is zero, the sum of the
 * exponents is smaller than the sum for any nonzero product.
 */
export const zeroMark = -16_384;

/** Whether every product of a number in format `a` and a number in format `b` is either zero or a normal f32 number. */
export function hasNormalProducts(a: FactorFormat, b: FactorFormat): boolean {
  return [a, b].every((format) => formats[format].exponentBits < 8);
}

/** Properties of the range of the products. */
export interface ProductRange {
  readonly arithmetic: DotArithmetic;
  /** The result of `staysInRange`. */
  readonly inRange: boolean;
  /** Whether every product is zero or a normal f32 number. */
  readonly normal: boolean;
}

export class VectorChunks {
  private readonly code: Code;
  private readonly entries: VectorEntries;
  private readonly range: ProductRange;
  /** A local with a mask of the lanes in which a number is out of range. */
  private readonly bad: number;
  private readonly fours: readonly [even: FourSums, odd: FourSums];
  private readonly factor: number;
  private readonly greatest: number;

  constructor(code: Code, entries: VectorEntries, range: ProductRange, bad: number) {
    this.code = code;
    this.entries = entries;
    this.range = range;
    this.bad = bad;
    this.fours = [fourSums(code, range.arithmetic), fourSums(code, range.arithmetic)];
    [this.factor, this.greatest] = [code.local('v128'), code.local('v128')];
  }

  /** Adds the products of the given entries. */
  add(eight: Eight, entries: readonly number[]): void {
    const { code, fours, bad, factor } = this;
    const { arithmetic, inRange } = this.range;
    const sums = fours.map((four, parity) => ({ ...four, sum: eight.sums[parity] ?? 0 }));
    this.findGreatest(eight, entries);
    for (const four of sums) beginChunk(code, { arithmetic, inRange }, four, bad);
    eachTotal(arithmetic, entries, (some, number) => {
      this.entries.eachValue(eight, some, (push) => {
        push.a().set(factor);
        sums.forEach((four, parity) => {
          code.get(factor);
          push.b(parity).vector('f32x4.mul');
          addProducts(code, arithmetic, four, number);
        });
      });
    });
    for (const four of sums) endChunk(code, arithmetic, four, bad);
  }

  /** Finds the largest exponents of the products in a chunk. */
  private findGreatest(eight: Eight, entries: readonly number[]): void {
    const { code, greatest, fours } = this;
    const { arithmetic, inRange, normal } = this.range;
    splatHalves(code, inRange ? leastExponent(arithmetic) : 2 * zeroMark).set(greatest);
    this.entries.eachExponent(eight, entries, (push) => {
      push();
      code.get(greatest).vector('i16x8.max_s').set(greatest);
    });
    if (!normal) this.refuseTiny();
    const [even, odd] = fours;
    code.get(greatest).vector('i32x4.extend_low_i16x8_s').set(even.greatest);
    code.get(greatest).vector('i32x4.extend_high_i16x8_s').set(odd.greatest);
  }

  /**
   * Finds lanes in which all products are too small for f32, although at least one of them is not zero, and sets these
   * lanes in the mask `bad`. The largest exponent in such a lane would be mistaken for the exponent of a zero.
   */
  private refuseTiny(): void {
    const { code, greatest, bad } = this;
    splatHalves(code, 1).get(greatest).vector('i16x8.gt_s').get(greatest);
    splatHalves(code, zeroMark / 2)
      .vector('i16x8.gt_s', 'v128.and')
      .get(bad)
      .vector('v128.or')
      .set(bad);
  }
}

/** Pushes a vector that contains a 16-bit number in every lane. */
function splatHalves(code: Code, value: number): Code {
  return splat(code, (value & 0xffff) * 0x10001);
}
