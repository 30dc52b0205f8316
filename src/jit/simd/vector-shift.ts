/**
 * Shifts for four threads at once. In PTX, a shift by the width or more shifts out all bits. In WebAssembly, however,
 * the shift amount is taken modulo the width.
 */
import { pairOf } from '../../base/tuples.ts';
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { Code } from '../../wasm/code.ts';
import type { Words } from '../../wasm/vector-constants.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { holder, type IntegerType } from '../regions/values.ts';
import { extendWords, maskWords, type VectorLowering } from './vector-lowering.ts';
import { shift, splat } from './vector-words.ts';
import { type Vector } from './vectors.ts';
import { evenWords, wordsAt } from './word-shuffles.ts';

type Shift = 'shl' | 'shr.u' | 'shr.s';

const opcodes: Readonly<Record<IntegerType, Readonly<Record<Shift, VectorOpcode>>>> = {
  i32: { shl: 'i32x4.shl', 'shr.u': 'i32x4.shr_u', 'shr.s': 'i32x4.shr_s' },
  i64: { shl: 'i64x2.shl', 'shr.u': 'i64x2.shr_u', 'shr.s': 'i64x2.shr_s' },
};

const bitsOf = (type: IntegerType): number => (type === 'i64' ? 64 : 32);

export function vectorShift({ width, from, to }: StepOf<'bits'>, fn: Shift, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const [a, b] = pairOf(from);
  const type = holder(width);
  const operand = vectors.get(a, type);
  const value =
    fn === 'shr.s' && width < 32
      ? vectors.made('i32', () => {
          code.get(operand.locals[0]);
          extendWords(code, width);
        })
      : operand;
  const pushShifted = shifter(fn, value, b, lowering);
  const shifted = vectors.made(type, (half) => {
    pushShifted(half);
    if (fn !== 'shr.u' && type === 'i32') maskWords(code, width);
  });
  vectors.set(to, shifted);
}

/**
 * Returns a function that pushes one vector of a shifted value. All 32 or 64 bits are shifted, so a narrower value must
 * be extended before the shift and truncated after it.
 */
function shifter(fn: Shift, value: Vector, amount: Ref, lowering: VectorLowering): (half: number) => void {
  const constant = lowering.constantOf(amount);
  if (constant !== null) return (half) => shiftByConstant(fn, value, half, constant, lowering);
  if (lowering.vectors.isSame(amount)) return shifterBySame(fn, value, amount, lowering);
  if (value.type === 'i64') return shifterOfWide(fn, value, amount, lowering);
  const amounts = lowering.vectors.get(amount, 'i32').locals[0];
  return () => shiftWords(fn, value.locals[0], amounts, lowering);
}

function shiftByConstant(
  fn: Shift,
  { type, locals }: Vector,
  half: number,
  amount: number,
  { code }: VectorLowering,
): void {
  const most = bitsOf(type) - 1;
  if (fn !== 'shr.s' && amount > most) splat(code, 0);
  else code.get(elementAt(locals, half)).i32(Math.min(amount, most)).vector(opcodes[type][fn]);
}

/** Shifts by an amount that is the same for all threads. */
function shifterBySame(
  fn: Shift,
  { type, locals }: Vector,
  ref: Ref,
  lowering: VectorLowering,
): (half: number) => void {
  const { code, scalar } = lowering;
  const most = bitsOf(type) - 1;
  const amount = scalar.values.temporary('i32');
  scalar.values.get(ref, 'i32');
  code.set(amount);
  const pushIsWithin = (): Code => code.get(amount).i32(most).op('i32.le_u');
  if (fn === 'shr.s') {
    code.get(amount).i32(most);
    pushIsWithin().op('select').set(amount);
  }
  return (half) => {
    code.get(elementAt(locals, half)).get(amount).vector(opcodes[type][fn]);
    if (fn === 'shr.s') return;
    code.i32(0);
    pushIsWithin().op('i32.sub').vector('i32x4.splat', 'v128.and');
  };
}

/** Shifts 64-bit values by amounts that differ, one value at a time. */
function shifterOfWide(fn: Shift, { locals }: Vector, ref: Ref, lowering: VectorLowering): (half: number) => void {
  const { code, vectors } = lowering;
  const [given] = vectors.get(ref, 'i32').locals;
  const amounts = vectors.temporary();
  splat(code.get(given), 63).vector('i32x4.min_u').set(amounts);
  return (half) => {
    const lane = (place: number): Code =>
      code
        .get(elementAt(locals, half))
        .get(amounts)
        .lane('i32x4.extract_lane', 2 * half + place)
        .vector(opcodes.i64[fn]);
    lane(0);
    lane(1).shuffle(wordsAt(0, 1, 6, 7));
    if (fn === 'shr.s') return;
    splat(code.get(given), 63).vector('i32x4.le_u');
    code.vector(half === 0 ? 'i64x2.extend_low_i32x4_s' : 'i64x2.extend_high_i32x4_s', 'v128.and');
  };
}

// --- words shifted by amounts that differ ----------------------------------------------------------------------------

/** WebAssembly can only shift all words by the same amount, so the words are multiplied by powers of two instead. */
function shiftWords(fn: Shift, words: number, amounts: number, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  if (fn === 'shl') {
    code.get(words);
    pushPowers('up', amounts, lowering).vector('i32x4.mul');
    return;
  }
  if (fn === 'shr.u') {
    shiftDown(words, amounts, lowering);
    return;
  }
  // All bits of negative words are inverted before and after the shift, so that copies of the sign bit are shifted in.
  const [signs, plain] = [vectors.temporary(), vectors.temporary()];
  shift(code.get(words), 'i32x4.shr_s', 31).set(signs);
  code.get(words).get(signs).vector('v128.xor').set(plain);
  shiftDown(plain, amounts, lowering);
  code.get(signs).vector('v128.xor');
}

/** Multiplies by `2^(31 - amount)` and takes the bits from position 31 upward. */
function shiftDown(words: number, amounts: number, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const powers = vectors.temporary();
  pushPowers('down', amounts, lowering).set(powers);
  for (const part of ['low', 'high'] as const)
    code.get(words).get(powers).vector(`i64x2.extmul_${part}_i32x4_u`).i32(31).vector('i64x2.shr_u');
  code.shuffle(evenWords);
}

/** The low byte of each word, repeated in all four bytes of the word. */
const lowBytes = [0, 4, 8, 12].flatMap((byte) => [byte, byte, byte, byte]);

type Direction = 'up' | 'down';

/**
 * For each direction, a table of bytes: for n from 0 to 7, entry n is `2^n` (`up`) or `2^(7 - n)` (`down`); the other
 * entries are 0.
 */
const bytePowers: Readonly<Record<Direction, Words>> = {
  up: [0x08040201, 0x80402010, 0, 0],
  down: [0x10204080, 0x01020408, 0, 0],
};

/** For each byte of a power of two, the lowest shift amount for which the single 1 bit of the power is in this byte. */
const firstAmounts = { up: 0x18100800, down: 0x00081018 } as const;

/**
 * Pushes `2^amount` (`up`) or `2^(31 - amount)` (`down`) for each word, and 0 for amounts of 32 or more. Each byte of a
 * power is looked up in `bytePowers`. The index is the amount minus the byte's entry in `firstAmounts`; the result is 0
 * unless the index is from 0 to 7.
 */
function pushPowers(direction: Direction, amounts: number, { code, vectors }: VectorLowering): Code {
  const bounded = vectors.temporary();
  splat(code.get(amounts), 0xff).vector('i32x4.min_u').set(bounded);
  code.words(...bytePowers[direction]);
  code.get(bounded).get(bounded).shuffle(lowBytes);
  return splat(code, firstAmounts[direction]).vector('i8x16.sub', 'i8x16.swizzle');
}
