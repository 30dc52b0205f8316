/**
 * Implements f64 steps that round to nearest, for four threads at once. If a result is not an ordinary number, or if
 * the operands of an fma are outside the range of the fast method, all four results are computed by the functions for
 * single threads.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf, tripleOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { FloatFunction, FloatMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { doubleFunction } from '../arithmetic/double-arithmetic.ts';
import type { Helpers } from '../helpers.ts';
import { exactSum, pushOddSum } from './exact-sums.ts';
import { repeatIf } from './four-by-one.ts';
import { reciprocalRootFunction } from './vector-double-root.ts';
import { pushDouble, type VectorLowering, type Writer } from './vector-lowering.ts';
import { laneCount, laneOf, type Vector } from './vectors.ts';

const native: Readonly<Partial<Record<FloatFunction, VectorOpcode>>> = {
  add: 'f64x2.add',
  sub: 'f64x2.sub',
  mul: 'f64x2.mul',
  div: 'f64x2.div',
  rcp: 'f64x2.div',
  sqrt: 'f64x2.sqrt',
};

const halves = [0, 1] as const;

type Pair = readonly [low: number, high: number];

export function vectorDouble(step: StepOf<'float'>, lowering: VectorLowering): Writer | null {
  const { fn, mode } = step;
  if (mode.rounding !== 'rn' || mode.sat) return null;
  if (mode.flush && fn !== 'rcp' && fn !== 'rsqrt') return null;
  const opcode = fn === 'fma' && lowering.scalar.helpers.fuses ? 'f64x2.relaxed_madd' : native[fn];
  if (fn === 'fma' && opcode === undefined) return () => fma(step, lowering);
  if (fn === 'rsqrt' && lowering.scalar.helpers.fuses) return () => reciprocalRoot(step, lowering);
  return opcode === undefined ? null : () => plain(step, opcode, lowering);
}

function plain(step: StepOf<'float'>, opcode: VectorOpcode, { code, vectors, scalar }: VectorLowering): void {
  const { fn, mode, from, to } = step;
  const operands = from.map((ref) => pairOf(vectors.get(ref, 'i64').locals));
  const results = vectors.made('i64', (half) => {
    if (fn === 'rcp') pushDouble(code, 1);
    for (const operand of operands) code.get(elementAt(operand, half));
    code.vector(opcode);
  });
  if (mode.flush) pushMayBeSubnormal(code, pairOf(results.locals));
  else pushHasNan(code, pairOf(results.locals));
  repeatIf(code, oneByOne(scalar.helpers, fn, mode, operands.length), operands.flat(), results.locals);
  vectors.set(to, results);
}

/** Pushes whether any of four f64 values is a NaN. */
export function pushHasNan(code: Code, [low, high]: Pair): void {
  code.get(low).get(low).vector('f64x2.ne').get(high).get(high).vector('f64x2.ne', 'v128.or', 'v128.any_true');
}

/**
 * Pushes whether any of four reciprocals is subnormal, or may be the reciprocal of a subnormal, a zero, an infinity or
 * a NaN.
 */
function pushMayBeSubnormal(code: Code, results: Pair): void {
  for (const result of results) {
    code.get(result).vector('f64x2.abs');
    pushDouble(code, 2 ** -1022)
      .vector('f64x2.lt')
      .get(result)
      .vector('f64x2.abs');
    pushDouble(code, 2 ** 511).vector('f64x2.lt', 'v128.not', 'v128.or');
  }
  code.vector('v128.or', 'v128.any_true');
}

function reciprocalRoot({ fn, mode, from, to }: StepOf<'float'>, { code, vectors, scalar }: VectorLowering): void {
  const { helpers } = scalar;
  for (const ref of from) for (const local of vectors.get(ref, 'i64').locals) code.get(local);
  const [low, high] = [vectors.temporary(), vectors.temporary()];
  code
    .call(reciprocalRootFunction(helpers, oneByOne(helpers, fn, mode, from.length)))
    .set(high)
    .set(low);
  vectors.set(to, { type: 'i64', locals: [low, high] });
}

/**
 * Returns the index of a function that computes the results for the four threads one after the other. It takes two
 * vectors for each operand, and returns two vectors with the results.
 */
function oneByOne(helpers: Helpers, fn: FloatFunction, mode: FloatMode, count: number): number {
  const parameters = Array.from({ length: 2 * count }, () => 'v128' as const);
  const exact = doubleFunction(helpers, fn, mode, count);
  return helpers.function(`four double ${exact}`, { parameters, results: ['v128', 'v128'] }, (code) => {
    const results: Vector = { type: 'i64', locals: [code.local('v128'), code.local('v128')] };
    for (let lane = 0; lane < laneCount; lane++) {
      const [result, index, shape] = laneOf(results, lane);
      code.get(result);
      for (let i = 0; i < count; i++) {
        const [operand] = laneOf({ type: 'i64', locals: [2 * i, 2 * i + 1] }, lane);
        code.get(operand).lane(`${shape}.extract_lane`, index);
      }
      code.call(exact).lane(`${shape}.replace_lane`, index).set(result);
    }
    for (const result of results.locals) code.get(result);
  });
}

// --- fma ------------------------------------------------------------------------------------------------------------

/**
 * Bounds for the operands of the fast method. The method is exact for operands within these bounds: the factors can be
 * split into halves, nothing overflows, and the rounding error of the product is not subnormal.
 */
const bounds = { factors: 2 ** 970, sum: 2 ** 1000, product: 2 ** -900 } as const;

/** Multiplying by this constant splits a 53-bit significand into two 26-bit halves (Dekker, 1971). */
const splitter = 2 ** 27 + 1;

/**
 * Computes an fma. First, the product is rounded, and then the sum of the rounded product and c is rounded. The two
 * rounding errors are added with rounding to odd, and the result is added to the rounded sum. This last addition rounds
 * correctly (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
 */
function fma(step: StepOf<'float'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const operands = step.from.map((ref) => pairOf(vectors.get(ref, 'i64').locals));
  const local = (): number => vectors.temporary();
  const isSafe = halves.map(local);
  const results = vectors.made('i64', (half) => {
    const [a, b, c] = tripleOf(operands.map((operand) => elementAt(operand, half)));
    const product = vectors.temporary();
    code.get(a).get(b).vector('f64x2.mul').set(product);
    pushIsSafe(code, [a, b, c], product);
    code.set(elementAt(isSafe, half));
    const error = productError(lowering, a, b, product);
    const [sum, rest] = exactSum(code, 'f64x2', [product, c], local);
    code.get(sum);
    pushOddSum(code, 'f64x2', [rest, error], local);
    code.vector('f64x2.add');
  });
  code.get(elementAt(isSafe, 0)).get(elementAt(isSafe, 1)).vector('v128.and', 'i64x2.all_true').op('i32.eqz');
  const index = oneByOne(lowering.scalar.helpers, step.fn, step.mode, operands.length);
  repeatIf(code, index, operands.flat(), results.locals);
  vectors.set(step.to, results);
}

/**
 * Pushes a mask of the lanes in which the operands are within the bounds. Infinities and NaNs are outside the bounds.
 */
function pushIsSafe(code: Code, [a, b, c]: readonly [number, number, number], product: number): void {
  const magnitude = (local: number): Code => code.get(local).vector('f64x2.abs');
  magnitude(a);
  magnitude(b).vector('f64x2.add');
  pushDouble(code, bounds.factors).vector('f64x2.lt');
  magnitude(product);
  magnitude(c).vector('f64x2.add');
  pushDouble(code, bounds.sum).vector('f64x2.lt', 'v128.and');
  pushDouble(code, bounds.product);
  magnitude(product).vector('f64x2.lt', 'v128.and');
}

/** Returns a local with the rounding error of the product: the exact value of `a * b` minus the rounded product. */
function productError(lowering: VectorLowering, a: number, b: number, product: number): number {
  const { code, vectors } = lowering;
  const [aHigh, aLow] = split(lowering, a);
  const [bHigh, bLow] = split(lowering, b);
  const error = vectors.temporary();
  code.get(aHigh).get(bHigh).vector('f64x2.mul').get(product).vector('f64x2.sub');
  for (const [x, y] of [
    [aHigh, bLow],
    [aLow, bHigh],
    [aLow, bLow],
  ] as const)
    code.get(x).get(y).vector('f64x2.mul', 'f64x2.add');
  code.set(error);
  return error;
}

function split({ code, vectors }: VectorLowering, value: number): readonly [high: number, low: number] {
  const [scaled, high, low] = [vectors.temporary(), vectors.temporary(), vectors.temporary()];
  pushDouble(code, splitter).get(value).vector('f64x2.mul').set(scaled);
  code.get(scaled).get(scaled).get(value).vector('f64x2.sub', 'f64x2.sub').set(high);
  code.get(value).get(high).vector('f64x2.sub').set(low);
  return [high, low];
}
