/**
 * Tests launches that were recorded on a GPU (test/golden/hardware): an engine must leave the same bytes in memory as
 * the GPU did. If a launch ended in a fault on the GPU, it must end in a fault on the engine, too. Both engines are
 * tested, but the reference engine runs only every fourth job. In recorded-jobs.exhaustive.test.ts, the reference
 * engine runs all jobs.
 */
import { describe, expect, it } from 'vitest';
import type { Recorded } from './job.ts';
import { recordedFiles, recordedJobs } from './recorded-jobs.ts';
import { replay } from './replay.ts';

/** A GPU reports few details about a fault, so any message is accepted. */
const resultOf = ({ result }: Recorded): unknown => (typeof result === 'number' ? expect.any(String) : result);

describe.each(recordedFiles())('%s', (file) => {
  const { gpu, jobs } = recordedJobs(file);

  it.each(jobs.map((job, i) => ({ job, i, id: job.id })))('$id', async ({ job, i }) => {
    expect(await replay(job, { gpu, engine: 'jit', uninitialized: 'zero' })).toEqual(resultOf(job));
    if (i % 4 === 0) expect(await replay(job, { gpu, engine: 'interp', uninitialized: 'zero' })).toEqual(resultOf(job));
  });
});
