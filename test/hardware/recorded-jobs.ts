/** Reads the recorded launches of test/golden/hardware. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GpuName } from '../../src/device.ts';
import type { Recorded, Recorder } from './job.ts';
import { readLines } from './read-lines.ts';

const folder = fileURLToPath(new URL('../golden/hardware/', import.meta.url));

export const recordedFiles = (): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.jobs.jsonl.gz'));

export interface RecordedJobs {
  readonly gpu: GpuName;
  readonly jobs: readonly Recorded[];
}

export function recordedJobs(file: string): RecordedJobs {
  const [first = '{}', ...lines] = readLines(folder + file);
  const recorder: Recorder = JSON.parse(first);
  return { gpu: `sm_${recorder.sm}` as GpuName, jobs: lines.map((line): Recorded => JSON.parse(line)) };
}
