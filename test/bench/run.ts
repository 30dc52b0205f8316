/**
 * `npm run bench`: the figures ptxlab promises, each beside something measured in the same run. Prints a table, and
 * writes it as JSON where asked.
 *
 * usage: tsx test/bench/run.ts [--json FILE]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bench } from 'tinybench';
import { resolveMnemonic } from '../../src/check/resolve.ts';
import { type Argument, Device, type Extent } from '../../src/device.ts';
import { evaluator } from '../../src/interp/evaluate.ts';
import { newestVersion } from '../../src/isa/targets.ts';
import { makeModule } from './make-module.ts';

interface Row {
  readonly what: string;
  readonly figure: string;
  readonly beside: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ptxlab-bench-'));
const rows: Row[] = [];

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

// --- check ----------------------------------------------------------------------------------------------------------

const runs = 5;
const moduleBytes = 10_000_000;

/** Printed by the process itself when it ends, since a parent cannot ask. */
const hook = join(folder, 'usage.cjs');
writeFileSync(
  hook,
  `process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    process.stderr.write('\\n@' + JSON.stringify({ cpu: (user + system) / 1e6, rss: process.resourceUsage().maxRSS / 1024 }));
  });`,
);

interface Usage {
  readonly wall: number;
  readonly cpu: number;
  readonly rss: number;
}

function ptxlab(...args: readonly string[]): Usage {
  const started = performance.now();
  const run = spawnSync(process.execPath, ['-r', hook, join(root, 'dist/cli/main.js'), ...args], { encoding: 'utf8' });
  const wall = (performance.now() - started) / 1000;
  const { cpu, rss } = JSON.parse(run.stderr.slice(run.stderr.lastIndexOf('@') + 1)) as { cpu: number; rss: number };
  return { wall, cpu, rss };
}

/** Seconds that ptxas takes to read and check a file; an error at its end keeps it from compiling. Null without ptxas. */
function ptxas(file: string): number | null {
  const started = performance.now();
  const run = spawnSync('ptxas', ['-arch', 'sm_100a', '-o', join(folder, 'out.cubin'), file], { stdio: 'ignore' });
  return run.error === undefined ? (performance.now() - started) / 1000 : null;
}

function benchCheck(): void {
  const file = join(folder, 'big.ptx');
  const text = `${[...makeModule(moduleBytes)].join('')}\n.visible .entry wrong() { .reg .b32 %r<2>; cvt.u32 %r0, %r1; ret; }\n`;
  writeFileSync(file, text);
  const size = text.length / 1e6;
  const ours: Usage[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < runs; i++) {
    ours.push(ptxlab('check', '--quiet', file));
    const seconds = ptxas(file);
    if (seconds !== null) theirs.push(seconds);
  }
  const rate = (seconds: number): string => `${(size / seconds).toFixed(1)} MB/s`;
  const wall = median(ours.map((usage) => usage.wall));
  const beside = theirs.length === 0 ? 'no ptxas here' : `ptxas ${rate(median(theirs))} wall`;
  const cpu = median(ours.map((usage) => usage.cpu));
  rows.push({
    what: `check, ${size.toFixed(1)} MB, cold`,
    figure: `${rate(wall)} wall, ${rate(cpu)} of CPU time`,
    beside,
  });
  const most = Math.max(...ours.map((usage) => usage.rss));
  rows.push({ what: 'peak memory of that', figure: `${most.toFixed(0)} MiB`, beside: 'limit 600 MiB' });
  const version = median(Array.from({ length: runs }, () => ptxlab('--version').cpu));
  rows.push({
    what: 'ptxlab --version',
    figure: `${(version * 1000).toFixed(0)} ms of CPU time`,
    beside: 'limit 200 ms',
  });
}

// --- eval -----------------------------------------------------------------------------------------------------------

async function benchEval(): Promise<void> {
  const bench = new Bench({ time: 300 });
  const environment = { sm: 100, version: newestVersion };
  const inputs = Array.from({ length: 1024 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
  const mnemonics = ['cvt.rn.f16.f32', 'cvt.rn.satfinite.e4m3x2.f32', 'cvt.rzi.s32.f32', 'cvt.u8.u32'];
  for (const mnemonic of mnemonics) {
    const resolution = resolveMnemonic(mnemonic);
    const variant = resolution.kind === 'variants' ? resolution.variants[0] : undefined;
    const prepared = variant === undefined ? null : evaluator(variant, environment);
    if (prepared === null) throw new Error(mnemonic);
    bench.add(mnemonic, () => {
      for (const bits of inputs) prepared.run([bits, bits]);
    });
  }
  await bench.run();
  for (const task of bench.tasks) {
    const { result } = task;
    if (!('latency' in result)) throw new Error(`${task.name} did not run`);
    const rate = inputs.length / result.latency.mean / 1000;
    rows.push({ what: `eval ${task.name}`, figure: `${rate.toFixed(2)} M/s`, beside: 'exact arithmetic' });
  }
}

// --- run ------------------------------------------------------------------------------------------------------------

interface Job {
  readonly kernel: string;
  readonly file: string;
  readonly grid: Extent;
  readonly block: Extent;
  readonly args: (device: Device) => readonly Argument[];
}

const zeros = (device: Device, count: number): Argument => device.alloc(new Float32Array(count).fill(1.5));

const jobs: readonly Job[] = [
  {
    kernel: 'vecadd',
    file: 'bench_vecadd',
    grid: 64,
    block: 256,
    args: (d) => [zeros(d, 16384), zeros(d, 16384), zeros(d, 16384), 16384],
  },
  {
    kernel: 'saxpyloop',
    file: 'bench_saxpyloop',
    grid: 4,
    block: 256,
    args: (d) => [zeros(d, 1024), zeros(d, 1024), 0.5, 1024, 100],
  },
  {
    kernel: 'quant',
    file: 'bench_quant_e4m3',
    grid: 64,
    block: 256,
    args: (d) => [zeros(d, 32768), zeros(d, 8192), 0.5, 16384],
  },
  {
    kernel: 'quanth',
    file: 'bench_quant_f16',
    grid: 64,
    block: 256,
    args: (d) => [zeros(d, 16384), zeros(d, 8192), 0.5, 16384],
  },
  {
    kernel: 'matmul',
    file: 'bench_matmul',
    grid: [3, 3],
    block: [16, 16],
    args: (d) => [zeros(d, 2304), zeros(d, 2304), zeros(d, 2304), 48],
  },
  {
    kernel: 'mandel',
    file: 'bench_mandelbrot',
    grid: [3, 3],
    block: [16, 16],
    args: (d) => [zeros(d, 2304), 48, 48, 64],
  },
];

async function benchRun(): Promise<void> {
  for (const job of jobs) {
    const interp = await rateOf(job, 'interp', 1);
    rows.push({ what: `run ${job.kernel}, reference engine`, figure: rateText(interp), beside: 'at least 1' });
    // The same grid many times over, so that a launch lasts long enough to be measured.
    const jit = await rateOf(job, 'jit', 64);
    const beside = `${(jit / interp).toFixed(0)} x the reference engine`;
    rows.push({ what: `run ${job.kernel}, fast engine`, figure: rateText(jit), beside });
  }
}

const rateText = (rate: number): string => `${rate.toFixed(rate < 100 ? 2 : 0)} M thread-instructions/s`;

/** Median rate of a kernel; `layers` grids of the job in z, all doing the same. */
async function rateOf(job: Job, engine: 'interp' | 'jit', layers: number): Promise<number> {
  const device = await Device.create();
  const source = readFileSync(join(root, 'examples/kernels', `${job.file}.ptx`), 'utf8');
  const kernel = device.load(source).kernel(job.kernel);
  const args = job.args(device);
  const [x, y = 1] = typeof job.grid === 'number' ? [job.grid] : job.grid;
  const rates: number[] = [];
  for (let i = 0; i < runs; i++) {
    const result = await kernel.launch({ grid: [x, y, layers], block: job.block, args, engine });
    if (!result.ok) throw new Error(result.fault.message);
    rates.push(result.stats.instructions / result.stats.milliseconds / 1000);
  }
  return median(rates);
}

// --- report ---------------------------------------------------------------------------------------------------------

benchCheck();
await benchEval();
await benchRun();
const width = Math.max(...rows.map((row) => row.what.length));
for (const { what, figure, beside } of rows) console.log(`${what.padEnd(width)}  ${figure.padEnd(44)}  ${beside}`);
const json = process.argv.indexOf('--json');
const target = json < 0 ? undefined : process.argv[json + 1];
if (target !== undefined) writeFileSync(target, `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`);
