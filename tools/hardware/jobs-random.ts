/**
 * Prints random kernels as jobs for a GPU of compute capability 9.0; needs ptxas:
 * tsx tools/hardware/jobs-random.ts [COUNT] [FIRST-SEED] > JOBS.jsonl
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../test/bench/scratch-folder.ts';
import { counterBytes, inputBytes, outputBytes } from '../../test/differential/random-frames.ts';
import { randomKernel, textOf } from '../../test/differential/random-kernels.ts';
import { RandomSource } from '../../test/differential/random-source.ts';
import { randomWord } from '../../test/differential/run-random-kernels.ts';
import type { Job } from '../../test/hardware/job.ts';
import { replay } from '../../test/hardware/replay.ts';

/**
 * Instructions for which the code of ptxas 13.0 does not follow the ISA (test/hardware/recorded-values.slow.test.ts).
 */
const different =
  /\bv(add|sub|absdiff|min|max|shl|shr|set|mad)\.|\bfma\.r[zmp]\S*bf16|\bmadc\.hi\.([us]16|sat)|createpolicy|pending_count|mov\.b\d+ %\w+, \{%\w+\}|mov\.b\d+ \{%\w+\}/;

const targets = ['sm_75', 'sm_80', 'sm_90'];
const folder = scratchFolder();

function jobOf(seed: number): Job | null {
  const kernel = randomKernel(seed);
  if (!targets.includes(kernel.target)) return null;
  const { grid, block } = kernel;
  const threads = grid * block;
  const random = new RandomSource(seed);
  const words = (length: number): string =>
    Buffer.from(Uint32Array.from({ length }, () => randomWord(random)).buffer).toString('hex');
  const input = words((threads * inputBytes) / 4);
  const texels = words(64);
  return {
    id: `random kernel ${seed}`,
    source: textOf(kernel).replace('.param .u64 texture,', '.param .u64 texels, .param .u64 texture,'),
    kernel: 'k',
    grid: [grid, 1, 1],
    block: [block, 1, 1],
    args: [
      { kind: 'buffer', size: input.length / 2, bytes: input },
      { kind: 'buffer', size: threads * outputBytes, returned: true },
      { kind: 'buffer', size: counterBytes * (1 + grid), returned: true },
      { kind: 'buffer', size: texels.length / 2, bytes: texels },
      {
        kind: 'texture',
        buffer: 3,
        options: {
          type: 'u8',
          channels: 4,
          size: [8, 8],
          filter: 'linear',
          normalizedTexels: true,
          addressMode: ['clamp', 'border'],
        },
      },
      { kind: 'surface', buffer: 3, options: { type: 'u8', channels: 4, size: [8, 8] } },
    ],
  };
}

function isAccepted(source: string): boolean {
  const path = join(folder, 'm.ptx');
  writeFileSync(path, source);
  return spawnSync('ptxas', ['-arch=sm_90', path, '-o', join(folder, 'm.cubin')]).status === 0;
}

/** Returns false if a kernel depends on memory that was never written. Such kernels are left out. */
async function isDefined(job: Job): Promise<boolean> {
  const found = await replay(job, { gpu: 'sm_90', engine: 'interp', uninitialized: 'fault' });
  return typeof found !== 'string';
}

let missing = Number(process.argv[2] ?? 100);
for (let seed = Number(process.argv[3] ?? 1); missing > 0; seed++) {
  const job = jobOf(seed);
  if (job === null || different.test(job.source) || !isAccepted(job.source) || !(await isDefined(job))) continue;
  process.stdout.write(`${JSON.stringify(job)}\n`);
  missing--;
}
