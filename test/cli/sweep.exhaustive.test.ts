/**
 * Runs the 44 golden sweeps on all cores, each with all 2^32 inputs. The expected digests were not computed by ptxlab.
 * Takes minutes.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checksums } from '../golden/vectors.ts';
import { ptxlab, root } from './ptxlab.ts';

const golden = join(root, 'test/golden/numerics/exhaustive.json');
const forms = Object.entries(checksums().f32_sweeps);

it.each(forms)('%s', async (inst, { total }) => {
  const { code, stdout } = await ptxlab(['sweep', '--json', inst, '--expect', golden]);
  expect(JSON.parse(stdout)).toMatchObject({ total, expected: { agrees: true, firstWrong: null } });
  expect(code).toBe(0);
});
