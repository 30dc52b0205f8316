/**
 * Compares the fast engine with the reference engine on golden conversions, and on arithmetic with all kinds of values.
 */
import { describe, expect, it } from 'vitest';
import { differences } from './engines.ts';
import { compareGoldenConversions } from './golden.ts';
import { arithmetic, inputsFor } from './instructions.ts';

compareGoldenConversions(5);

describe('arithmetic on both engines', () => {
  it.each(arithmetic.map((instruction) => [instruction.inst, instruction] as const))('%s', async (_, instruction) => {
    expect(await differences(instruction, inputsFor(instruction))).toEqual([]);
  });
});
