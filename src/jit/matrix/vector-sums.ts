/**
 * Computes a chunk of four dot products at a time. Products are exact in f32; the hardware adds the integer parts of
 * the products times 2^(kept - greatest exponent).
 */
import { elementAt } from '../../base/element-at.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import type { DotArithmetic, FactorFormat } from '../../numerics/dot-arithmetic.ts';
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { shift, single, splat } from '../simd/vector-words.ts';
import { pushBeyond, pushHalfExponents, roundToHalves } from './vector-halves.ts';

type FloatProduct = Extract<MatrixProduct, { readonly kind: 'float' }>;

/** How sums are computed: `inRange` is the result of `staysInRange` for the product. */
export interface SumContext {
  readonly arithmetic: DotArithmetic;
  readonly inRange: boolean;
}

/** Locals for the four sums of the even columns, or of the odd ones. */
export interface FourSums {
  /** The greatest exponents of the products, and the factor that converts terms to units. */
  readonly greatest: number;
  readonly scale: number;
  /** Sums in units. Each has at most `mostTerms` terms. */
  readonly totals: readonly number[];
}

/** Sums that include the accumulators, and the results. */
export interface Accumulated extends FourSums {
  readonly sum: number;
}

/** The bias of f32, and the greatest biased exponent of a finite number. */
const [bias, most] = [127, 254];

/**
 * Number of terms that can be added without a check: each product is below 2^(kept + 2), and a word holds up to 2^31.
 */
const mostTerms = 8;

/** Whether the terms of a chunk add up exactly in f32; otherwise they are added as integers. */
function staysInFloat({ kept, chunk }: DotArithmetic): boolean {
  return 2 ** (kept + 2) * (chunk + 1) <= 2 ** 24;
}

export function fourSums(code: Code, arithmetic: DotArithmetic): FourSums {
  const local = (): number => code.local('v128');
  const count = Math.ceil(arithmetic.chunk / termsOfTotal(arithmetic));
  return { greatest: local(), scale: local(), totals: Array.from({ length: count }, local) };
}

function termsOfTotal(arithmetic: DotArithmetic): number {
  return staysInFloat(arithmetic) ? arithmetic.chunk : mostTerms;
}

/** Calls `body` with the entries of a chunk that are added to each total, and with the index of the total. */
export function eachTotal(
  arithmetic: DotArithmetic,
  entries: readonly number[],
  body: (entries: readonly number[], number: number) => void,
): void {
  const count = termsOfTotal(arithmetic);
  for (let start = 0; start < entries.length; start += count) body(entries.slice(start, start + count), start / count);
}

/**
 * The lowest value of the greatest exponent (biased) for which results are normal and zeros do not affect the
 * alignment.
 */
export function leastExponent({ kept, zeroExponent }: DotArithmetic): number {
  return Math.max(kept - 126, zeroExponent) + bias;
}

/**
 * Whether products are so far from the limits of f32 that sums stay in range: if accumulators are finite, and either
 * zero or at least 2^`leastExponent`, so are the sums.
 */
export function staysInRange({ a, b, arithmetic }: FloatProduct): boolean {
  const [least, greatest] = [exponentsOf(a.format), exponentsOf(b.format)].reduce(
    (sums, exponents) => [sums[0] + exponents[0], sums[1] + exponents[1]] as const,
  );
  const { kept, end } = arithmetic;
  // Products are below 2^(greatest + 2). Numbers below 2^(most - bias - kept) do not change the greatest accumulators.
  return end !== 'f16' && least - kept + bias >= leastExponent(arithmetic) && greatest + 2 <= most - bias - kept;
}

/**
 * The exponents of the least and the greatest numbers of a format; subnormal numbers have that of the least normal
 * number.
 */
function exponentsOf(format: FactorFormat): readonly [least: number, greatest: number] {
  const { exponentBits, bias: own } = formats[format];
  return [1 - own, 2 ** exponentBits - 1 - own];
}

/** Sets lanes of `bad` whose accumulators are out of range. */
export function checkAccumulators(code: Code, arithmetic: DotArithmetic, sum: number, bad: number): void {
  const [doubled, exponents] = [code.local('v128'), code.local('v128')];
  shift(code.get(sum), 'i32x4.shl', 1).tee(doubled);
  shift(code, 'i32x4.shr_u', 24).set(exponents);
  checkExponents(code, arithmetic, exponents, doubled, bad);
}

/**
 * Sets lanes of `bad` whose exponents are out of range, unless all terms are zero, because the exponent does not matter
 * then.
 */
function checkExponents(code: Code, arithmetic: DotArithmetic, greatest: number, doubled: number, bad: number): void {
  code.get(bad);
  splat(code, leastExponent(arithmetic)).get(greatest).vector('i32x4.gt_s');
  code.get(greatest).get(doubled).vector('v128.or').words(0, 0, 0, 0).vector('i32x4.eq', 'v128.andnot', 'v128.or');
  splat(code.get(greatest), most).vector('i32x4.gt_s', 'v128.or').set(bad);
}

/**
 * Finds the scale, given the greatest exponents of the products, and starts the sums with the accumulators. Sets lanes
 * of `bad` whose exponents are out of reach; if `inRange`, no lanes are, and exponents are at least `leastExponent`.
 */
export function beginChunk(
  code: Code,
  { arithmetic, inRange }: SumContext,
  { greatest, scale, totals, sum }: Accumulated,
  bad: number,
): void {
  const { kept, end } = arithmetic;
  const doubled = code.local('v128');
  shift(code.get(sum), 'i32x4.shl', 1).set(doubled);
  if (end === 'f16') {
    const own = code.local('v128');
    pushHalfExponents(code, doubled).set(own);
    pushBeyond(code, own).get(bad).vector('v128.or').set(bad);
    code.get(own);
  } else shift(code.get(doubled), 'i32x4.shr_u', 24);
  code.get(greatest).vector('i32x4.max_s').set(greatest);
  if (!inRange) {
    checkExponents(code, arithmetic, greatest, doubled, bad);
    splat(code.get(greatest), leastExponent(arithmetic)).vector('i32x4.max_s').set(greatest);
  }
  splat(code, kept + most)
    .get(greatest)
    .vector('i32x4.sub');
  shift(code, 'i32x4.shl', 23).tee(scale).get(sum).vector('f32x4.mul');
  cut(code, arithmetic);
  totals.forEach((total, i) => {
    if (i > 0) code.words(0, 0, 0, 0);
    else if (staysInFloat(arithmetic)) code.words(0, 0, 0, 0).vector('f32x4.add');
    code.set(total);
  });
}

/** Cuts off the part below a unit. */
function cut(code: Code, arithmetic: DotArithmetic): void {
  code.vector(staysInFloat(arithmetic) ? 'f32x4.trunc' : 'i32x4.trunc_sat_f32x4_s');
}

/** Adds the products on the stack, to the total with this number. */
export function addProducts(code: Code, arithmetic: DotArithmetic, { scale, totals }: FourSums, number: number): void {
  code.get(scale).vector('f32x4.mul');
  cut(code, arithmetic);
  const total = elementAt(totals, number);
  code
    .get(total)
    .vector(staysInFloat(arithmetic) ? 'f32x4.add' : 'i32x4.add')
    .set(total);
}

/** Rounds the totals at the end of the chunk. */
export function endChunk(code: Code, arithmetic: DotArithmetic, sums: Accumulated, bad: number): void {
  const { scale, totals, sum } = sums;
  const [total = 0, ...others] = totals;
  const down = (): Code =>
    splat(code, (2 * bias) << 23)
      .get(scale)
      .vector('i32x4.sub');
  if (staysInFloat(arithmetic)) {
    // The total is a whole number. If only 14 of its 24 significant bits are kept, the others are cleared with the sign
    // as a mask.
    splat(code.get(total), arithmetic.end === 'f16' ? single.magnitude : single.magnitude - 0x3ff).vector('v128.and');
  } else {
    for (const other of others) addTotals(code, total, other, bad);
    if (arithmetic.end === 'f16') cutToOdd(code, total);
    else cutTotal(code, total);
    code.vector('f32x4.convert_i32x4_s');
  }
  down().vector('f32x4.mul');
  if (arithmetic.end === 'f16') roundToHalves(code);
  splat(code.get(total), single.sign).vector('v128.and', 'v128.or').set(sum);
}

/** Adds a total to another; sets lanes of `bad` where the sum does not fit. */
function addTotals(code: Code, total: number, other: number, bad: number): void {
  const before = code.local('v128');
  code.get(total).tee(before).get(other).vector('i32x4.add').set(total);
  shift(
    code.get(bad).get(before).get(total).vector('v128.xor').get(other).get(total).vector('v128.xor', 'v128.and'),
    'i32x4.shr_s',
    31,
  );
  code.vector('v128.or').set(bad);
}

/**
 * Pushes the magnitude of a total, changed so that its conversion to f32 cuts off everything below the 24 highest bits:
 * the highest bit below them is cleared, so that the conversion rounds down.
 */
function cutTotal(code: Code, total: number): void {
  const magnitude = code.local('v128');
  code.get(total).vector('i32x4.abs').tee(magnitude);
  shift(code.get(magnitude), 'i32x4.shr_u', 24).vector('v128.andnot');
}

/** Pushes the 24 highest bits of a total's magnitude. The last of these is set if anything below them is cut off. */
function cutToOdd(code: Code, total: number): void {
  const [magnitude, below] = [code.local('v128'), code.local('v128')];
  code.get(total).vector('i32x4.abs').tee(magnitude);
  shift(code, 'i32x4.shr_u', 24).set(below);
  for (const distance of [1, 2, 4])
    shift(code.get(below).get(below), 'i32x4.shr_u', distance).vector('v128.or').set(below);
  code.get(magnitude).get(below).vector('v128.andnot');
  splat(code.get(below), 1).vector('i32x4.add').get(magnitude).get(below).vector('v128.and');
  code.words(0, 0, 0, 0).vector('i32x4.eq', 'v128.andnot', 'v128.or');
}
