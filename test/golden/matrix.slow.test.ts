/**
 * Tests that matrix products on both engines have exactly the bits that were computed by GPUs or by a model of GPUs. In
 * this file, the reference engine computes only two warps of each job; in matrix.exhaustive.test.ts, it computes all
 * warps.
 */
import { describe, expect, test } from 'vitest';
import { differences, loadJob, matrixJobs } from './matrix.ts';

describe.each(['hardware', 'model'] as const)('matrix products of %s', (name) => {
  test.each(matrixJobs(name).map((job, i) => ({ job, i, text: `${job.gpu ?? job.target} ${job.mnemonic}` })))(
    '$i: $text',
    async ({ job, i }) => {
      const count = job.grid[0];
      const loaded = await loadJob(job);
      expect(await differences(loaded, 'jit', { first: 0, count })).toBe(0);
      expect(await differences(loaded, 'interp', { first: (2 * i) % count, count: 2 })).toBe(0);
    },
  );
});
