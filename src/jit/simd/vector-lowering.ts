/** The context for lowering a step for four threads. */
import { bitsOfDouble } from '../../base/bits-of-double.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { Code } from '../../wasm/code.ts';
import type { KindOf } from '../memory/checked-spans.ts';
import type { Lowering } from '../lowering.ts';
import { splat } from './vector-words.ts';
import { type Vector, type Vectors } from './vectors.ts';
import { evenWords } from './word-shuffles.ts';

export interface VectorLowering {
  readonly code: Code;
  readonly vectors: Vectors;
  /** The context for lowering the same instruction for the first of the four threads. */
  readonly scalar: Lowering;
  /** Returns the value of an operand if it is a constant; otherwise null. */
  readonly constantOf: (ref: Ref) => number | null;
  /** Returns the expected pattern of the addresses in a register. */
  readonly kindOf: KindOf;
  /**
   * Whether a NaN in the result of an f32 operation may have any bits, because only f32 arithmetic reads the result.
   */
  readonly hidesNan: boolean;
}

/** Pushes a vector of two copies of a 64-bit value. */
export function pushDoubleWords(code: Code, value: bigint): Code {
  const [low, high] = [Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n))];
  return code.words(low, high, low, high);
}

/** Pushes a vector of two copies of an f64. */
export function pushDouble(code: Code, value: number): Code {
  return pushDoubleWords(code, bitsOfDouble(value));
}

/** Converts the 32-bit or 64-bit masks on the stack to words that are 0 or 1. */
export function pushTruth(mask: Vector, { code }: VectorLowering): void {
  if (mask.type === 'i32') code.get(mask.locals[0]);
  else code.get(mask.locals[0]).get(mask.locals[1]).shuffle(evenWords);
  splat(code, 1).vector('v128.and');
}

/** Pops a vector of words from the stack and makes it the value of the name `to`. */
export function setWord(to: Ref, { code, vectors }: VectorLowering): void {
  const local = vectors.temporary();
  code.set(local);
  vectors.set(to, { type: 'i32', locals: [local] });
}

/** Keeps the low `width` bits of the words on the stack. A 64-bit value always has its full width. */
export function maskWords(code: Code, width: number): void {
  if (width < 32) splat(code, 2 ** width - 1).vector('v128.and');
}

export function extendWords(code: Code, width: number): void {
  const spare = 32 - width;
  if (spare > 0) code.i32(spare).vector('i32x4.shl').i32(spare).vector('i32x4.shr_s');
}

/** Writes the code of a step. */
export type Writer = () => void;
