/** Tests the reference engine with every recorded or modeled matrix product. */
import { describe, expect, test } from 'vitest';
import { differences, loadJob, matrixJobs } from './matrix.ts';

describe.each(['hardware', 'model'] as const)('matrix products of %s on the reference engine', (name) => {
  test.each(matrixJobs(name).map((job, i) => ({ job, text: `${i}: ${job.gpu ?? job.target} ${job.mnemonic}` })))(
    '$text',
    async ({ job }) => {
      expect(await differences(await loadJob(job), 'interp', { first: 0, count: job.grid[0] })).toBe(0);
    },
  );
});
