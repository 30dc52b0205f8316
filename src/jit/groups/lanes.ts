/**
 * Operations on all lanes of a warp at once. The values of the lanes are stored as an array in the frame; functions
 * receive the address of the element for lane 0. A set of lanes is a word in which each lane has one bit; the lowest
 * bit belongs to lane 0.
 */
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import type { IntegerType } from '../regions/values.ts';
import { evenWords } from '../simd/word-shuffles.ts';

/** Number of four-word vectors that hold the values of a warp. */
export const quads: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

const memberBits = [1, 2, 4, 8] as const;

/**
 * Pushes a vector with one word for each of four lanes. The bits of a word are all ones if its lane belongs to the set
 * in the local `members`, and zeros otherwise.
 */
export function pushMembership(code: Code, members: number, quad: number): void {
  code
    .get(members)
    .i32(4 * quad)
    .op('i32.shr_u')
    .vector('i32x4.splat')
    .words(...memberBits)
    .vector('v128.and')
    .words(...memberBits)
    .vector('i32x4.eq');
}

/**
 * Pushes the set of lanes whose words are all ones. `push` is called once for each group of four lanes, and pushes a
 * vector of their words.
 */
export function pushLanes(code: Code, push: (quad: number) => unknown): void {
  quads.forEach((quad) => {
    push(quad);
    code.vector('i32x4.bitmask');
    if (quad > 0) {
      code
        .i32(4 * quad)
        .op('i32.shl')
        .op('i32.or');
    }
  });
}

/**
 * Returns the index of a function that takes an address and a value, and returns the set of lanes that have this value.
 */
export function lanesWith(helpers: Helpers, origin: number, type: IntegerType = 'i32'): number {
  return helpers.function(`lanes with ${type}`, { parameters: ['i32', type], results: ['i32'] }, (code) => {
    if (type === 'i64') {
      lanesWithPairs(code, origin);
      return;
    }
    const value = code.local('v128');
    code.get(1).vector('i32x4.splat').set(value);
    pushLanes(code, (quad) => {
      code
        .get(0)
        .vectorMemory('v128.load', origin + 16 * quad)
        .get(value)
        .vector('i32x4.eq');
    });
  });
}

function lanesWithPairs(code: Code, origin: number): void {
  const value = code.local('v128');
  code.get(1).vector('i64x2.splat').set(value);
  const equal = (pair: number): Code =>
    code
      .get(0)
      .vectorMemory('v128.load', origin + 16 * pair)
      .get(value)
      .vector('i64x2.eq');
  pushLanes(code, (quad) => {
    equal(2 * quad);
    equal(2 * quad + 1);
    code.shuffle(evenWords);
  });
}

/** Returns the index of a function that takes an address, and returns the set of lanes whose words are not negative. */
export function lanesNotNegative(helpers: Helpers, origin: number): number {
  return helpers.function('lanes not negative', { parameters: ['i32'], results: ['i32'] }, (code) => {
    pushLanes(code, (quad) => code.get(0).vectorMemory('v128.load', origin + 16 * quad));
    code.i32(-1).op('i32.xor');
  });
}

/**
 * Returns the index of a function that takes an address, a set of lanes and a word, and stores the word for each of
 * these lanes.
 */
export function giveLanes(helpers: Helpers, origin: number): number {
  const type = { parameters: ['i32', 'i32', 'i32'], results: [] } as const;
  return helpers.function('give lanes', type, (code) => {
    const value = code.local('v128');
    code.get(2).vector('i32x4.splat').set(value);
    for (const quad of quads) {
      const offset = origin + 16 * quad;
      code.get(0).get(value).get(0).vectorMemory('v128.load', offset);
      pushMembership(code, 1, quad);
      code.vector('v128.bitselect').vectorMemory('v128.store', offset);
    }
  });
}
