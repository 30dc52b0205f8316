/**
 * Writes a digest of the recorded values of each instruction, and marks where ptxlab's results differ:
 * tsx tools/hardware/digest-values.ts RECORDED.jsonl.gz DIGESTS.jsonl.gz
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { GpuName } from '../../src/device.ts';
import type { Recorded, Recorder } from '../../test/hardware/job.ts';
import { readLines } from '../../test/hardware/read-lines.ts';
import { replay } from '../../test/hardware/replay.ts';
import { digestsOf, nameOf, valueBatches } from '../../test/hardware/value-jobs.ts';

const [from = '', to = ''] = process.argv.slice(2);
const [first = '{}', ...lines] = readLines(from);
const recorder: Recorder = JSON.parse(first);
const jobs = new Map(
  lines.map((line): [string, Recorded] => {
    const job: Recorded = JSON.parse(line);
    return [job.id, job];
  }),
);
const written = [first];
for (const batch of valueBatches()) {
  const job = jobs.get(batch.id);
  if (job === undefined || typeof job.result === 'number') throw new Error(`${batch.id} was not recorded`);
  const found = await replay(job, { gpu: `sm_${recorder.sm}` as GpuName, engine: 'jit' });
  if (typeof found === 'string') throw new Error(`${batch.id}: ${found}`);
  const [measured, ours] = [job.result[0] ?? '', found[0] ?? ''].map((output) => digestsOf(batch, output));
  batch.instructions.forEach((instruction, i) => {
    const digest = measured?.[i];
    written.push(JSON.stringify([nameOf(instruction), digest, ...(digest === ours?.[i] ? [] : ['differs'])]));
  });
}
writeFileSync(to, gzipSync(`${written.join('\n')}\n`, { level: 9 }));
