/**
 * Lowers prmt, which selects bytes, and fns, which finds the n-th set bit (PTX ISA 9.1, sections 9.7.9.7 and 9.7.1.20).
 */
import type { Bits } from '../../base/bits.ts';
import { elementAt } from '../../base/element-at.ts';
import { tripleOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { PermuteFunction } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { Lowering } from '../lowering.ts';

// --- prmt -----------------------------------------------------------------------------------------------------------

/**
 * Each mode has four 16-bit selectors. The low two bits of operand c choose one of these selectors: 0 chooses the
 * selector in the lowest 16 bits.
 */
const rows: Readonly<Record<Exclude<PermuteFunction, 'prmt'>, bigint>> = {
  'prmt.f4e': 0x6543_5432_4321_3210n,
  'prmt.b4e': 0x0123_7012_6701_5670n,
  'prmt.rc8': 0x3333_2222_1111_0000n,
  'prmt.ecl': 0x3333_3222_3211_3210n,
  'prmt.ecr': 0x3210_2210_1110_0000n,
  'prmt.rc16': 0x3232_1010_3232_1010n,
};

export function lowerPermutation(step: StepOf<'bits'>, fn: PermuteFunction, lowering: Lowering): void {
  const { code, values, helpers } = lowering;
  const [a, b, c] = tripleOf(step.from);
  const chosen = values.constantOf(c);
  if (chosen === null) {
    for (const ref of [a, b, c]) values.get(ref, 'i32');
    const type = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] } as const;
    code.call(helpers.function(fn, type, (body) => writePermutation(body, fn)));
  } else {
    pushKnownPermutation(selectorOf(fn, chosen), [a, b], lowering);
  }
  values.set(step.to, 'i32');
}

/**
 * Returns the selector, whose nibbles choose the bytes. `chosen` is the value of operand c, which must be a constant.
 */
export function selectorOf(fn: PermuteFunction, chosen: Bits): number {
  return fn === 'prmt' ? Number(chosen) : Number((rows[fn] >> (16n * (BigInt(chosen) & 3n))) & 0xffffn);
}

/** If the selector is a constant, each byte needs only a shift and a mask. */
function pushKnownPermutation(selector: number, sources: readonly [Ref, Ref], { code, values }: Lowering): void {
  for (let place = 0; place < 4; place++) {
    const nibble = (selector >>> (4 * place)) & 15;
    values.get(elementAt(sources, (nibble >>> 2) & 1), 'i32');
    code.i32(8 * (nibble & 3)).op('i32.shr_u');
    keepByte(code, nibble >= 8, place);
    if (place > 0) code.op('i32.or');
  }
}

/**
 * Moves the low byte of the value on the stack to byte position `place` of the word. If `sign` is true, the byte is
 * first replaced with eight copies of its sign bit.
 */
function keepByte(code: Code, sign: boolean, place: number): void {
  if (sign) code.op('i32.extend8_s').i32(31).op('i32.shr_s');
  code
    .i32(0xff)
    .op('i32.and')
    .i32(8 * place)
    .op('i32.shl');
}

const [first, second, third] = [0, 1, 2];

function writePermutation(code: Code, fn: PermuteFunction): void {
  const both = code.local('i64');
  const distance = code.local('i64');
  const byte = code.local('i32');
  const nibble = code.local('i32');
  code.get(second).op('i64.extend_i32_u').i64(32n).op('i64.shl').get(first).op('i64.extend_i32_u', 'i64.or').set(both);
  if (fn !== 'prmt') {
    code.i64(rows[fn]).get(third).i32(3).op('i32.and').i32(4).op('i32.shl', 'i64.extend_i32_u', 'i64.shr_u');
    code.op('i32.wrap_i64').set(third);
  }
  for (let place = 0; place < 4; place++) {
    code
      .get(third)
      .i32(4 * place)
      .op('i32.shr_u')
      .tee(nibble)
      .i32(7)
      .op('i32.and')
      .i32(3)
      .op('i32.shl', 'i64.extend_i32_u')
      .set(distance);
    code.get(both).get(distance).op('i64.shr_u', 'i32.wrap_i64').set(byte);
    // Selects the byte or, if the top bit of the nibble is set, eight copies of the byte's sign bit.
    code.get(byte).op('i32.extend8_s').i32(31).op('i32.shr_s').get(byte).get(nibble).i32(8).op('i32.and', 'select');
    keepByte(code, false, place);
    if (place > 0) code.op('i32.or');
  }
}

// --- fns ------------------------------------------------------------------------------------------------------------

export function lowerFind({ from, to }: StepOf<'bits'>, { code, values, helpers }: Lowering): void {
  for (const ref of from) values.get(ref, 'i32');
  const type = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] } as const;
  code.call(helpers.function('fns', type, writeFind));
  values.set(to, 'i32');
}

/**
 * Finds the |n|-th set bit of a mask, counted upwards from `base`, or downwards for negative n. For n = 0, the bit must
 * be at `base` itself. The result is the position of the bit, or all ones if there is no such bit.
 */
function writeFind(code: Code): void {
  const [mask, place, count] = [first, second, third];
  const step = code.local('i32');
  const missing = code.local('i32');
  code.i32(-1).i32(1).get(count).i32(0).op('i32.lt_s', 'select').set(step);
  code.get(count).get(step).op('i32.mul').tee(missing).i32(1).get(missing).op('select').set(missing);
  code.block((absent) => {
    code.loop((again) => {
      code.get(place).i32(32).op('i32.ge_u').brIf(absent);
      code.get(missing).get(mask).get(place).op('i32.shr_u').i32(1).op('i32.and', 'i32.sub').tee(missing);
      code.op('i32.eqz').if(() => code.get(place).op('return'));
      code.get(place).get(step).op('i32.add').set(place);
      code.get(count).brIf(again);
    });
  });
  code.i32(-1);
}
