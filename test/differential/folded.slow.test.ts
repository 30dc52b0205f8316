/**
 * Compares the results of the fast engine with values that ptxas 13.0 computed at compile time. Unlike a comparison of
 * the two engines, this also finds mistakes that both of them make.
 */
import { expect, test } from 'vitest';
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import { foldedValues } from '../golden/folded.ts';
import { fastResults } from './engines.ts';
import { instructionOf } from './variants.ts';

test.each(foldedValues().map((folded) => [folded.inst, folded] as const))('%s', async (inst, { rows }) => {
  const resolution = resolveMnemonic(inst);
  if (resolution.kind !== 'variants' || resolution.variants[0] === undefined) throw new Error(`${inst} is not known`);
  const instruction = instructionOf(resolution.variants[0]);
  const patterns = rows.map((row) => row.map((text) => BigInt(`0x${text}`)));
  const wanted = patterns.map((row) => row.at(-1));
  const ways = await fastResults(
    instruction,
    patterns.map((row) => row.slice(0, -1)),
  );
  for (const found of ways) expect(found.map(([result]) => result)).toEqual(wanted);
});
