/**
 * Compares the fast engine with the reference engine on golden conversions, and on arithmetic with all kinds of values.
 */
import { describe, expect, it } from 'vitest';
import { differencesInBatches } from './engines.ts';
import { compareGoldenConversions } from './golden.ts';
import { arithmetic, inputsFor, type Instruction } from './instructions.ts';

compareGoldenConversions(5);

/** A kernel with 128-bit registers cannot run four threads at a time. */
const isWide = ({ sources }: Instruction): boolean => sources.some(({ width }) => width > 64);

describe.each([
  ['up to 64 bits', arithmetic.filter((instruction) => !isWide(instruction))],
  ['128 bits', arithmetic.filter(isWide)],
])('arithmetic on %s on both engines', (_, instructions) => {
  const differencesOf = differencesInBatches(
    instructions.map((instruction) => ({ instruction, rows: () => inputsFor(instruction) })),
  );
  it.each(instructions.map(({ inst }, i) => [inst, i] as const))('%s', async (_inst, i) => {
    expect(await differencesOf(i)).toEqual([]);
  });
});
