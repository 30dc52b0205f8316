/**
 * Compares recorded results with those of the reference engine or, with --jit, of the fast engine:
 * tsx tools/hardware/compare.ts RECORDED.jsonl.gz [--only TEXT] [--jit]
 */
import type { GpuName } from '../../src/device.ts';
import type { Recorded, Recorder } from '../../test/hardware/job.ts';
import { readLines } from '../../test/hardware/read-lines.ts';
import { replay } from '../../test/hardware/replay.ts';

const [path = '', ...flags] = process.argv.slice(2);
const only = flags.includes('--only') ? (flags[flags.indexOf('--only') + 1] ?? '') : '';
const engine = flags.includes('--jit') ? 'jit' : 'interp';
const [first = '{}', ...rest] = readLines(path);
const recorder: Recorder = JSON.parse(first);
console.log(recorder);

function firstDifference(found: string, wanted: string): string {
  let at = 0;
  let count = 0;
  for (let i = found.length - 8; i >= 0; i -= 8) {
    if (found.slice(i, i + 8) === wanted.slice(i, i + 8)) continue;
    at = i;
    count++;
  }
  return `${count} of ${found.length / 8} words differ, first at byte ${at / 2}: ${found.slice(at, at + 8)}, but the GPU gave ${wanted.slice(at, at + 8)}`;
}

let [equal, different] = [0, 0];
for (const line of rest) {
  const job: Recorded = JSON.parse(line);
  if (!job.id.includes(only)) continue;
  const found = await replay(job, { gpu: `sm_${recorder.sm}` as GpuName, engine, uninitialized: 'zero' }).catch(String);
  const said =
    typeof found === 'string' || typeof job.result === 'number'
      ? `${typeof found === 'string' ? found : 'ran'}; the GPU ${typeof job.result === 'number' ? `failed with ${job.result}` : 'ran'}`
      : found
          .map((bytes, i) => ({ bytes, wanted: (job.result as readonly string[])[i] ?? '' }))
          .filter(({ bytes, wanted }) => bytes !== wanted)
          .map(({ bytes, wanted }) => firstDifference(bytes, wanted))
          .join('; ');
  if (said === '') equal++;
  else {
    different++;
    console.log(`${job.id}: ${said}`);
  }
}
console.log(`${equal} equal, ${different} different`);
