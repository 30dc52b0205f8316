/**
 * Loads and stores the elements of four threads. The elements are either consecutive in memory or at a separate address
 * for each thread.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Code } from '../../wasm/code.ts';
import type { ScatteredAccess } from './scattered-access.ts';
import type { VectorLowering } from './vector-lowering.ts';
import { type Vector } from './vectors.ts';
import { wordsAt } from './word-shuffles.ts';

/** Loads consecutive elements of the four threads, as one vector for each element. */
export function loadVectors(
  { width, count }: ScatteredAccess,
  at: number,
  offset: number,
  lowering: VectorLowering,
): Vector[] {
  const { code, vectors, scalar } = lowering;
  const origin = scalar.layout.origin + offset;
  const vector = (push: () => unknown): number => {
    const local = vectors.temporary();
    push();
    code.set(local);
    return local;
  };
  const part = (i: number): number => vector(() => code.get(at).vectorMemory('v128.load', origin + 16 * i));
  if (width === 64) return [{ type: 'i64', locals: [part(0), part(1)] }];
  const word = (local: number): Vector => ({ type: 'i32', locals: [local] });
  if (width === 16) return [word(vector(() => code.get(at).vectorMemory('v128.load16x4_u', origin)))];
  if (width === 8) {
    const bytes = (): Code => code.get(at).vectorMemory('v128.load32_zero', origin);
    return [word(vector(() => bytes().vector('i16x8.extend_low_i8x16_u', 'i32x4.extend_low_i16x8_u')))];
  }
  const parts = Array.from({ length: count }, (_, i) => part(i));
  return transposed(parts, vector, code).map(word);
}

/** Loads the elements of each thread from the thread's own address. */
export function loadLanes(
  { width, count }: ScatteredAccess,
  at: readonly number[],
  offset: number,
  results: readonly number[],
  { code, scalar }: VectorLowering,
): void {
  const opcode = laneOpcode('load', width);
  for (let element = 0; element < count; element++) {
    const vectors = results.slice(element * (width > 32 ? 2 : 1));
    at.forEach((address, lane) => {
      const [vector, index] = laneIn(vectors, width, lane);
      const place = scalar.layout.origin + offset + (element * width) / 8;
      code.get(address);
      if (index === 0 && width >= 32) code.vectorMemory(width === 32 ? 'v128.load32_zero' : 'v128.load64_zero', place);
      else if (index === 0) code.words(0, 0, 0, 0).laneMemory(opcode, place, 0);
      else code.get(vector).laneMemory(opcode, place, index);
      code.set(vector);
    });
  }
}

export function storeLanes(
  { width, count }: ScatteredAccess,
  at: readonly number[],
  offset: number,
  values: readonly number[],
  { code, scalar }: VectorLowering,
): void {
  const opcode = laneOpcode('store', width);
  at.forEach((address, lane) => {
    for (let element = 0; element < count; element++) {
      const [vector, index] = laneIn(values.slice(element * (width > 32 ? 2 : 1)), width, lane);
      code
        .get(address)
        .get(vector)
        .laneMemory(opcode, scalar.layout.origin + offset + (element * width) / 8, index);
    }
  });
}

/**
 * Returns the vector that holds a thread's element, and the index of the lane that contains it if the vector is divided
 * into lanes of the given width.
 */
function laneIn([low = -1, high = -1]: readonly number[], width: number, lane: number): readonly [number, number] {
  return width > 32 ? [lane < 2 ? low : high, lane & 1] : [low, (lane * 32) / width];
}

function laneOpcode<Kind extends 'load' | 'store'>(kind: Kind, width: number): `v128.${Kind}${8 | 16 | 32 | 64}_lane` {
  if (width !== 8 && width !== 16 && width !== 32 && width !== 64)
    throw new Error(`there are no elements of ${width} bits`);
  return `v128.${kind}${width}_lane`;
}

export function storeVectors(
  { width }: ScatteredAccess,
  at: number,
  offset: number,
  values: readonly Vector[],
  { code, vectors, scalar }: VectorLowering,
): void {
  const origin = scalar.layout.origin + offset;
  const value = elementAt(values, 0);
  if (width === 64) {
    value.locals.forEach((local, i) =>
      code
        .get(at)
        .get(local)
        .vectorMemory('v128.store', origin + 16 * i),
    );
    return;
  }
  const [words] = value.locals;
  if (width === 16 || width === 8) {
    code.get(at).get(words).get(words).vector('i16x8.narrow_i32x4_u');
    if (width === 8) {
      const halves = vectors.temporary();
      code.set(halves).get(halves).get(halves).vector('i8x16.narrow_i16x8_u');
    }
    code.laneMemory(width === 16 ? 'v128.store64_lane' : 'v128.store32_lane', origin);
    return;
  }
  const vector = (push: () => unknown): number => {
    const local = vectors.temporary();
    push();
    code.set(local);
    return local;
  };
  const parts = interleaved(
    values.map(({ locals }) => locals[0]),
    vector,
    code,
  );
  parts.forEach((local, i) =>
    code
      .get(at)
      .get(local)
      .vectorMemory('v128.store', origin + 16 * i),
  );
}

type Make = (push: () => unknown) => number;

/**
 * Transposes vectors. Each of the given vectors holds the words of one thread. In the result, the first vector holds
 * the first word of every thread, the second vector holds the second word of every thread, and so on.
 */
function transposed(parts: readonly number[], make: Make, code: Code): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const mix = (one: number, other: number, words: readonly number[]): number =>
    make(() =>
      code
        .get(one)
        .get(other)
        .shuffle(wordsAt(...words)),
    );
  if (parts.length === 1) return parts;
  if (parts.length === 2) return [mix(a, b, [0, 2, 4, 6]), mix(a, b, [1, 3, 5, 7])];
  const [ab, cd] = [mix(a, b, [0, 4, 1, 5]), mix(c, d, [0, 4, 1, 5])];
  const [abHigh, cdHigh] = [mix(a, b, [2, 6, 3, 7]), mix(c, d, [2, 6, 3, 7])];
  return [
    mix(ab, cd, [0, 1, 4, 5]),
    mix(ab, cd, [2, 3, 6, 7]),
    mix(abHigh, cdHigh, [0, 1, 4, 5]),
    mix(abHigh, cdHigh, [2, 3, 6, 7]),
  ];
}

/** The inverse of `transposed`. */
function interleaved(values: readonly number[], make: Make, code: Code): readonly number[] {
  const [a = 0, b = 0] = values;
  if (values.length !== 2) return transposed(values, make, code);
  const mix = (words: readonly number[]): number =>
    make(() =>
      code
        .get(a)
        .get(b)
        .shuffle(wordsAt(...words)),
    );
  return [mix([0, 4, 1, 5]), mix([2, 6, 3, 7])];
}
