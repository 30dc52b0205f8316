/**
 * Tests the digests in the ptxlab package: they must include all golden digests. For sources of at most 16 bits, they
 * must also equal the digests that the fast engine computes.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sweepChunks } from '../../src/jit/arrays/sweep-runner.ts';
import { prepareSweep, type Sweep } from '../../src/sweep.ts';
import { checksums } from '../golden/vectors.ts';

const file = new URL('../../digests/conversions.json', import.meta.url);
const { sweeps } = JSON.parse(readFileSync(file, 'utf8')) as { sweeps: Readonly<Record<string, string>> };
const { small, f32_sweeps } = checksums();

function prepare(inst: string): Sweep {
  const sweep = prepareSweep(inst, { target: null, version: null });
  if (!sweep.ok) throw new Error(sweep.error.message);
  return sweep.value;
}

function digestOfAll(sweep: Sweep): string | undefined {
  const [digests = []] = sweepChunks(sweep, [0]);
  return digests[0]?.[1].toString(16).padStart(8, '0');
}

it('include every golden digest', () => {
  const golden = { ...small, ...f32_sweeps };
  const wanted = Object.entries(golden).map(([inst, found]) => [
    inst,
    'checksum' in found ? found.checksum : found.chunks,
  ]);
  expect(wanted.length).toBe(390);
  expect(wanted.filter(([inst = '', digits]) => sweeps[inst] !== digits)).toEqual([]);
});

it('are those of the fast engine, for sources of at most 16 bits', () => {
  const narrow = Object.keys(sweeps)
    .map(prepare)
    .filter(({ chunks }) => chunks === 1);
  expect(narrow.length).toBe(350);
  expect(narrow.filter((sweep) => digestOfAll(sweep) !== sweeps[sweep.mnemonic]).map(({ name }) => name)).toEqual([]);
});
