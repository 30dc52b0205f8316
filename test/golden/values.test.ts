/**
 * Tests every golden row, instruction by instruction: every bit of the result must agree. Rows marked `~` contain a NaN
 * whose bits are not specified, so any NaN is accepted in that lane. Rows marked `?` are based on an assumption, which
 * must be one of the open choices.
 */
import { describe, expect, it } from 'vitest';
import type { Bits } from '../../src/base/bits.ts';
import { hex } from '../../src/base/bits.ts';
import { decode } from '../../src/numerics/exact.ts';
import { type FormatName, formats } from '../../src/numerics/formats.ts';
import { openChoices } from '../../src/numerics/open-choices.ts';
import { conversionOf, evaluator, lanesOf } from './lanes.ts';
import { families, type Instruction, instructionsOf, type Row, rowsOf } from './vectors.ts';

/** The bits of each lane of a result. */
function split(inst: string, bits: Bits): readonly { readonly format: FormatName; readonly bits: Bits }[] {
  const { format, lanes, stride } = lanesOf(inst);
  const { width } = formats[format];
  if (lanes === 1) return [{ format, bits }];
  return Array.from({ length: lanes }, (_, lane) => ({
    format,
    bits: Math.floor(Number(bits) / 2 ** (lane * stride)) % 2 ** width,
  }));
}

/** Whether a result agrees with the row in every lane. If a lane must be NaN, any NaN is accepted. */
function agreesButForNan(inst: string, row: Row, result: Bits): boolean {
  const width = row.result.length * 4;
  const wanted = split(inst, width > 32 ? BigInt(`0x${row.result}`) : Number.parseInt(row.result, 16));
  const found = split(inst, result);
  return wanted.every(({ format, bits }, lane) => {
    const other = found[lane]?.bits ?? 0;
    return bits === other || (isNan(format, bits) && isNan(format, other));
  });
}

function isNan(format: FormatName, bits: Bits): boolean {
  return decode(format, bits).kind === 'nan';
}

function mismatches(instruction: Instruction): readonly string[] {
  const evaluate = evaluator(instruction.inst, instruction.dreg ?? null);
  return rowsOf(instruction).flatMap((row) => {
    const result = evaluate(row.operands);
    const found = hex(result, row.result.length * 4);
    if (found === row.result || (row.anyNan && agreesButForNan(instruction.inst, row, result))) return [];
    return [`${row.operands.map((bits) => bits.toString(16)).join(' ')}: ${found}, not ${row.result}`];
  });
}

describe.each(families())('golden rows of %s', (family) => {
  const instructions = instructionsOf(family);

  it.each(instructions.map((instruction) => [instruction.inst, instruction] as const))('%s', (_, instruction) => {
    expect(mismatches(instruction)).toEqual([]);
  });

  it('rows that are assumed or have an open NaN rest on named choices', () => {
    const unnamed = instructions.filter((instruction) => {
      const open = rowsOf(instruction).filter((row) => row.assumed || row.anyNan).length;
      return open > 0 && !openChoices.some((choice) => choice.appliesTo(conversionOf(instruction.inst)));
    });
    expect(unnamed.map(({ inst }) => inst)).toEqual([]);
  });
});

it('the number of rows and the number of assumed rows are as expected', () => {
  const rows = families().flatMap(instructionsOf).flatMap(rowsOf);
  expect(rows.length).toBe(264_000);
  expect(rows.filter((row) => row.assumed).length).toBe(6_498);
  expect(rows.filter((row) => row.anyNan).length).toBe(1_806);
});
