/**
 * Programs as people write them, on one thread and with checks: how long the first launch takes from the text on, how
 * long the third one takes, and how long the same work takes as plain loops compiled by g++ -O2. All is CPU time, V8's
 * own threads included, because it can be measured on a busy machine too.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { elementAt } from '../../src/base/element-at.ts';
import type { Row } from './run-kernels.ts';
import { scratchFolder } from './scratch-folder.ts';

const device = new URL('../../dist/device.js', import.meta.url).href;
const ptx = fileURLToPath(new URL('kernels/programs.ptx', import.meta.url));
const loops = fileURLToPath(new URL('kernels/programs.cpp', import.meta.url));

/** The launch of each kernel as JavaScript, with buffers of 64 MiB; the sizes are those of programs.cpp. */
const launches: Readonly<Record<string, string>> = {
  histogram: '{ grid: 240, block: 256, args: [words, out, 2 ** 24] }',
  byte_counters: '{ grid: 2 ** 24 / 64 / 60 | 0, block: 64, args: [words, out, 60] }',
  convolve_rows: '{ grid: [2048 / 64, 2048 / 4], block: [16, 4], args: [real, out, 2048] }',
  convolve_columns: '{ grid: [2048 / 16, 2048 / 32], block: [16, 8], args: [real, out, 2048, 2048] }',
  stencil: '{ grid: [7, 28], block: [32, 8], args: [real, out, real, 224, 224, 256] }',
  matmul: '{ grid: [16, 16], block: [32, 32], args: [real, real, out, 512] }',
};

/** Prints the milliseconds of CPU time from the text to the end of the first launch, then those of three launches. */
const script = (kernel: string, launch: string): string => `
import { readFileSync } from 'node:fs';
const { Device } = await import('${device}');
const text = readFileSync('${ptx}', 'utf8');
const device = await Device.create();
const random = new Uint32Array(2 ** 24);
for (let i = 0, word = 1; i < random.length; i++) random[i] = word = Math.imul(word, 1664525) + 1013904223;
const words = device.alloc(random);
const real = device.alloc(Float32Array.from(random, (word) => (word >>> 8) * 2 ** -24));
const out = device.alloc(2 ** 26);
const times = [];
const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const started = cpu();
const kernel = device.load(text).kernel('${kernel}');
for (let i = 0; i < 3; i++) {
  const before = cpu();
  const result = await kernel.launch(${launch});
  if (!result.ok) throw new Error(result.fault.message);
  if (i === 0) times.push(cpu() - started);
  times.push(cpu() - before);
}
console.log(times.join(' '));
`;

const runs = 5;

function median(values: readonly number[]): number {
  return elementAt(
    [...values].sort((a, b) => a - b),
    Math.floor(values.length / 2),
  );
}

/** The program of plain loops, or null without g++. */
function compiled(): string | null {
  const program = join(scratchFolder(), 'programs');
  const { error, status } = spawnSync('g++', ['-O2', '-o', program, loops]);
  return error === undefined && status === 0 ? program : null;
}

export function programRows(): readonly Row[] {
  const program = compiled();
  return Object.entries(launches).map(([kernel, launch]) => {
    const times: (readonly number[])[] = [];
    const native: number[] = [];
    // Native runs stand between the others, so that a busy machine slows both.
    for (let i = 0; i < runs; i++) {
      const run = spawnSync(process.execPath, ['--input-type=module', '-e', script(kernel, launch)], {
        encoding: 'utf8',
      });
      if (run.status !== 0) throw new Error(run.stderr);
      times.push(run.stdout.trim().split(' ').map(Number));
      if (program !== null) native.push(Number(spawnSync(program, [kernel], { encoding: 'utf8' }).stdout));
    }
    const [cold = 0, first = 0, , third = 0] = [0, 1, 2, 3].map((at) => median(times.map((one) => elementAt(one, at))));
    const loop = program === null ? null : median(native);
    const ratio = (value: number): string => (loop === null ? '' : ` = ${(value / loop).toFixed(1)} x`);
    return {
      what: `program ${kernel}`,
      figure: `cold ${cold.toFixed(0)} ms CPU${ratio(cold)}, third ${third.toFixed(0)} ms${ratio(third)}`,
      beside: `first / third ${(first / third).toFixed(2)}; ${loop === null ? 'no g++ here' : `g++ -O2 ${loop.toFixed(1)} ms`}`,
    };
  });
}
