/**
 * Compares two streams block by block: sums the squares and products of their elements, even if these sums exceed the
 * range of f64.
 */
import { doubleAt } from '../../base/typed-reads.ts';
import { ScaledSum, scaleStep } from '../statistics/scaled-sum.ts';

/** Sums over all pairs of corresponding elements in which both elements are finite. */
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

  /** Adds the sums of a block that were computed in f64 without overflow or underflow. */
  add(squaredA: number, squaredB: number, product: number, squaredError: number): void {
    this.squaredA.add(squaredA);
    this.squaredB.add(squaredB);
    this.product.add(product);
    this.squaredError.add(squaredError);
  }

  /**
   * Adds the first `size` elements of both sides, each side scaled by a power of two that keeps its squares within f64.
   * If the numbers were rounded to f64, `rest` holds what must be added to their differences to get the exact a - b.
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

/** If a sum of squares over a block is within these bounds, it loses at most one unit in the last place. */
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

/** The exponent of the power of two by which numbers up to this magnitude are multiplied before they are squared. */
function exponentFor(magnitude: number): number {
  if (magnitude > 2 ** 440) return -scaleStep;
  return magnitude > 0 && magnitude < 2 ** -440 ? scaleStep : 0;
}
