/**
 * Launches that were recorded on a GPU (test/golden/hardware): both engines must leave the same bytes in memory as the
 * GPU did, or end in a fault if the GPU did.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { GpuName } from '../../src/device.ts';
import type { Recorded, Recorder } from './job.ts';
import { readLines } from './read-lines.ts';
import { replay } from './replay.ts';

const folder = fileURLToPath(new URL('../golden/hardware/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.jobs.jsonl.gz'));

describe.each(files)('%s', (file) => {
  const [first = '{}', ...lines] = readLines(folder + file);
  const recorder: Recorder = JSON.parse(first);
  const jobs = lines.map((line): Recorded => JSON.parse(line));
  const gpu = `sm_${recorder.sm}` as GpuName;

  it.each(jobs.map((job): [string, Recorded] => [job.id, job]))('%s', async (_, job) => {
    // A GPU does not say much about a fault, so every message is right.
    const wanted = typeof job.result === 'number' ? expect.any(String) : job.result;
    for (const engine of ['interp', 'jit'] as const)
      expect(await replay(job, { gpu, engine, uninitialized: 'zero' }), engine).toEqual(wanted);
  });
});
