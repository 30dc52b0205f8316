/**
 * Measures typical programs, on one thread and with checks. Reports three measurements: the time from reading the text
 * to the end of the first launch, the time of the third launch, and the time that plain loops compiled by g++ -O2 take
 * for the same work. All times are CPU times, which can be measured even on a busy machine. They include the CPU time
 * of V8's own threads. The first launches are measured without stored code, and again with what an earlier process has
 * stored.
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

/**
 * For each program, the launches of one round, written as JavaScript code for a list of kernels with their options.
 * Each buffer has at least 64 MiB, and the sizes of the problems are the same as in programs.cpp.
 */
const launches: Readonly<Record<string, string>> = {
  histogram: "[['histogram', { grid: 240, block: 256, args: [words, out, 3 * 2 ** 24] }]]",
  byte_counters: "[['byte_counters', { grid: (3 * 2 ** 24 / 64 / 60) | 0, block: 64, args: [words, out, 60] }]]",
  convolution: `[
    ['convolve_rows', { grid: [2048 / 64, 2048 / 4], block: [16, 4], args: [real, between, 2048] }],
    ['convolve_columns', { grid: [2048 / 16, 2048 / 32], block: [16, 8], args: [between, out, 2048, 2048] }],
  ]`,
  stencil: "[['stencil', { grid: [7, 28], block: [32, 8], args: [real, out, real, 224, 224, 256] }]]",
  matmul: "[['matmul', { grid: [16, 16], block: [32, 32], args: [real, real, out, 512] }]]",
};

/**
 * A script that prints CPU times in milliseconds. The first is the time from loading the text to the end of the first
 * round of launches. The next three are the times of one round each. The last three are the elapsed times of the
 * rounds. During the first round, V8 also optimizes code on other threads, which adds to the CPU time but not to the
 * elapsed time.
 */
const script = (launch: string): string => `
import { readFileSync } from 'node:fs';
const { Device } = await import('${device}');
const text = readFileSync('${ptx}', 'utf8');
const device = await Device.create();
// The loop is in a separate function, because V8 would otherwise optimize the whole script when the loop becomes hot.
const fill = (words) => {
  for (let i = 0, word = 1; i < words.length; i++) words[i] = word = Math.imul(word, 1664525) + 1013904223;
  return words;
};
const random = fill(new Uint32Array(3 * 2 ** 24));
const words = device.alloc(random);
// Float32Array.from would leave hundreds of megabytes of garbage to be collected during the measured launches.
const fractions = (words) => {
  const made = new Float32Array(words.length);
  for (let i = 0; i < words.length; i++) made[i] = (words[i] >>> 8) * 2 ** -24;
  return made;
};
const real = device.alloc(fractions(random.subarray(2 ** 25)));
const [between, out] = [device.alloc(2 ** 26), device.alloc(2 ** 26)];
const times = [];
const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const waited = [];
const started = cpu();
const module = device.load(text);
const launches = ${launch}.map(([name, options]) => [module.kernel(name), options]);
for (let i = 0; i < 3; i++) {
  const before = cpu();
  const at = performance.now();
  for (const [kernel, options] of launches) {
    const result = await kernel.launch(options);
    if (!result.ok) throw new Error(result.fault.message);
  }
  if (i === 0) times.push(cpu() - started);
  times.push(cpu() - before);
  waited.push(performance.now() - at);
}
console.log([...times, ...waited].join(' '));
`;

const runs = 5;

function median(values: readonly number[]): number {
  return elementAt(
    [...values].sort((a, b) => a - b),
    Math.floor(values.length / 2),
  );
}

/** The path of the compiled program with the plain loops; null if g++ is not installed. */
function compiled(): string | null {
  const program = join(scratchFolder(), 'programs');
  const { error, status } = spawnSync('g++', ['-O2', '-o', program, loops]);
  return error === undefined && status === 0 ? program : null;
}

/** The times that the script prints. `cache` is the folder for compiled kernels, or `off`. */
function timesOf(launch: string, cache: string): readonly number[] {
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script(launch)], {
    encoding: 'utf8',
    env: { ...process.env, PTXLAB_CACHE: cache },
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout.trim().split(' ').map(Number);
}

function mediansOf(times: readonly (readonly number[])[]): readonly number[] {
  return elementAt(times, 0).map((_, at) => median(times.map((one) => elementAt(one, at))));
}

/** How many times as long as the third round the first takes, elapsed and in CPU time. */
function firstByThird([, first = 0, , third = 0, waited = 0, , waitedThird = 0]: readonly number[]): string {
  return `${(waited / waitedThird).toFixed(2)} elapsed, ${(first / third).toFixed(2)} CPU`;
}

export function programRows(): readonly Row[] {
  const program = compiled();
  const cache = join(scratchFolder(), 'code');
  return Object.entries(launches).map(([name, launch]) => {
    const times: (readonly number[])[] = [];
    const stored: (readonly number[])[] = [];
    const native: number[] = [];
    timesOf(launch, cache);
    // Runs of the native program alternate with runs of ptxlab, so that any other load on the machine slows down both
    // programs equally.
    for (let i = 0; i < runs; i++) {
      times.push(timesOf(launch, 'off'));
      stored.push(timesOf(launch, cache));
      if (program !== null) native.push(Number(spawnSync(program, [name], { encoding: 'utf8' }).stdout));
    }
    const medians = mediansOf(times);
    const [cold = 0, , , third = 0] = medians;
    const loop = program === null ? null : median(native);
    const ratio = (value: number): string => (loop === null ? '' : ` = ${(value / loop).toFixed(1)} x`);
    return {
      what: `program ${name}`,
      figure: `cold ${cold.toFixed(0)} ms CPU${ratio(cold)}, third ${third.toFixed(0)} ms${ratio(third)}`,
      beside: `first / third ${firstByThird(medians)}, with stored code ${firstByThird(mediansOf(stored))}; ${loop === null ? 'no g++ here' : `g++ -O2 ${loop.toFixed(1)} ms`}`,
    };
  });
}
