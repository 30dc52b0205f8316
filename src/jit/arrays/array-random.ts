/**
 * Generates random bits for `.rs` conversions of arrays. As in PTX instructions, two or four elements share a random
 * word. `randomWord` computes each word of the stream from the seed and the word's index, so the random bits of an
 * element depend only on the seed and the element's index.
 */
import type { Code } from '../../wasm/code.ts';
import { shift, splat } from '../simd/vector-words.ts';

/**
 * How elements share a random word: the number of bits that each element gets, and where these bits are in the word,
 * starting with the first element.
 */
export interface RandomLayout {
  readonly bits: number;
  /** Position of each element's lowest random bit, a multiple of 8. */
  readonly low: readonly number[];
}

/**
 * Constants of a 32-bit permutation, `lowbias32` from the "hash prospector" by Chris Wellons. It is applied twice, each
 * time with a key that depends on the seed.
 */
const rounds = [
  [16, 0x7feb352d],
  [15, 0x846ca68b],
] as const;
const lastShift = 16;

/** Returns the two keys for the given seed and for indices whose upper 32 bits are `high`. */
export function seedKeys(seed: bigint, high: number): readonly [number, number] {
  const [low, top] = [Number(BigInt.asUintN(32, seed)), Number(BigInt.asUintN(32, seed >> 32n))];
  const first = permute((permute(low) ^ top) >>> 0);
  return [(first ^ permute(high)) >>> 0, permute((first + 0x9e3779b9) >>> 0)];
}

/**
 * Returns one word of the random stream. The two keys (see `seedKeys`) identify the stream, and `index` is the low 32
 * bits of the word's index.
 */
export function randomWord(index: number, [first, second]: readonly [number, number]): number {
  return permute((permute((index ^ first) >>> 0) + second) >>> 0);
}

function permute(word: number): number {
  let bits = word;
  for (const [count, factor] of rounds) bits = Math.imul(bits ^ (bits >>> count), factor);
  return (bits ^ (bits >>> lastShift)) >>> 0;
}

/** Pushes the words for the four indices in `indices`. `keys` are locals that hold four copies of each key. */
export function pushRandomWords(code: Code, indices: number, keys: readonly [number, number]): void {
  code.get(indices).get(keys[0]).vector('v128.xor');
  pushPermuted(code);
  code.get(keys[1]).vector('i32x4.add');
  pushPermuted(code);
}

function pushPermuted(code: Code): void {
  const bits = code.local('v128');
  for (const [count, factor] of rounds) {
    shift(code.tee(bits).get(bits), 'i32x4.shr_u', count).vector('v128.xor');
    splat(code, factor).vector('i32x4.mul');
  }
  shift(code.tee(bits).get(bits), 'i32x4.shr_u', lastShift).vector('v128.xor');
}

/**
 * Pushes the random bits of elements 4i to 4i + 3 in the low bits of four words, given the words that the elements
 * share.
 */
export function pushLaneBits(code: Code, { bits, low }: RandomLayout, shared: number, i: number): void {
  const wordOf = (element: number): number => {
    const [word, lane] = [Math.floor(element / low.length) % 4, element % low.length];
    const first = 4 * word + (low[lane] ?? 0) / 8;
    return first | ((bits > 8 ? first + 1 : noByte) << 8) | (noByte << 16) | (noByte << 24);
  };
  code.get(shared).words(wordOf(4 * i), wordOf(4 * i + 1), wordOf(4 * i + 2), wordOf(4 * i + 3));
  code.vector('i8x16.swizzle');
}

/** A byte index that is out of range, for which a swizzle produces a zero byte. */
const noByte = 0x80;
