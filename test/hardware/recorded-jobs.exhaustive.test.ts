/** All launches that were recorded on a GPU, on the reference engine. */
import { describe, expect, it } from 'vitest';
import type { Recorded } from './job.ts';
import { recordedFiles, recordedJobs } from './recorded-jobs.ts';
import { replay } from './replay.ts';

/** A GPU does not say much about a fault, so every message is right. */
const resultOf = ({ result }: Recorded): unknown => (typeof result === 'number' ? expect.any(String) : result);

describe.each(recordedFiles())('%s', (file) => {
  const { gpu, jobs } = recordedJobs(file);

  it.each(jobs.map((job): [string, Recorded] => [job.id, job]))('%s', async (_, job) => {
    expect(await replay(job, { gpu, engine: 'interp', uninitialized: 'zero' })).toEqual(resultOf(job));
  });
});
