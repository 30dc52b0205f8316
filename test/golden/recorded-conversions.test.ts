/**
 * Tests the golden rows on sm_90. Conversions must produce the results of an H200, even if these differ from the golden
 * results.
 */
import { describe, expect, it } from 'vitest';
import { hex } from '../../src/base/bits.ts';
import { type Evaluate, evaluator } from './lanes.ts';
import { overriddenResults, type RecordedConversion, recordedConversions, rowKey } from './recorded-conversions.ts';
import { families, instructionsOf, rowsOf } from './vectors.ts';

const recorded: ReadonlyMap<string, RecordedConversion> = new Map(recordedConversions().map((one) => [one.inst, one]));
const overridden = overriddenResults();

/** Instructions with wider registers were not recorded. */
const instructions = families()
  .flatMap(instructionsOf)
  .filter(({ inst, dreg }) => dreg === undefined && recorded.has(inst));

describe('conversions of sm_90', () => {
  it.each(instructions.map((one) => [one.inst, one] as const))('%s', (inst, instruction) => {
    const evaluate: Evaluate = evaluator(inst, null, 'sm_90');
    const wrong = rowsOf(instruction).flatMap(({ operands, result }) => {
      const measured = overridden.get(rowKey(inst, operands)) ?? result;
      const found = hex(evaluate(operands), result.length * 4);
      return found === measured ? [] : [`${rowKey(inst, operands)}: ${found}, but the GPU gave ${measured}`];
    });
    expect(wrong).toEqual([]);
  });
});

it('the number of recorded rows and of those that differ from the golden ones is as expected', () => {
  const all = recordedConversions();
  expect(all.reduce((sum, { rows }) => sum + rows, 0)).toBe(235_355);
  expect(all.reduce((sum, { different }) => sum + different.length, 0)).toBe(626);
});
