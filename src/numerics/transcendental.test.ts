/**
 * Tests elementary functions: compares their fixed-point results with those computed to more places, and their rounded
 * results with doubles.
 */
import { describe, expect, test } from 'vitest';
import { floatOperation } from './arithmetic.ts';
import { constants, cosine, exponential, logarithm, sine, slackBits } from './fixed-point.ts';
import type { FloatMode } from './operations.ts';

describe('fixed point', () => {
  test('pi / 2 and ln 2 are correct to 128 places', () => {
    const { ln2, quarterTurn } = constants(256n);
    expect((ln2 >> 128n).toString(16)).toBe('b17217f7d1cf79abc9e3b39803f2f6af');
    expect((quarterTurn >> 127n).toString(16)).toBe('3243f6a8885a308d313198a2e03707344');
  });

  const series = { exponential, logarithm, sine, cosine };

  test.each(Object.entries(series))('%s stays within its error bound', (name, compute) => {
    for (let i = 1n; i < 40n; i++) {
      const x = name === 'logarithm' ? (1n << 127n) + (i << 121n) + i : (i << 122n) + 7n * i;
      for (const places of [128n, 192n, 640n]) {
        const coarse = compute(x << (places - 128n), places);
        const fine = compute(x << (2000n - 128n), 2000n) >> (2000n - places);
        const error = coarse > fine ? coarse - fine : fine - coarse;
        expect(error < 1n << slackBits, `${i} at ${places}`).toBe(true);
      }
    }
  });
});

const view = new DataView(new ArrayBuffer(4));

function bitsOf(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

function valueOf(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

const mode: FloatMode = { rounding: 'rn', flush: false, sat: false, approximate: true, nan: false, xorSign: false };

const models = { sin: Math.sin, cos: Math.cos, lg2: Math.log2, ex2: (x: number) => 2 ** x, tanh: Math.tanh } as const;
const names = Object.keys(models) as (keyof typeof models)[];

/** Values of both signs, spread over all magnitudes from 2^-126 to 2^127. */
function* samples(): Generator<number> {
  for (let bits = 0x00800000; bits < 0x7f800000; bits += 0x0012d687) {
    yield bits;
    yield bits + 0x80000000;
  }
}

describe('rounded to f32', () => {
  test.each(names)('%s is the nearest float to the value', (name) => {
    const compute = floatOperation(name, 'f32', mode);
    for (const bits of samples()) {
      const wanted = models[name](valueOf(bits));
      if (Number.isNaN(wanted)) {
        expect(compute(bits, 0, 0)).toBe(0x7fffffff);
        continue;
      }
      const found = valueOf(compute(bits, 0, 0) as number);
      const nearest = Math.fround(wanted);
      // The double `wanted` has an error of about one ulp. If it is very close to the midpoint between two floats,
      // either of them may be the correct result.
      const beyond = Math.fround(wanted * (1 + 2 ** -50)) === found || Math.fround(wanted * (1 - 2 ** -50)) === found;
      expect(found === nearest || beyond, `${name} ${bits.toString(16)}`).toBe(true);
    }
  });

  const inf = 0x7f800000;
  const ends: readonly (readonly [name: keyof typeof models, input: number, result: number])[] = [
    ['sin', 0x80000000, 0x80000000],
    ['sin', 0x80000001, 0x80000000],
    ['sin', inf, 0x7fffffff],
    ['cos', 1, bitsOf(1)],
    ['cos', 0x80000000, bitsOf(1)],
    ['cos', inf + 0x80000000, 0x7fffffff],
    ['lg2', 0, 0xff800000],
    ['lg2', 0x80000000, 0xff800000],
    ['lg2', 0x80000001, 0x7fffffff],
    ['lg2', 1, bitsOf(-149)],
    ['lg2', bitsOf(1), 0],
    ['lg2', inf, inf],
    ['ex2', inf + 0x80000000, 0],
    ['ex2', inf, inf],
    ['ex2', bitsOf(128), inf],
    ['ex2', bitsOf(-149), 1],
    ['ex2', bitsOf(-150), 0],
    ['ex2', bitsOf(-149.5), 1],
    ['ex2', 0x80000001, bitsOf(1)],
    ['tanh', 0x80000000, 0x80000000],
    ['tanh', 5, 5],
    ['tanh', inf + 0x80000000, bitsOf(-1)],
    ['tanh', bitsOf(1e30), bitsOf(1)],
    ['tanh', 0x7fc00001, 0x7fffffff],
  ];
  test.each(ends)('%s of %d is %d', (name, input, result) => {
    expect(floatOperation(name, 'f32', mode)(input, 0, 0)).toBe(result);
  });

  test('all bits of the result for the float nearest to a multiple of pi / 2 are correct', () => {
    // The angle 16367173 * 2^72 differs from an odd multiple of pi / 2 by only 1.6e-9, so the subtraction of the
    // multiple cancels many leading bits.
    const cosineOf = floatOperation('cos', 'f32', mode);
    expect(valueOf(cosineOf(bitsOf(16367173 * 2 ** 72), 0, 0) as number)).toBe(
      Math.fround(Math.cos(16367173 * 2 ** 72)),
    );
    expect(Math.abs(Math.cos(16367173 * 2 ** 72))).toBeLessThan(2e-9);
  });
});
