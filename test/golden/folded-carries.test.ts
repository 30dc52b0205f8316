/**
 * Chains of additions and subtractions on both engines, compared with the results of ptxas 13.0 (recorded by
 * tools/fold-carries.py).
 */
import { expect, test } from 'vitest';
import { outcome, ways } from '../device/run.ts';
import { type FoldedChain, foldedChains } from './folded.ts';

const chains = foldedChains();

function bodyOf({ chain, width }: FoldedChain, i: number): string {
  const [register, letter] = width === 64 ? ['%rd0', 'd'] : ['%r0', 'r'];
  return `${chain.replaceAll(`%${letter}0`, register)} st.global.u${width} [%rd1+${8 * i}], ${register};`;
}

test.each(Object.entries(ways))('%s', async (_, options) => {
  const body = `ld.param.u64 %rd1, [out];\n${chains.map(bodyOf).join('\n')}`;
  const { words } = await outcome({ body }, 8 * chains.length, options);
  const results = new BigUint64Array(Uint32Array.from(words).buffer);
  const found = chains.map((one, i) => ({ ...one, result: (results[i] ?? 0n).toString(16) }));
  expect(found).toEqual(chains);
});
