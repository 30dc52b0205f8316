/**
 * Computes the sums that are used to compare two streams: sums of the squares and of the products of their elements,
 * block by block. The sums are correct even if they are outside the range of f64.
 */
import { doubleAt } from '../../base/typed-reads.ts';
import { ScaledSum, scaleStep } from '../statistics/scaled-sum.ts';

/**
 * Sums over the pairs of corresponding elements in two streams, `a` and `b`. Pairs in which either element is not
 * finite are left out.
 */
export class ProductSums {
  readonly squaredError: ScaledSum = new ScaledSum();
  readonly squaredA: ScaledSum = new ScaledSum();
  readonly squaredB: ScaledSum = new ScaledSum();
  readonly product: ScaledSum = new ScaledSum();

  merge(later: ProductSums): void {
    this.squaredError.merge(later.squaredError);
    this.squaredA.merge(later.squaredA);
    this.squaredB.merge(later.squaredB);
    this.product.merge(later.product);
  }

  /** Adds the sums of one block, which were computed in f64 without overflow or underflow. */
  add(squaredA: number, squaredB: number, product: number, squaredError: number): void {
    this.squaredA.add(squaredA);
    this.squaredB.add(squaredB);
    this.product.add(product);
    this.squaredError.add(squaredError);
  }

  /**
   * Adds the first `size` pairs of elements. The elements of `a`, those of `b`, and their differences are each scaled
   * by a power of two that keeps their squares within the range of f64. If the elements had to be rounded to f64,
   * `rest` holds a correction for each pair, which is added to the difference of the rounded elements to get the exact
   * a - b.
   */
  addScaled(a: Float64Array, b: Float64Array, size: number, rest: Float64Array | null = null): void {
    const exponents = scalesOf(a, b, size);
    const [byA, byB, byError] = [2 ** exponents.a, 2 ** exponents.b, 2 ** exponents.error];
    let [squaredA, squaredB, product, squaredError] = [0, 0, 0, 0];
    for (let i = 0; i < size; i++) {
      const [x, y] = [doubleAt(a, i), doubleAt(b, i)];
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      const [left, right] = [x * byA, y * byB];
      const error = byError < 1 ? x * byError - y * byError : (x - y + (rest?.[i] ?? 0)) * byError;
      squaredA += left * left;
      squaredB += right * right;
      product += left * right;
      squaredError += error * error;
    }
    this.squaredA.add(squaredA, -2 * exponents.a);
    this.squaredB.add(squaredB, -2 * exponents.b);
    this.product.add(product, -exponents.a - exponents.b);
    this.squaredError.add(squaredError, -2 * exponents.error);
  }
}

/**
 * If a block's sum of squares is within these bounds, it has not overflowed, and underflow has changed it by at most
 * one unit in the last place.
 */
const [least, most] = [2 ** -900, 2 ** 900];

export function isOrdinary(sum: number): boolean {
  return sum > least && sum < most;
}

interface Exponents {
  readonly a: number;
  readonly b: number;
  readonly error: number;
}

function scalesOf(a: Float64Array, b: Float64Array, size: number): Exponents {
  let [mostA, mostB, mostError] = [0, 0, 0];
  for (let i = 0; i < size; i++) {
    const [x, y] = [doubleAt(a, i), doubleAt(b, i)];
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    mostA = Math.max(mostA, Math.abs(x));
    mostB = Math.max(mostB, Math.abs(y));
    mostError = Math.max(mostError, Math.abs(x - y));
  }
  return { a: exponentFor(mostA), b: exponentFor(mostB), error: exponentFor(mostError) };
}

/**
 * Numbers are multiplied by a power of two before they are squared. Returns the exponent of that power for numbers
 * whose largest magnitude is `magnitude`.
 */
function exponentFor(magnitude: number): number {
  if (magnitude > 2 ** 440) return -scaleStep;
  return magnitude > 0 && magnitude < 2 ** -440 ? scaleStep : 0;
}
