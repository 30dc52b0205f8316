/**
 * Finds the level of detail from the derivatives of coordinates as an H200 does: with 10-bit numbers, with sums instead
 * of square roots, and with a table of logarithms (see the section on textures in docs/spec-questions.md).
 */
import { steps } from './coordinates.ts';
import { exponentOf, powerOfTwo } from './exponents.ts';

/** The weight of the last bit that remains when a nonzero number is truncated to its `bits` highest bits. */
function lastBit(value: number, bits: number): number {
  return powerOfTwo(exponentOf(value) + 1 - bits);
}

const precision = 10;

/** Truncates a number to its ten highest bits. */
function short(value: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const unit = lastBit(value, precision);
  return Math.trunc(value / unit) * unit;
}

/** The sum of two 10-bit numbers. The smaller number is truncated one bit below the last bit of the larger number. */
function shortSum(a: number, b: number): number {
  if (a === 0 || b === 0) return a + b;
  const unit = Math.max(lastBit(a, precision + 1), lastBit(b, precision + 1));
  return short((Math.trunc(a / unit) + Math.trunc(b / unit)) * unit);
}

/** Approximately 11/16 of a nonnegative 10-bit number. */
function elevenSixteenths(value: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const unit = lastBit(value, precision);
  return short((Math.floor((value / unit) * (11 / 8) + 0.5) / 2) * unit);
}

/** The approximate length of a vector. */
function lengthOf(x: number, y: number, z: number): number {
  const [a, b, c] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const most = Math.max(a, b, c);
  const least = Math.min(a, b, c);
  const middle = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  return short(most) + elevenSixteenths(short(middle)) / 2 + short(least) / 4;
}

/**
 * The indices at which the difference between the table of logarithms and a straight line grows by one step (`rises`)
 * or shrinks by one step (`falls`).
 */
const rises = [1, 2, 5, 7, 10, 12, 15, 18, 21, 24, 27, 30, 34, 38, 42, 46, 51, 56, 62, 68, 76, 87, 112];
const falls = [
  115, 141, 153, 162, 170, 178, 184, 190, 196, 201, 206, 211, 216, 220, 225, 229, 233, 237, 241, 245, 249, 252, 255,
];

/** The logarithm of `(256 + i) / 256`, in steps. */
const logarithms: Float64Array = Float64Array.from({ length: steps }, (_, i) => {
  const countUpTo = (list: readonly number[]): number => list.filter((at) => at <= i).length;
  return i + countUpTo(rises) - countUpTo(falls);
});

/** The binary logarithm of a positive number. */
function logarithm(value: number): number {
  const unit = lastBit(value, 1);
  const fraction = Math.floor((value / unit - 1) * steps);
  return exponentOf(value) + (logarithms[fraction] ?? 0) / steps;
}

/**
 * Returns the level for two vectors: by how many texels the coordinates change from one thread to the next along x, and
 * by how many they change along y. The sum and the difference of these vectors are also considered.
 */
export function levelOfVectors(vectors: Float64Array): number {
  const [x0 = 0, x1 = 0, x2 = 0, y0 = 0, y1 = 0, y2 = 0] = vectors;
  let most = Math.max(lengthOf(x0, x1, x2), lengthOf(y0, y1, y2));
  for (const sign of [1, -1]) {
    const along = (x: number, y: number): number => elevenSixteenths(Math.abs(shortSum(short(x), sign * short(y))));
    most = Math.max(most, lengthOf(along(x0, y0), along(x1, y1), along(x2, y2)));
  }
  return most === 0 ? Number.NEGATIVE_INFINITY : Number.isFinite(most) ? logarithm(most) : most;
}
