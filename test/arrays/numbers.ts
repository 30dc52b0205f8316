/** Arrays to quantize. */
import { filled } from '../filled.ts';

/** A repeatable sequence of random numbers (xorshift). */
function randomWords(count: number, seed: number): Uint32Array {
  let state = seed;
  return filled(new Uint32Array(count), () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  });
}

/** f32 values whose magnitudes differ by several powers of two, so that quantizing them in blocks loses precision. */
export function moderate(count: number, seed: number): Float32Array {
  const words = randomWords(count, seed);
  return filled(new Float32Array(count), (i) => {
    const word = words[i] ?? 0;
    return ((word % 20001) - 10000) * 2 ** -((word >>> 20) % 12);
  });
}

export function anyBits(count: number, seed: number): Float32Array {
  return new Float32Array(randomWords(count, seed).buffer);
}

export const special = Float32Array.of(
  0,
  -0,
  1,
  -1,
  1e-45,
  -1e-45,
  2 ** -126,
  2 ** -127,
  3.4028234663852886e38,
  -3.4028234663852886e38,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
  448,
  464,
  6,
  7,
  7.5,
  28,
  57344,
  0.5,
  0.25,
);

/** The first index at which two arrays differ; -1 if they are equal. */
export function difference(a: Uint8Array | Float32Array, b: Uint8Array | Float32Array): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  return a.findIndex((value, i) => !Object.is(value, b[i]));
}
