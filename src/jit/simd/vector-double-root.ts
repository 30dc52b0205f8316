/**
 * Computes the reciprocal square root (rsqrt) of f64, rounded to nearest, for four threads at once. The reciprocal of
 * the root is rounded twice, so it may be wrong by two units in the last place. Its relative error is half of
 * `1 - x * y^2`, where `y` is the rounded reciprocal root; with fused products, this difference can be computed almost
 * exactly.
 */
import { pairOf } from '../../base/tuples.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import { pushDouble } from './vector-lowering.ts';

/** Bound on the relative error of a corrected result. The actual error is less than 2^-102. */
const slack = 2 ** -98;

/**
 * Returns the index of a function that takes the values of four threads in two vectors and returns the results.
 * `oneByOne` is the index of the function that computes the results again if they may be wrong.
 */
export function reciprocalRootFunction(helpers: Helpers, oneByOne: number): number {
  const type = { parameters: ['v128', 'v128'], results: ['v128', 'v128'] } as const;
  const write = (code: Code): void => {
    const [low, high] = pairOf([0, 1].map((operand) => reciprocalRoot(code, operand)));
    code.get(low.isCertain).get(high.isCertain).vector('v128.and', 'i64x2.all_true').op('i32.eqz');
    code.unlikely().if(() => code.get(0).get(1).call(oneByOne).op('return'));
    code.get(low.result).get(high.result);
  };
  return helpers.function(`four rsqrt ${oneByOne}`, type, write, true);
}

interface Estimate {
  readonly result: number;
  /**
   * A mask of the lanes in which both ends of the error interval round to the result. Zeros, negative numbers,
   * infinities and NaNs are excluded, because their correction is a NaN. Subnormal numbers are excluded, too, because
   * .ftz treats them as zeros.
   */
  readonly isCertain: number;
}

function reciprocalRoot(code: Code, x: number): Estimate {
  const local = (): number => code.local('v128');
  const [root, product, correction, margin] = [local(), local(), local(), local()];
  pushDouble(code, 1).get(x).vector('f64x2.sqrt', 'f64x2.div').set(root);
  pushDouble(code, -0).get(x).vector('v128.xor').get(root).vector('f64x2.mul').set(product);
  // Computes `1 - x * root^2` from the rounded product `-x * root` and the rounding error of this product.
  code.get(product).get(root);
  pushDouble(code, 1).vector('f64x2.relaxed_madd');
  code.get(x).get(root).get(product).vector('f64x2.relaxed_madd').get(root).vector('f64x2.mul', 'f64x2.sub');
  code.get(root).vector('f64x2.mul');
  pushDouble(code, 0.5).vector('f64x2.mul').set(correction);
  pushDouble(code, slack).get(root).vector('f64x2.mul').set(margin);
  const [result, isCertain] = [local(), local()];
  code.get(root).get(correction).get(margin).vector('f64x2.sub', 'f64x2.add').set(result);
  code.get(root).get(correction).get(margin).vector('f64x2.add', 'f64x2.add').get(result).vector('f64x2.eq');
  code.get(result);
  pushDouble(code, 2 ** 511)
    .vector('f64x2.lt', 'v128.and')
    .set(isCertain);
  return { result, isCertain };
}
