/** Computes products of floats, four columns at a time. */
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import { type Accumulator, chunksOf, type FactorFormat, leastOfHalf } from '../../numerics/dot-arithmetic.ts';
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { shift, single, splat, splatPower } from '../simd/vector-words.ts';
import type { ProductContext } from './context.ts';
import { addSums } from './dot-product.ts';
import { decodeFactors, type FourEntries, type FourWords } from './vector-factors.ts';
import { entryOf, type VectorRooms } from './vector-layout.ts';
import type { Eight } from './vector-entries.ts';
import { VectorRows } from './vector-rows.ts';
import { decodeHalves, pushHalves } from './vector-halves.ts';
import { hasNormalProducts, VectorChunks, zeroMark } from './vector-chunks.ts';
import { checkAccumulators, staysInRange } from './vector-sums.ts';

type FloatContext = ProductContext<Extract<MatrixProduct, { readonly kind: 'float' }>>;

/** The bias of the sum of two factors' exponents. */
const bias = 127;

/**
 * Writes code that computes the product. The code pushes a nonzero number if a term or a result is outside the range
 * that this method can handle.
 */
export function multiplyFloatVectors(context: FloatContext, rooms: VectorRooms): void {
  const { code } = context;
  const bad = code.local('v128');
  decodeFactors(context, rooms, (from, to) => decodeFour(context, from, to, bad));
  code
    .get(bad)
    .vector('v128.any_true')
    .if(() => code.i32(1).op('return'));
  new FloatRows(context, rooms, bad).write();
  code.get(bad).vector('v128.any_true');
}

function floatFormat(name: Accumulator | FactorFormat) {
  return formats[name];
}

/**
 * Decodes four elements to f32 values and their exponents. In the mask `bad`, sets the lanes of elements that are
 * infinities or NaNs.
 */
function decodeFour(context: FloatContext, { side, source, number }: FourWords, to: FourEntries, bad: number): void {
  const { code, product } = context;
  const { value, exponent } = to;
  const { format, fragment, low: inElement } = product[side];
  const { exponentBits, fractionBits, padding, bias: own, nan } = floatFormat(format);
  const low = inElement + number * fragment.bits;
  const fraction = 23 - fractionBits;
  const toLeft = fraction - low - padding;
  const magnitudes = ((2 ** (exponentBits + fractionBits) - 1) * 2 ** fraction) | 0;
  if (exponent === null) return;
  code.get(source);
  if (toLeft >= 0) shift(code, 'i32x4.shl', toLeft);
  else shift(code, 'i32x4.shr_u', -toLeft);
  splat(code, magnitudes).vector('v128.and').set(value);
  if (nan !== 'none') {
    const least = nan === 'ieee' ? ((2 ** exponentBits - 1) << 23) | 0 : magnitudes;
    splat(code.get(bad).get(value), least).vector('i32x4.ge_s', 'v128.or').set(bad);
  }
  // Subnormal numbers have the same exponent as the smallest normal number.
  const offset = (side === 'b' ? bias : 0) - bias;
  if (product.arithmetic.order === 'direct')
    setExponents(code, value, exponent, { least: 1, offset: offset + bias - own });
  code.get(value);
  shift(code.get(source), 'i32x4.shl', 31 - (low + padding + fractionBits + exponentBits));
  splat(code, single.sign).vector('v128.and', 'v128.or');
  if (own !== bias) splatPower(code, bias - own).vector('f32x4.mul');
  code.set(value);
  if (product.arithmetic.order === 'direct') return;
  const magnitude = code.local('v128');
  splat(code.get(value), single.magnitude).vector('v128.and').set(magnitude);
  setExponents(code, magnitude, exponent, { least: leastOfHalf + bias, offset });
}

/**
 * Sets a local to the exponents of four magnitudes, plus `offset`. `least` is the lowest exponent field that a nonzero
 * number can have.
 */
function setExponents(
  code: Code,
  magnitude: number,
  exponent: number,
  { least, offset }: { readonly least: number; readonly offset: number },
): void {
  splat(code, zeroMark);
  splat(shift(code.get(magnitude), 'i32x4.shr_u', 23), least).vector('i32x4.max_s');
  splat(code, offset).vector('i32x4.add');
  code.get(magnitude).words(0, 0, 0, 0).vector('i32x4.eq', 'v128.bitselect').set(exponent);
}

class FloatRows {
  private readonly rows: VectorRows<FloatContext['product']>;
  private readonly bad: number;
  private readonly inRange: boolean;
  private readonly chunks: VectorChunks;

  constructor(context: FloatContext, rooms: VectorRooms, bad: number) {
    const { code, product } = context;
    const { a, b, arithmetic } = product;
    this.rows = new VectorRows(context, rooms);
    this.bad = bad;
    this.inRange = staysInRange(a.format, b.format, arithmetic);
    const range = { arithmetic, inRange: this.inRange, normal: hasNormalProducts(a.format, b.format) };
    this.chunks = new VectorChunks(code, this.rows.entries, range, bad);
  }

  write(): void {
    const { rows } = this;
    const { code, product } = rows.context;
    const { arithmetic, k } = product;
    const inOrder = Array.from({ length: k }, (_, at) => at);
    const [isDirect, isHalf] = [arithmetic.order === 'direct', arithmetic.end === 'f16'];
    const chunks = chunksOf(inOrder, arithmetic).map((chunk) => chunk.map((at) => entryOf(at, product.a.fragment)));
    rows.each((eight) => {
      eight.sums.forEach((sum, parity) => {
        if (isDirect) rows.pushC(eight, parity);
        else code.words(0, 0, 0, 0);
        if (isHalf) decodeHalves(code, parity === 1);
        code.set(sum);
        if (this.inRange && isDirect) checkAccumulators(code, arithmetic, sum, this.bad);
      });
      for (const chunk of chunks) this.chunks.add(eight, chunk);
      if (isHalf) this.storeHalves(eight);
      else eight.sums.forEach((sum, parity) => this.store(eight, sum, parity));
    });
  }

  private storeHalves(eight: Eight): void {
    const { rows } = this;
    const { code } = rows.context;
    const [even, odd] = eight.sums;
    rows.store(eight, 0, () => {
      pushHalves(code, even);
      shift(pushHalves(code, odd), 'i32x4.shl', 16).vector('v128.or');
    });
  }

  private store(eight: Eight, sum: number, parity: number): void {
    const { rows } = this;
    const { code, product } = rows.context;
    rows.store(eight, parity, () => {
      if (product.arithmetic.order === 'direct') code.get(sum);
      else addSums(rows.pushC(eight, parity), sum);
    });
  }
}
