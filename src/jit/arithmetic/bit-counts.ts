/** popc, clz, brev and lop3. */
import { elementAt } from '../../base/element-at.ts';
import { quadOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Code } from '../../wasm/code.ts';
import type { Lowering } from '../lowering.ts';
import { holder } from '../regions/values.ts';

/** Lowers popc or clz. The count is a 32-bit value even if the operand is a 64-bit value. */
export function lowerCount(step: StepOf<'bits'>, opcode: 'popcnt' | 'clz', { code, values }: Lowering): void {
  const type = holder(step.width);
  values.get(elementAt(step.from, 0), type);
  code.op(`${type}.${opcode}`);
  values.set(step.to, type);
}

/**
 * Reverses the bits by swapping neighboring bits, then neighboring pairs of bits, and so on up to the two halves of the
 * value.
 */
export function lowerReverse(step: StepOf<'bits'>, { code, values }: Lowering): void {
  const type = holder(step.width);
  const local = values.temporary(type);
  const constant = (value: bigint): Code => (type === 'i64' ? code.i64(value) : code.i32(Number(value)));
  values.get(elementAt(step.from, 0), type);
  code.set(local);
  for (let distance = 1; distance < step.width; distance *= 2) {
    const shift = BigInt(distance);
    const everyOther = ((1n << BigInt(step.width)) - 1n) / ((1n << shift) + 1n);
    code.get(local);
    constant(shift).op(`${type}.shr_u`);
    constant(everyOther).op(`${type}.and`).get(local);
    constant(everyOther).op(`${type}.and`);
    constant(shift).op(`${type}.shl`, `${type}.or`).set(local);
  }
  code.get(local);
  values.set(step.to, type);
}

/**
 * Lowers lop3 as an OR over the combinations of input bits for which the table contains a 1. Bit 4a + 2b + c of the
 * table is the result for input bits a, b and c.
 */
export function lowerTable(step: StepOf<'bits'>, { code, values }: Lowering): void {
  const [a, b, c, entry] = quadOf(step.from);
  const table = values.constantOf(entry);
  if (table === null) throw new Error('the lop3 table is not a constant');
  code.i32(0);
  for (let combination = 0; combination < 8; combination++) {
    if (((Number(table) >> combination) & 1) === 0) continue;
    [a, b, c].forEach((ref, i) => {
      values.get(ref, 'i32');
      if (((combination >> (2 - i)) & 1) === 0) code.i32(-1).op('i32.xor');
      if (i > 0) code.op('i32.and');
    });
    code.op('i32.or');
  }
  values.set(step.to, 'i32');
}
