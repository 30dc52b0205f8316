/** Tests the reference engine with all launches that were recorded on a GPU. */
import { describe, expect, it } from 'vitest';
import type { Recorded } from './job.ts';
import { recordedFiles, recordedJobs } from './recorded-jobs.ts';
import { replay } from './replay.ts';

/** A GPU reports few details about a fault, so any message is accepted. */
const resultOf = ({ result }: Recorded): unknown => (typeof result === 'number' ? expect.any(String) : result);

describe.each(recordedFiles())('%s', (file) => {
  const { gpu, jobs } = recordedJobs(file);

  it.each(jobs.map((job): [string, Recorded] => [job.id, job]))('%s', async (_, job) => {
    expect(await replay(job, { gpu, engine: 'interp', uninitialized: 'zero' })).toEqual(resultOf(job));
  });
});
