/**
 * Tests the two ways in which the fast engine computes elementary functions, by comparing them with exact values. The
 * errors of the f64 series must stay below their bound. The exact computation must be correct to 53 bits, and must also
 * determine whether any bit below these is set.
 */
import { describe, expect, test } from 'vitest';
import { exactFunction } from '../../src/jit/arithmetic/elementary-exact.ts';
import { writeSeries } from '../../src/jit/arithmetic/elementary-series.ts';
import type { Elementary } from '../../src/jit/arithmetic/elementary-functions.ts';
import { Helpers } from '../../src/jit/helpers.ts';
import { bitLength, decode, type Finite, noTail, power } from '../../src/numerics/exact.ts';
import { transcendental } from '../../src/numerics/transcendental.ts';
import { randomBits } from './instructions.ts';

type OfBits = (bits: bigint) => bigint;

function compiled(fn: Elementary): { readonly series: OfBits; readonly exact: OfBits } {
  const helpers = new Helpers();
  const series = helpers.function('series', { parameters: ['i64'], results: ['i64'] }, (code) => {
    const value = code.local('f64');
    code.get(0).op('f64.reinterpret_i64').set(value);
    writeSeries(code, helpers, fn, value);
    code.op('i64.reinterpret_f64');
  });
  helpers.builder.export('series', series);
  helpers.builder.export('exact', exactFunction(helpers, fn));
  const module = new WebAssembly.Module(helpers.builder.encode());
  // The module imports functions that are not called in this test, so empty functions are sufficient.
  const imported = WebAssembly.Module.imports(module).filter(({ kind }) => kind === 'function');
  const functions = Object.fromEntries(imported.map(({ name }) => [name, (): void => undefined]));
  const env = { memory: new WebAssembly.Memory({ initial: 0 }), ...functions };
  const { exports } = new WebAssembly.Instance(module, { env });
  return exports as unknown as { series: OfBits; exact: OfBits };
}

const words = new DataView(new ArrayBuffer(8));

function singleOf(bits: bigint): number {
  words.setUint32(0, Number(bits));
  return words.getFloat32(0);
}

function bitsOf(value: number): bigint {
  words.setFloat64(0, value);
  return words.getBigUint64(0);
}

function valueOf(bits: bigint): number {
  words.setBigUint64(0, BigInt.asUintN(64, bits));
  return words.getFloat64(0);
}

/**
 * Converts a result to f64 with rounding to odd: if the result is not exact, the last bit of the f64 is set. The
 * significand of a result that is not exact must have at least 53 bits.
 */
function toOdd({ sign, significand, exponent, tail }: Finite): number {
  const lift = 53 - bitLength(significand);
  const whole = significand * power(lift);
  const odd = tail !== noTail && whole % 2 === 0 ? whole + 1 : whole;
  return (sign === 1 ? -odd : odd) * power(exponent - lift);
}

/**
 * Arguments of both signs with all exponents from `low` up to, but not including, `high`, and some at the ends of the
 * intervals in which the series are used.
 */
function argumentsFrom(low: number, high: number): readonly number[] {
  const numbers = randomBits(7n);
  const random = Array.from({ length: 3000 }, (_, i) => {
    const bits = numbers.next().value;
    const exponent = BigInt(127 + low + (i % (high - low)));
    return singleOf((bits & 0x807fffffn) | (exponent << 23n));
  });
  const turns = Array.from({ length: 200 }, (_, i) => Math.fround((i * Math.PI) / 4));
  const ends = [0.5, 1.5, 0.75, Math.fround(Math.SQRT2), Math.fround(Math.SQRT1_2), Math.fround(Math.LN2)];
  return [...random, ...turns, ...ends].filter((value) => Math.abs(value) >= 2 ** low && Math.abs(value) < 2 ** high);
}

describe.each<readonly [Elementary, low: number, high: number]>([
  ['sin', -12, 128],
  ['cos', -12, 128],
  ['ex2', -20, 7],
  ['tanh', -12, 4],
  ['lg2', -120, 128],
])('%s', (fn, low, high) => {
  const { series, exact } = compiled(fn);
  const values = argumentsFrom(low, high).map((value) => (fn === 'lg2' ? Math.abs(value) : value));
  const wanted = values.map((value) => transcendental(fn, decode('f64', bitsOf(value)) as Finite) as Finite);

  test('the relative error of the series is below 2^-46', () => {
    const wrong = values.filter((value, i) => {
      const true53 = toOdd(wanted[i] as Finite);
      return Math.abs(valueOf(series(bitsOf(value))) - true53) > Math.abs(true53) * 2 ** -46;
    });
    expect(wrong).toEqual([]);
  });

  test('the exact computation is correct to the last bit of an f64', () => {
    const wrong = values.filter((value, i) => {
      const isPower = fn === 'lg2' && Math.abs(Math.log2(value)) % 1 === 0;
      return !isPower && valueOf(exact(bitsOf(value))) !== toOdd(wanted[i] as Finite);
    });
    expect(wrong).toEqual([]);
  });
});
