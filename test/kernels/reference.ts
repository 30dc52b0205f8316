/**
 * A second implementation of the arithmetic that the kernels in examples/kernels perform. Its functions operate on
 * JavaScript numbers and do not use any code from src. All numbers are f64; `f32` rounds a number to the nearest f32
 * with Math.fround.
 */
import { mulberry32 } from '../mulberry32.ts';

export const f32: (x: number) => number = Math.fround;

/** Deterministic random numbers from 0 up to, but not including, 1. */
export function randomSource(seed: number): () => number {
  const bits = mulberry32(seed);
  return () => bits() / 2 ** 32;
}

/** f32 values with mixed magnitudes and signs. About one in ten is 0. */
export function values(count: number, seed: number): Float32Array {
  const random = randomSource(seed);
  return Float32Array.from({ length: count }, () => {
    if (random() < 0.1) return 0;
    return (random() * 2 - 1) * 2 ** Math.floor(random() * 20 - 10);
  });
}

/**
 * Computes a * b + c for f32 values with a single rounding. The product is exact in f64; an inexact sum is rounded to
 * odd, so that rounding it once more to f32 gives the correct result.
 */
export function fma(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  const back = sum - product;
  const error = product - (sum - back) + (c - back);
  if (error === 0 || !Number.isFinite(sum)) return f32(sum);
  const bits = new BigInt64Array(Float64Array.of(sum).buffer);
  const pattern = bits[0] as bigint;
  if ((pattern & 1n) === 0n) bits[0] = pattern + (error > 0 === sum > 0 ? 1n : -1n);
  return f32(new Float64Array(bits.buffer)[0] as number);
}

/**
 * A small float format without infinities. The format is described by the magnitudes that its codes represent, in
 * ascending order, beginning with zero.
 */
export interface SmallFormat {
  readonly bits: number;
  readonly magnitudes: readonly number[];
}

function smallFormat(bits: number, fractionBits: number, bias: number, codes: number): SmallFormat {
  const magnitudes = Array.from({ length: codes }, (_, code) => {
    const exponent = code >> fractionBits;
    const fraction = (code & (2 ** fractionBits - 1)) / 2 ** fractionBits;
    return exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
  });
  return { bits, magnitudes };
}

/** The code 0x7f is NaN, so 0x7e is the code of the largest value. */
export const e4m3: SmallFormat = smallFormat(8, 3, 7, 0x7f);
export const e2m3: SmallFormat = smallFormat(6, 3, 1, 0x20);
export const e2m1: SmallFormat = smallFormat(4, 1, 1, 0x8);
/** Finite values only. */
export const f16: SmallFormat = smallFormat(16, 10, 15, 0x7c00);

/** Returns the index of the largest magnitude of the format that does not exceed x. */
function floorCode({ magnitudes }: SmallFormat, x: number): number {
  let low = 0;
  let high = magnitudes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((magnitudes[middle] as number) <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

function withSign(format: SmallFormat, code: number, x: number): number {
  return x < 0 || Object.is(x, -0) ? code | (1 << (format.bits - 1)) : code;
}

/** The nearest code. Ties go to the even code, and values that are too large become the largest code. */
export function encode(format: SmallFormat, x: number): number {
  const size = Math.abs(x);
  const low = floorCode(format, size);
  const below = format.magnitudes[low] as number;
  const above = format.magnitudes[low + 1];
  if (above === undefined) return withSign(format, low, x);
  const up = size - below > above - size || (size - below === above - size && low % 2 === 1);
  return withSign(format, up ? low + 1 : low, x);
}

/**
 * Rounds stochastically: up if the discarded part plus `random / 2^count` is at least 1, where 1 is the distance
 * between adjacent codes.
 */
export function encodeStochastic(format: SmallFormat, x: number, random: number, count: number): number {
  const size = Math.abs(x);
  const low = floorCode(format, size);
  const below = format.magnitudes[low] as number;
  const above = format.magnitudes[low + 1];
  if (above === undefined) return withSign(format, low, x);
  const up = (size - below) / (above - below) + random / 2 ** count >= 1;
  return withSign(format, up ? low + 1 : low, x);
}

export function decode(format: SmallFormat, code: number): number {
  const sign = code >> (format.bits - 1) === 1 ? -1 : 1;
  return sign * (format.magnitudes[code & (2 ** (format.bits - 1) - 1)] as number);
}

/** Nearest integer, ties to even. */
export function roundEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  if (rest > 0.5 || (rest === 0.5 && low % 2 !== 0)) return low + 1;
  return low;
}
