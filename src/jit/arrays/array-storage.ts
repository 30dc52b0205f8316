/**
 * Loads array elements from memory into four vectors of four words each, sixteen elements at a time, and stores them
 * back. Elements narrower than a byte are either densely packed, or each of them is stored in the low bits of its own
 * byte.
 */
import type { Code, Label } from '../../wasm/code.ts';
import { splat } from '../simd/vector-words.ts';

/** The layout of a format's elements in memory. Words and larger elements are little-endian. */
export interface Storage {
  /** Width of an element in bits. */
  readonly width: number;
  /** Whether elements of 2, 4 or 6 bits are packed without gaps. */
  readonly dense: boolean;
  /** Whether the first element of a packed byte is in its top bits; only for elements whose width divides 8. */
  readonly highFirst: boolean;
}

/** Describes elements in memory: the local that holds their address, and how they are stored. */
export interface StoredElements {
  readonly local: number;
  readonly storage: Storage;
}

/**
 * Describes where a group is read from and where it is written, and the label to branch to if the group needs the
 * slower path.
 */
export interface GroupAccess {
  readonly source: StoredElements;
  readonly target: StoredElements;
  readonly otherwise: Label;
}

/** Number of elements that are converted together. */
export const groupSize = 16;

/** Number of bits that each element occupies in memory. */
export function storedBits({ width, dense }: Storage): number {
  return dense ? width : Math.max(8, width);
}

/** Number of bytes that a group of sixteen elements occupies in memory. */
export function groupBytes(storage: Storage): number {
  return storedBits(storage) * (groupSize / 8);
}

/** Locals of four words each; the first holds elements 0 to 3. */
export type GroupLocals = readonly [number, number, number, number];

/**
 * Calls `push` four times. Each call pushes a vector that contains four elements of a group. Returns the locals that
 * hold the four vectors.
 */
export function groupOf(code: Code, push: (i: number) => void): GroupLocals {
  const made = (i: number): number => {
    push(i);
    const local = code.local('v128');
    code.set(local);
    return local;
  };
  return [made(0), made(1), made(2), made(3)];
}

/**
 * Loads sixteen elements from the address that the local `address` holds. The elements are at most 32 bits wide and are
 * zero-extended.
 */
export function loadGroup(code: Code, storage: Storage, address: number): GroupLocals {
  const locals = [code.local('v128'), code.local('v128'), code.local('v128'), code.local('v128')] as const;
  if (storage.width > 8) {
    const load = storage.width === 32 ? 'v128.load' : 'v128.load16x4_u';
    locals.forEach((local, i) => {
      code
        .get(address)
        .vectorMemory(load, (i * storage.width) / 2)
        .set(local);
    });
    return locals;
  }
  const bytes = loadBytes(code, storage, address);
  locals.forEach((local, i) => {
    code
      .get(bytes)
      .words(0, 0, 0, 0)
      .shuffle(words((lane) => [4 * i + lane, 16, 16, 16]))
      .set(local);
  });
  return locals;
}

/** Stores sixteen elements. */
export function storeGroup(code: Code, storage: Storage, address: number, [a, b, c, d]: GroupLocals): void {
  if (storage.width === 32) {
    [a, b, c, d].forEach((local, i) =>
      code
        .get(address)
        .get(local)
        .vectorMemory('v128.store', 16 * i),
    );
    return;
  }
  const halves = (low: number, high: number): Code => code.get(low).get(high).vector('i16x8.narrow_i32x4_u');
  if (storage.width === 16) {
    code.get(address);
    halves(a, b).vectorMemory('v128.store', 0);
    code.get(address);
    halves(c, d).vectorMemory('v128.store', 16);
    return;
  }
  code.get(address);
  halves(a, b);
  halves(c, d).vector('i8x16.narrow_i16x8_u');
  storeBytes(code, storage);
}

/** Returns a local that holds sixteen elements of at most 8 bits, one per byte. */
export function loadBytes(code: Code, storage: Storage, address: number): number {
  const bytes = code.local('v128');
  code.get(address).vectorMemory('v128.load', 0).set(bytes);
  if (!storage.dense) {
    if (storage.width < 8) maskBytes(code.get(bytes), storage.width).set(bytes);
    return bytes;
  }
  const taken = storage.width / 2;
  code
    .get(bytes)
    .words(0, 0, 0, 0)
    .shuffle(words((lane) => [0, 1, 2, 3].map((i) => (i < taken ? taken * lane + i : 16))))
    .set(bytes);
  // Each word now holds four packed elements, which are moved to separate bytes.
  spread(code, storage.width, bytes, 'i32x4.shl', (mask, i) => mask << (8 * i));
  if (storage.highFirst) swapOrder(code.tee(bytes).get(bytes), storage.width);
  code.set(bytes);
  return bytes;
}

/**
 * Pops a vector of sixteen bytes and then an address from the stack, and stores the bytes at that address. For dense
 * storage, packs the bytes first.
 */
export function storeBytes(code: Code, storage: Storage): void {
  if (storage.dense) storeDense(code, storage);
  else code.vectorMemory('v128.store', 0);
}

function storeDense(code: Code, { width, highFirst }: Storage): void {
  const [address, bytes] = [code.local('i32'), code.local('v128')];
  code.set(bytes).set(address);
  if (highFirst) swapOrder(code.get(bytes).get(bytes), width).set(bytes);
  if (width === 4) joinNibbles(code, bytes);
  else joinWords(code, width, bytes);
  code.set(bytes);
  if (width > 2) code.get(address).get(bytes).laneMemory('v128.store64_lane', 0);
  if (width === 4) return;
  const first = width === 2 ? 0 : 8;
  code
    .get(address)
    .get(bytes)
    .laneMemory('v128.store32_lane', first, first / 4);
}

/**
 * Packs each pair of 4-bit elements into one byte. The eight packed bytes are in the lower half of the pushed vector.
 */
function joinNibbles(code: Code, bytes: number): void {
  code.get(bytes).get(bytes).i32(4).vector('i16x8.shr_u', 'v128.or');
  splat(code, 0x00ff00ff).vector('v128.and').tee(bytes).get(bytes).vector('i8x16.narrow_i16x8_u');
}

/**
 * Packs the elements without gaps: first the four elements of each word, and then the packed words one after the other.
 * Pushes the result.
 */
function joinWords(code: Code, width: number, bytes: number): void {
  spread(code, width, bytes, 'i32x4.shr_u', (mask, i) => mask << (width * i));
  const taken = width / 2;
  code.words(0, 0, 0, 0);
  code.shuffle(Array.from({ length: 16 }, (_, i) => (i < 4 * taken ? 4 * Math.floor(i / taken) + (i % taken) : 16)));
}

function maskBytes(code: Code, width: number): Code {
  return splat(code, (2 ** width - 1) * 0x01010101).vector('v128.and');
}

/**
 * In each word, moves four elements from their packed positions to separate bytes, or from separate bytes to their
 * packed positions, and pushes the result.
 */
function spread(
  code: Code,
  width: number,
  bytes: number,
  op: 'i32x4.shl' | 'i32x4.shr_u',
  maskOf: (mask: number, i: number) => number,
): void {
  for (let i = 0; i < 4; i++) {
    code.get(bytes);
    if (i > 0) code.i32((8 - width) * i).vector(op);
    splat(code, maskOf(2 ** width - 1, i)).vector('v128.and');
    if (i > 0) code.vector('v128.or');
  }
}

/**
 * Reverses the order of the elements that belong to the same byte in packed form. The caller must have pushed the
 * vector of bytes twice, because a shuffle takes two vectors.
 */
function swapOrder(code: Code, width: number): Code {
  const each = 8 / width;
  return code.shuffle(Array.from({ length: 16 }, (_, i) => i - (i % each) + (each - 1 - (i % each))));
}

function words(bytesOf: (lane: number) => readonly number[]): readonly number[] {
  return [0, 1, 2, 3].flatMap(bytesOf);
}
