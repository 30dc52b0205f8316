/**
 * Counts, reverses, finds, looks up and permutes bits: popc, clz, brev, fns, lop3 and prmt (sections 9.7.1 and 9.7.8 of
 * PTX ISA 9.1).
 */
import { onBigints, onNumbers } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import type { Operation, PermuteFunction } from './operations.ts';

const low32 = (bits: bigint): number => Number(bits & 0xffffffffn);
const high32 = (bits: bigint): number => Number(bits >> 32n);

function countOnes(word: number): number {
  let pairs = word - ((word >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function reverse(word: number): number {
  let bits = ((word >>> 1) & 0x55555555) | ((word & 0x55555555) << 1);
  bits = ((bits >>> 2) & 0x33333333) | ((bits & 0x33333333) << 2);
  bits = ((bits >>> 4) & 0x0f0f0f0f) | ((bits & 0x0f0f0f0f) << 4);
  bits = ((bits >>> 8) & 0x00ff00ff) | ((bits & 0x00ff00ff) << 8);
  return ((bits >>> 16) | (bits << 16)) >>> 0;
}

/**
 * `popc` counts the bits that are set, and `clz` counts the zeros above the highest bit that is set. The result is a
 * `number` even if the operand is a bigint.
 */
export function bitCounting(fn: 'popc' | 'clz', width: number): Operation {
  if (width > 32) {
    if (fn === 'popc') return onBigints((a) => countOnes(low32(a)) + countOnes(high32(a)));
    return onBigints((a) => {
      const above = Math.clz32(high32(a));
      return above < 32 ? above : 32 + Math.clz32(low32(a));
    });
  }
  return onNumbers(fn === 'popc' ? countOnes : (a) => Math.clz32(a) - (32 - width));
}

/** Reverses the order of the bits: bit `i` moves to position `width - 1 - i`. */
export function reversal(width: number): Operation {
  if (width === 32) return onNumbers(reverse);
  return onBigints((a) => (BigInt(reverse(low32(a))) << 32n) | BigInt(reverse(high32(a))));
}

/**
 * The position of the |n|-th set bit in a mask. The search starts at bit `base` and goes upward if n is positive,
 * downward if n is negative. If n is 0, only bit `base` is examined. If there is no such bit, the result is 0xffffffff.
 */
export function setBitFinder(mask: number, base: number, n: number): number {
  const offset = n | 0;
  const step = offset < 0 ? -1 : 1;
  let missing = offset === 0 ? 1 : Math.abs(offset);
  for (let place = base; place >= 0 && place < 32; place += step) {
    if (((mask >>> place) & 1) === 1) missing--;
    if (missing === 0) return place;
    if (offset === 0) break;
  }
  return 0xffffffff;
}

/**
 * At each position, the bits of a, b and c form a number n from 0 to 7, in which the bit of a is the highest. The bit
 * of the result at this position is bit n of `table`.
 */
export function lookUp(x: number, y: number, z: number, table = 0): number {
  let found = 0;
  for (let row = 0; row < 8; row++) {
    if (((table >>> row) & 1) === 0) continue;
    found |= ((row & 4) === 0 ? ~x : x) & ((row & 2) === 0 ? ~y : y) & ((row & 1) === 0 ? ~z : z);
  }
  return found >>> 0;
}

/**
 * For each mode, one entry for each value of the selector (0 to 3). An entry has four hex digits, one for each byte of
 * the result, with the digit for the lowest byte last. Each digit is the number of the source byte.
 */
const choices: Readonly<Record<Exclude<PermuteFunction, 'prmt'>, readonly number[]>> = {
  'prmt.f4e': [0x3210, 0x4321, 0x5432, 0x6543],
  'prmt.b4e': [0x5670, 0x6701, 0x7012, 0x0123],
  'prmt.rc8': [0x0000, 0x1111, 0x2222, 0x3333],
  'prmt.ecl': [0x3210, 0x3211, 0x3222, 0x3333],
  'prmt.ecr': [0x0000, 0x1110, 0x2210, 0x3210],
  'prmt.rc16': [0x1010, 0x3232, 0x1010, 0x3232],
};

/**
 * Selects four of the eight bytes of b:a. If there is no mode, each nibble of c selects one byte. If the highest bit of
 * the nibble is set, each bit of the result byte is the sign bit of the selected byte.
 */
export function permutation(fn: PermuteFunction): Operation {
  if (fn === 'prmt') return onNumbers(permute);
  const rows = choices[fn];
  return onNumbers((a, b, c) => permute(a, b, elementAt(rows, c & 3)));
}

function permute(a: number, b: number, selector: number): number {
  let result = 0;
  for (let place = 0; place < 4; place++) {
    const nibble = (selector >>> (place * 4)) & 15;
    const byte = ((nibble & 4) === 0 ? a : b) >>> ((nibble & 3) * 8);
    const value = (nibble & 8) === 0 ? byte & 0xff : (byte & 0x80) === 0 ? 0 : 0xff;
    result |= value << (place * 8);
  }
  return result >>> 0;
}
