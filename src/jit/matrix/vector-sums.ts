/**
 * Adds up the terms of a chunk for four dot products at once. The products themselves are exact in f32. As in hardware,
 * each product is multiplied by 2^(kept - largest exponent) and truncated to an integer, and these integers are added.
 */
import { elementAt } from '../../base/element-at.ts';
import { type DotArithmetic, type FactorFormat, leastOfHalf } from '../../numerics/dot-arithmetic.ts';
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { shift, single, splat } from '../simd/vector-words.ts';
import { pushBeyond, pushHalfExponents, roundToHalves } from './vector-halves.ts';

/** How sums are computed: `inRange` is the result of `staysInRange`. */
export interface SumContext {
  readonly arithmetic: DotArithmetic;
  readonly inRange: boolean;
}

/** Locals for four sums, which belong either to the even columns or to the odd columns. */
export interface FourSums {
  /**
   * Two locals: `greatest` holds the largest exponents of the products, and `scale` holds the factors by which terms
   * are multiplied to express them in units of the sum.
   */
  readonly greatest: number;
  readonly scale: number;
  /**
   * Locals that hold totals of the scaled terms. If terms are added as integers, at most `mostTerms` terms are added to
   * each total.
   */
  readonly totals: readonly number[];
}

/** Like `FourSums`, but also has a local that holds the accumulators at the beginning and the results at the end. */
export interface Accumulated extends FourSums {
  readonly sum: number;
}

/** The bias of f32, and the largest biased exponent of a finite number. */
const [bias, most] = [127, 254];

/**
 * Number of terms that can be added without checking for overflow: each term is below 2^(kept + 2), and the sum must be
 * below 2^31.
 */
const mostTerms = 8;

/** Whether the sum of a chunk's terms is always exact in f32. If not, the terms are added as integers. */
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

/**
 * Distributes the entries of a chunk among the totals. For each total, calls `body` with the entries to add to it and
 * with its index.
 */
export function eachTotal(
  arithmetic: DotArithmetic,
  entries: readonly number[],
  body: (entries: readonly number[], number: number) => void,
): void {
  const count = termsOfTotal(arithmetic);
  for (let start = 0; start < entries.length; start += count) body(entries.slice(start, start + count), start / count);
}

/**
 * Returns a threshold for the largest (biased) exponent in a chunk. If this exponent is not below the threshold,
 * results are normal numbers, and zeros do not affect how the terms are aligned.
 */
export function leastExponent({ kept, zeroExponent }: DotArithmetic): number {
  return Math.max(kept - 126, zeroExponent) + bias;
}

/**
 * Whether products are far enough from the limits of f32 for sums to remain in range. In that case, if an accumulator
 * is finite and is either zero or has an exponent of at least `leastExponent`, the same is true of the sum.
 */
export function staysInRange(a: FactorFormat, b: FactorFormat, arithmetic: DotArithmetic): boolean {
  const [least, greatest] = [a, b]
    .map((format) => exponentsOf(format, arithmetic))
    .reduce((sums, exponents) => [sums[0] + exponents[0], sums[1] + exponents[1]] as const);
  const { kept, end } = arithmetic;
  // Products are below 2^(greatest + 2). If an accumulator is close to the limit of f32, adding numbers below 2^(most -
  // bias - kept) cannot increase it, because they are truncated to zero.
  return end !== 'f16' && least - kept + bias >= leastExponent(arithmetic) && greatest + 2 <= most - bias - kept;
}

/**
 * The exponents of the smallest and the largest numbers of a format. Subnormal numbers are treated as if they had the
 * exponent of the smallest normal number. If the factors are converted to f16, this applies only to numbers that are
 * subnormal in f16.
 */
function exponentsOf(format: FactorFormat, { order }: DotArithmetic): readonly [least: number, greatest: number] {
  const { exponentBits, fractionBits, bias: own } = formats[format];
  const least = order === 'direct' ? 1 - own : Math.max(leastOfHalf, 1 - own - fractionBits);
  return [least, 2 ** exponentBits - 1 - own];
}

/** Sets the lanes of the mask `bad` in which the accumulator is out of range. */
export function checkAccumulators(code: Code, arithmetic: DotArithmetic, sum: number, bad: number): void {
  const [doubled, exponents] = [code.local('v128'), code.local('v128')];
  shift(code.get(sum), 'i32x4.shl', 1).tee(doubled);
  shift(code, 'i32x4.shr_u', 24).set(exponents);
  checkExponents(code, arithmetic, exponents, doubled, bad);
}

/**
 * Sets the lanes of the mask `bad` in which the largest exponent is out of range. If all terms of the sum in a lane are
 * zero, the exponent does not matter, so the lane is not set in the mask.
 */
function checkExponents(code: Code, arithmetic: DotArithmetic, greatest: number, doubled: number, bad: number): void {
  code.get(bad);
  splat(code, leastExponent(arithmetic)).get(greatest).vector('i32x4.gt_s');
  code.get(greatest).get(doubled).vector('v128.or').words(0, 0, 0, 0).vector('i32x4.eq', 'v128.andnot', 'v128.or');
  splat(code.get(greatest), most).vector('i32x4.gt_s', 'v128.or').set(bad);
}

/**
 * Begins a chunk: computes the scale from the largest exponents of the products and the accumulators, and initializes
 * the sums with the accumulators. Sets the lanes of the mask `bad` in which the largest exponent is out of range. If
 * `inRange` is true, all exponents are known to be in range, so the generated code neither checks the largest exponents
 * nor clamps them to a minimum.
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

/** Truncates the numbers on the stack to whole units. */
function cut(code: Code, arithmetic: DotArithmetic): void {
  code.vector(staysInFloat(arithmetic) ? 'f32x4.trunc' : 'i32x4.trunc_sat_f32x4_s');
}

/** Adds the products on the stack to the total whose index is `number`. */
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
    // The total is a whole number. The mask clears its sign bit. If only 14 of the 24 significant bits are kept, it
    // also clears the other 10 bits.
    splat(code.get(total), arithmetic.end === 'f16' ? single.magnitude : single.magnitude - 0x3ff).vector('v128.and');
  } else {
    for (const other of others) addTotals(code, total, other, bad);
    if (arithmetic.end === 'f16') cutToOdd(code, total);
    else cutTotal(code, total);
    code.vector('f32x4.convert_i32x4_s');
  }
  down().vector('f32x4.mul');
  if (arithmetic.end === 'f16') {
    // A sum that is rounded to zero is +0.
    const magnitude = code.local('v128');
    roundToHalves(code).tee(magnitude);
    splat(code.get(total), single.sign).vector('v128.and');
    code.get(magnitude).words(0, 0, 0, 0).vector('i32x4.eq', 'v128.andnot', 'v128.or').set(sum);
    return;
  }
  splat(code.get(total), single.sign).vector('v128.and', 'v128.or').set(sum);
}

/** Adds one total to another. Sets the lanes of the mask `bad` in which the sum does not fit in 32 bits. */
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
 * Pushes the magnitude of a total, modified so that a conversion to f32 truncates it to its 24 highest bits. The bit
 * just below these 24 bits is cleared, so that the conversion cannot round up.
 */
function cutTotal(code: Code, total: number): void {
  const magnitude = code.local('v128');
  code.get(total).vector('i32x4.abs').tee(magnitude);
  shift(code.get(magnitude), 'i32x4.shr_u', 24).vector('v128.andnot');
}

/** Pushes the 24 highest bits of a total's magnitude. The last of these bits is set if any lower bit is nonzero. */
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
