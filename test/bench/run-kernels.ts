/**
 * Measures the kernels whose speeds are published, with the same problem sizes as for the published numbers. Each
 * kernel runs on both engines, with and without checks, and with workers.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Argument, Device, type Extent, type Kernel, type LaunchOptions } from '../../src/device.ts';
import { scratchFolder } from './scratch-folder.ts';

export interface Row {
  readonly what: string;
  readonly figure: string;
  readonly beside: string;
}

interface Job {
  readonly kernel: string;
  /** The path of the PTX file, relative to this folder. */
  readonly file: string;
  readonly grid: Extent;
  readonly block: Extent;
  readonly args: (device: Device) => readonly Argument[];
  /** The size of a smaller grid, which takes the reference engine about a second. */
  readonly small: Extent;
  /** Rates of other emulators on a similar machine, in millions of thread-instructions per second. */
  readonly others: string;
}

const zeros = (device: Device, count: number): Argument => device.alloc(new Float32Array(count).fill(1.5));
const mebi = 2 ** 20;

export const jobs: readonly Job[] = [
  {
    kernel: 'vecadd',
    file: '../../examples/kernels/bench_vecadd.ptx',
    grid: mebi / 256,
    block: 256,
    args: (d) => [zeros(d, mebi), zeros(d, mebi), zeros(d, mebi), mebi],
    small: 64,
    others: 'numpy emulator 182, gpuocelot 69',
  },
  {
    kernel: 'saxpyloop',
    file: '../../examples/kernels/bench_saxpyloop.ptx',
    grid: 256,
    block: 256,
    args: (d) => [zeros(d, mebi / 16), zeros(d, mebi / 16), 0.5, mebi / 16, 256],
    small: 4,
    others: 'numpy emulator 1625, gpuocelot 55',
  },
  {
    kernel: 'quant',
    file: '../../examples/kernels/bench_quant_e4m3.ptx',
    grid: mebi / 512,
    block: 256,
    args: (d) => [zeros(d, mebi), zeros(d, mebi / 4), 0.5, mebi / 2],
    small: 64,
    others: 'no other',
  },
  {
    kernel: 'matmul',
    file: '../../examples/kernels/bench_matmul.ptx',
    grid: [16, 16],
    block: [16, 16],
    args: (d) => [zeros(d, 65_536), zeros(d, 65_536), zeros(d, 65_536), 256],
    small: 4,
    others: 'numpy emulator 476, gpuocelot 58',
  },
  {
    kernel: 'mandel',
    file: '../../examples/kernels/bench_mandelbrot.ptx',
    grid: [32, 32],
    block: [16, 16],
    args: (d) => [zeros(d, 512 * 512), 512, 512, 256],
    small: [32, 2],
    others: 'numpy emulator 149, gpuocelot 54',
  },
  {
    kernel: 'quanth',
    file: '../../examples/kernels/bench_quant_f16.ptx',
    grid: mebi / 256,
    block: 256,
    args: (d) => [zeros(d, mebi), zeros(d, mebi / 2), 0.5, mebi],
    small: 64,
    others: 'numpy emulator 164',
  },
  {
    kernel: 'tiled',
    file: 'kernels/cooperation.ptx',
    grid: [16, 16],
    block: [16, 16],
    args: (d) => [zeros(d, 65_536), zeros(d, 65_536), zeros(d, 65_536), 256],
    small: 4,
    others: 'barriers: at least 1000',
  },
  {
    kernel: 'warpsum',
    file: 'kernels/cooperation.ptx',
    grid: mebi / 256,
    block: 256,
    args: (d) => [zeros(d, mebi), zeros(d, mebi / 32), mebi],
    small: 64,
    others: 'shuffles: at least 500',
  },
  ...(['asserted', 'called'] as const).map((kernel) => ({
    kernel,
    file: 'kernels/calls.ptx',
    grid: 256,
    block: 256,
    args: (d: Device) => [zeros(d, mebi / 16), zeros(d, mebi / 16), 0.5, mebi / 16, 256],
    small: 4,
    others: kernel === 'asserted' ? 'a call that is never made' : 'a call in each round',
  })),
];

const launches = 9;

/**
 * Measures how fast a job runs. Each configuration is measured in its own process, and only one process runs at a time.
 */
export async function rowsOf(job: Job): Promise<readonly Row[]> {
  const device = await Device.create();
  const source = readFileSync(new URL(job.file, import.meta.url), 'utf8');
  const kernel = device.load(source).kernel(job.kernel);
  const args = job.args(device);
  const rate = (options: LaunchOptions, count: number): Promise<number> =>
    rateOf(kernel, { grid: job.grid, block: job.block, args, ...options }, count);
  const fast = await rate({}, launches);
  const unchecked = await rate({ unchecked: true }, launches);
  const spread = await rate({ workers: 2 }, launches);
  const reference = await rate({ engine: 'interp', grid: job.small }, 3);
  return [
    { what: `run ${job.kernel}, fast engine`, figure: text(fast), beside: job.others },
    { what: '  without checks', figure: text(unchecked), beside: `${(unchecked / fast).toFixed(2)} x with checks` },
    { what: '  two workers', figure: text(spread), beside: `${(spread / fast).toFixed(2)} x one thread` },
    {
      what: '  reference engine',
      figure: text(reference),
      beside: `the fast one has ${(fast / reference).toFixed(0)} x`,
    },
  ];
}

const text = (rate: number): string => `${rate.toFixed(rate < 100 ? 2 : 0)} M thread-instructions/s`;

/**
 * The median of the faster half of the launches. The slower half is ignored, because the first launches include
 * compilation.
 */
async function rateOf(kernel: Kernel, options: LaunchOptions, count: number): Promise<number> {
  const rates: number[] = [];
  for (let i = 0; i < count; i++) {
    const result = await kernel.launch(options);
    if (!result.ok) throw new Error(result.fault.message);
    rates.push(result.stats.instructions / result.stats.milliseconds / 1000);
  }
  rates.sort((a, b) => b - a);
  return rates[Math.floor(count / 4)] as number;
}

const mandelbrot = `#include <chrono>
#include <cstdio>
__attribute__((noinline)) static void mandel(int *out, int w, int h, int most) {
  for (int py = 0; py < h; py++) for (int px = 0; px < w; px++) {
    float cr = -2.0f + px * (3.0f / w), ci = -1.5f + py * (3.0f / h), zr = 0, zi = 0;
    int it = 0;
    while (it < most && zr * zr + zi * zi <= 4.0f) { float t = zr * zr - zi * zi + cr; zi = 2 * zr * zi + ci; zr = t; ++it; }
    out[py * w + px] = it;
  }
}
static int out[512 * 512];
int main() {
  double best = 1e9;
  for (int i = 0; i < 9; i++) {
    auto start = std::chrono::steady_clock::now();
    mandel(out, 512, 512, 256);
    double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (took < best) best = took;
  }
  std::printf("%.1f", best);
}
`;

/**
 * Returns the time, in milliseconds, that native code takes to compute the same image on one thread. If the code cannot
 * be compiled, returns a message instead.
 */
export function mandelbrotBeside(): string {
  const folder = scratchFolder();
  const [source, program] = [join(folder, 'mandel.cpp'), join(folder, 'mandel')];
  writeFileSync(source, mandelbrot);
  const built = spawnSync('g++', ['-O3', '-march=native', '-o', program, source]);
  if (built.error !== undefined || built.status !== 0) return 'no g++ here';
  const run = spawnSync(program, { encoding: 'utf8' });
  const milliseconds = Number(run.stdout);
  return `${milliseconds} ms, as ${(170.5 / milliseconds).toFixed(2)} G thread-instructions/s would be`;
}
