/** Runs golden conversions on both engines. */
import { describe, expect, it } from 'vitest';
import { families, type Instruction, instructionsOf, rowsOf } from '../golden/vectors.ts';
import { type Case, differencesInBatches } from './engines.ts';

/** Every n-th golden conversion of a family, with every n-th row of the conversion. */
export function compareGoldenConversions(nth: number): void {
  describe.each(families())('golden conversions of %s on both engines', (family) => {
    const sample = instructionsOf(family).filter((_golden, i) => i % nth === 0);
    const differencesOf = differencesInBatches(sample.map((golden) => caseOf(golden, nth)));
    it.each(sample.map(({ inst }, i) => [inst, i] as const))('%s', async (_inst, i) => {
      expect(await differencesOf(i)).toEqual([]);
    });
  });
}

function caseOf(golden: Instruction, nth: number): Case {
  const widthOf = (operand: string): number => golden.sreg ?? Number(operand.split(':b')[1]);
  const sources = golden.in.map((operand) => ({ name: operand.split(':')[0] ?? '', width: widthOf(operand) }));
  const names = sources.map(({ name }) => `%${name}`);
  const listed = names.includes('%e') ? [`{${names.slice(0, 4).join(', ')}}`, ...names.slice(4)] : names;
  const results = [{ name: 'd', width: golden.dreg ?? Number(golden.out.slice(1)) }];
  const operands = ['%d', ...listed].join(', ');
  const rows = (): readonly (readonly bigint[])[] =>
    rowsOf(golden)
      .filter((_row, i) => i % nth === 0)
      .map((row) => row.operands.map(BigInt));
  return { instruction: { inst: golden.inst, sources, results, operands }, rows };
}
