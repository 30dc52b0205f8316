/** Tests the unrounded results of the kernels: their significand, exponent and tail must describe the exact result. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finite, finite, noTail } from './exact.ts';
import { type Kernel, narrow, wide } from './kernels.ts';

const unit = 3000;

function unitsOf(value: Finite): bigint {
  const magnitude = BigInt(value.significand) << BigInt(value.exponent + unit);
  return value.sign === 1 ? -magnitude : magnitude;
}

/**
 * Whether the exact magnitude is in the interval that the significand and tail of the result describe. `compare(n)`
 * returns the sign of the difference between the exact magnitude and n * h, where h is half a unit in the last place of
 * the result.
 */
function isAt(result: Finite, compare: (halves: bigint) => number): boolean {
  const low = compare(BigInt(result.significand) * 2n);
  const middle = compare(BigInt(result.significand) * 2n + 1n);
  const high = compare(BigInt(result.significand) * 2n + 2n);
  switch (result.tail) {
    case 0:
      return low === 0;
    case 1:
      return low > 0 && middle < 0;
    case 2:
      return middle === 0;
    case 3:
      return middle > 0 && high < 0;
  }
}

function order(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/**
 * Generates values of up to `bits` bits, some with exponents that are close together and some with exponents that are
 * far apart.
 */
function values(bits: number): fc.Arbitrary<Finite> {
  const significand = fc
    .integer({ min: 1, max: bits })
    .chain((width) => fc.maxSafeNat().map((n) => (n % 2 ** width) + 1));
  const exponent = fc.oneof(fc.integer({ min: -60, max: 60 }), fc.integer({ min: -500, max: 500 }));
  return fc
    .tuple(fc.constantFrom(0 as const, 1 as const), significand, exponent)
    .map(([sign, n, e]) => finite(sign, Math.min(n, 2 ** bits - 1), e, noTail));
}

const kernels: readonly (readonly [string, Kernel, number])[] = [
  ['narrow', narrow, 24],
  ['wide', wide, 53],
];

describe.each(kernels)('the %s kernel', (_, kernel, bits) => {
  const operand = values(bits);

  function checkSum(sum: Finite | null, exact: bigint): void {
    if (sum === null) {
      expect(exact).toBe(0n);
      return;
    }
    expect(sum.sign).toBe(exact < 0n ? 1 : 0);
    const half = 1n << BigInt(sum.exponent + unit - 1);
    expect(isAt(sum, (halves) => order(magnitudeOf(exact) - halves * half))).toBe(true);
  }

  it('adds', () => {
    fc.assert(
      fc.property(operand, operand, (a, b) => checkSum(kernel.add(a, b), unitsOf(a) + unitsOf(b))),
      { numRuns: 3000 },
    );
  });

  it('multiplies and adds', () => {
    const exactly = (a: Finite, b: Finite, c: Finite): bigint =>
      ((unitsOf(a) * unitsOf(b)) >> BigInt(unit)) + unitsOf(c);
    fc.assert(
      fc.property(operand, operand, operand, (a, b, c) => checkSum(kernel.fma(a, b, c), exactly(a, b, c))),
      { numRuns: 3000 },
    );
  });

  it('multiplies', () => {
    fc.assert(
      fc.property(operand, operand, (a, b) =>
        checkSum(kernel.multiply(a, b), (unitsOf(a) * unitsOf(b)) >> BigInt(unit)),
      ),
    );
  });

  it('divides', () => {
    fc.assert(
      fc.property(operand, operand, (a, b) => {
        const quotient = kernel.divide(a, b);
        const [n, d] = [magnitudeOf(unitsOf(a)), magnitudeOf(unitsOf(b))];
        const half = 1n << BigInt(quotient.exponent + unit - 1);
        expect(quotient.sign).toBe(a.sign ^ b.sign);
        expect(isAt(quotient, (halves) => order((n << BigInt(unit)) - halves * half * d))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes roots', () => {
    const squares = fc.integer({ min: 1, max: 2 ** 12 - 1 }).map((n) => finite(0, n * n, 0, noTail));
    // The square root of n * (n + 1) is slightly less than n + 1/2, so its tail is just below one half.
    const nearHalves = fc.integer({ min: 1, max: 2 ** 12 - 2 }).map((n) => finite(0, n * (n + 1), 0, noTail));
    fc.assert(
      fc.property(fc.oneof(operand, squares, nearHalves), (a) => {
        const root = kernel.squareRoot(a);
        const half = 1n << BigInt(root.exponent + unit - 1);
        const square = magnitudeOf(unitsOf(a)) << BigInt(unit);
        expect(isAt(root, (halves) => order(square - (halves * half) ** 2n))).toBe(true);
        const inverse = kernel.reciprocalRoot(a);
        const part = 1n << BigInt(inverse.exponent + unit - 1);
        const product = (halves: bigint): bigint => (halves * part) ** 2n * magnitudeOf(unitsOf(a));
        expect(isAt(inverse, (halves) => order((1n << BigInt(unit * 3)) - product(halves)))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
