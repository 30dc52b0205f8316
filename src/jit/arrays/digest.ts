/**
 * The digest of a sequence of words: the body of MurmurHash3_x86_32 from state 0, without the finalizer. There are two
 * versions: generated instructions for one or four sequences at a time, and a JavaScript function for short sequences.
 */
import type { Code } from '../../wasm/code.ts';
import { shift, splat } from '../simd/vector-words.ts';

const mix = { before: 0xcc9e2d51, turn: 15, after: 0x1b873593 } as const;
const step = { turn: 13, times: 5, plus: 0xe6546b64 } as const;

/** Returns the state after one more word has been added. */
export function digestWord(state: number, word: number): number {
  const k = Math.imul(word, mix.before);
  const turned = Math.imul((k << mix.turn) | (k >>> (32 - mix.turn)), mix.after);
  const h = state ^ turned;
  return (Math.imul((h << step.turn) | (h >>> (32 - step.turn)), step.times) + step.plus) >>> 0;
}

/**
 * Adds one word to the sequence. The word is the i32 on the stack. The i32 local `state` holds the state of the
 * sequence.
 */
export function addWord(code: Code, state: number): void {
  code.i32(mix.before).op('i32.mul').i32(mix.turn).op('i32.rotl').i32(mix.after).op('i32.mul');
  code.get(state).op('i32.xor').i32(step.turn).op('i32.rotl').i32(step.times).op('i32.mul');
  code.i32(step.plus).op('i32.add').set(state);
}

/**
 * Adds one word to each of four sequences. The words are the lanes of the vector on the stack, and the v128 local
 * `state` holds the state of each sequence in the same lane.
 */
export function addWords(code: Code, state: number): void {
  const word = code.local('v128');
  splat(code, mix.before).vector('i32x4.mul').set(word);
  rotate(code, word, mix.turn);
  splat(code, mix.after).vector('i32x4.mul').get(state).vector('v128.xor').set(word);
  rotate(code, word, step.turn);
  // Computes 5 h as 4 h + h, because each state depends on the previous one, and a multiplication would take longer
  // than these operations.
  code.tee(word);
  shift(code, 'i32x4.shl', 2).get(word).vector('i32x4.add');
  splat(code, step.plus).vector('i32x4.add').set(state);
}

function rotate(code: Code, word: number, count: number): void {
  shift(code.get(word), 'i32x4.shl', count);
  shift(code.get(word), 'i32x4.shr_u', 32 - count).vector('v128.or');
}
