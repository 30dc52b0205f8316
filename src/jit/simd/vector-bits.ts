/**
 * Implements bit-manipulation steps for four threads at once. Each function returns null if a step has no vector form.
 */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Code } from '../../wasm/code.ts';
import { holder } from '../regions/values.ts';
import { vectorPermutation } from './vector-permutation.ts';
import { vectorShift } from './vector-shift.ts';
import { vectorTable } from './vector-table.ts';
import { maskWords, pushTruth, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { shift, splat } from './vector-words.ts';
import { evenWords, oddWords } from './word-shuffles.ts';

export function vectorBits(step: StepOf<'bits'>, lowering: VectorLowering): Writer | null {
  const { fn } = step;
  switch (fn) {
    case 'and':
    case 'or':
    case 'xor':
      return () => combine(step, fn, lowering);
    case 'not':
      return () => invert(step, lowering);
    case 'cnot':
      return () => isZero(step, lowering);
    case 'shl':
    case 'shr.u':
    case 'shr.s':
      return () => vectorShift(step, fn, lowering);
    case 'popc':
      return () => countOnes(step, lowering);
    case 'clz':
      return () => countZeros(step, lowering);
    case 'brev':
      return () => reverse(step, lowering);
    case 'lop3':
      return vectorTable(step, lowering);
    case 'fns':
      return null;
    default:
      return vectorPermutation(step, fn, lowering);
  }
}

function combine({ width, from, to }: StepOf<'bits'>, fn: 'and' | 'or' | 'xor', lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const type = holder(width);
  const operands = from.map((ref) => vectors.get(ref, type).locals);
  const combined = vectors.made(type, (half) => {
    for (const operand of operands) code.get(elementAt(operand, half));
    code.vector(`v128.${fn}`);
  });
  vectors.set(to, combined);
}

function invert({ width, from, to }: StepOf<'bits'>, { code, vectors }: VectorLowering): void {
  const type = holder(width);
  const { locals } = vectors.get(elementAt(from, 0), type);
  const inverted = vectors.made(type, (half) => {
    code.get(elementAt(locals, half)).vector('v128.not');
    if (type === 'i32') maskWords(code, width);
  });
  vectors.set(to, inverted);
}

function isZero({ width, from, to }: StepOf<'bits'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const type = holder(width);
  const { locals } = vectors.get(elementAt(from, 0), type);
  const truth = vectors.made(type, (half) =>
    splat(code.get(elementAt(locals, half)), 0).vector(type === 'i64' ? 'i64x2.eq' : 'i32x4.eq'),
  );
  pushTruth(truth, lowering);
  setWord(to, lowering);
}

// --- counting and reversing ------------------------------------------------------------------------------------------

/** The count is a 32-bit value even if the operand is a 64-bit value. */
function countOnes({ width, from, to }: StepOf<'bits'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const type = holder(width);
  const { locals } = vectors.get(elementAt(from, 0), type);
  const counts = vectors.made(type, (half) =>
    code
      .get(elementAt(locals, half))
      .vector('i8x16.popcnt', 'i16x8.extadd_pairwise_i8x16_u', 'i32x4.extadd_pairwise_i16x8_u'),
  );
  const [low, high] = counts.locals;
  code.get(low);
  if (high !== undefined) {
    code.get(high).shuffle(evenWords);
    code.get(low).get(high).shuffle(oddWords).vector('i32x4.add');
  }
  setWord(to, lowering);
}

function countZeros({ width, from, to }: StepOf<'bits'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const [low, high] = vectors.get(elementAt(from, 0), holder(width)).locals;
  if (high === undefined) pushZeros(code, low);
  else {
    const [lower, upper, above] = [vectors.temporary(), vectors.temporary(), vectors.temporary()];
    code.get(low).get(high).shuffle(evenWords).set(lower);
    code.get(low).get(high).shuffle(oddWords).set(upper);
    pushZeros(code, upper).set(above);
    // The leading zeros of the lower word count only if all bits of the upper word are zero.
    splat(pushZeros(code, lower).get(upper), 0).vector('i32x4.eq', 'v128.and').get(above).vector('i32x4.add');
  }
  setWord(to, lowering);
}

/**
 * Pushes the number of leading zeros of each word. The words are converted to f32, and the positions of the topmost
 * bits are taken from the exponents of the results. The bit below the topmost bit is cleared first, so that a word is
 * never rounded up to the next power of two.
 */
function pushZeros(code: Code, words: number): Code {
  const exponentOfTopBit = 127 + 31;
  splat(code, exponentOfTopBit).get(words);
  shift(code.get(words), 'i32x4.shr_u', 1).vector('v128.andnot', 'f32x4.convert_i32x4_u');
  shift(code, 'i32x4.shr_u', 23).vector('i32x4.sub');
  // For a word of 0, the exponent field is 0 and the difference is greater than 32, so the difference is limited to 32.
  return splat(code, 32).vector('i32x4.min_u');
}

/** A table of 16 bytes: entry n is the number n with its four bits in reverse order. */
const reversedNibbles = [0x0c040800, 0x0e060a02, 0x0d050901, 0x0f070b03] as const;

/** Reverses the bits in each byte, one nibble at a time, and then the order of the bytes. */
function reverse({ width, from, to }: StepOf<'bits'>, { code, vectors }: VectorLowering): void {
  const type = holder(width);
  const { locals } = vectors.get(elementAt(from, 0), type);
  const bytes = width / 8;
  const backwards = Array.from({ length: 16 }, (_, i) => i + bytes - 1 - 2 * (i % bytes));
  const inBytes = vectors.temporary();
  const reversed = vectors.made(type, (half) => {
    const local = elementAt(locals, half);
    shift(pushReversedNibbles(code, local, 0), 'i32x4.shl', 4);
    pushReversedNibbles(code, local, 4).vector('v128.or').set(inBytes);
    code.get(inBytes).get(inBytes).shuffle(backwards);
  });
  vectors.set(to, reversed);
}

/** Pushes the reversed nibble at position `low` of each byte. */
function pushReversedNibbles(code: Code, local: number, low: 0 | 4): Code {
  shift(code.words(...reversedNibbles).get(local), 'i32x4.shr_u', low);
  return splat(code, 0x0f0f0f0f).vector('v128.and', 'i8x16.swizzle');
}
