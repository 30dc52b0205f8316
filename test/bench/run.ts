/**
 * `npm run bench`: measures all speeds and times that ptxlab publishes. For each measurement, the same run also
 * measures a reference for comparison. Prints a table, and with --json also writes JSON.
 *
 * tsx test/bench/run.ts [--only check,documents,eval,first,run,programs,shuffles,matrices,tensor,arrays,gguf,serve,keys]
 * [--json FILE]
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Bench } from 'tinybench';
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import { evaluator } from '../../src/interp/evaluate.ts';
import { realCheckRows } from './run-check.ts';
import { firstBlockRows } from './first-block.ts';
import { documentRows } from './run-documents.ts';
import { makeModule } from './make-module.ts';
import { arrayRows } from './run-arrays.ts';
import { ggufRows } from './run-gguf.ts';
import { keyRows } from './run-keys.ts';
import { jobs, mandelbrotBeside, type Row, rowsOf } from './run-kernels.ts';
import { matrixRows } from './run-matrices.ts';
import { programRows } from './run-programs.ts';
import { serveRows } from './run-serve.ts';
import { shuffleRows } from './run-shuffles.ts';
import { tensorProductRows } from './run-tensor-products.ts';
import { scratchFolder } from './scratch-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = scratchFolder();
const rows: Row[] = [];

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

// --- check ----------------------------------------------------------------------------------------------------------

const runs = 5;
const moduleBytes = 10_000_000;

/**
 * The measured process prints its own resource usage just before it exits, because its parent process cannot query that
 * usage.
 */
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
  const run = spawnSync(process.execPath, ['-r', hook, join(root, 'dist/bin/ptxlab.js'), ...args], {
    encoding: 'utf8',
  });
  const wall = (performance.now() - started) / 1000;
  const { cpu, rss } = JSON.parse(run.stderr.slice(run.stderr.lastIndexOf('@') + 1)) as { cpu: number; rss: number };
  return { wall, cpu, rss };
}

/**
 * The number of seconds that ptxas takes to read and check a file. The file ends with an error, so that ptxas does not
 * go on to compile it. Null if ptxas is not installed.
 */
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
  rows.push(...realCheckRows());
  const small = join(root, 'examples/kernels/bench_saxpyloop.ptx');
  const starts: readonly (readonly string[])[] = [
    ['check', '--quiet', small],
    ['eval', 'cvt.rn.f16.f32', '1.5'],
  ];
  for (const args of starts) {
    const start = median(Array.from({ length: runs }, () => ptxlab(...args).cpu));
    const figure = `${(start * 1000).toFixed(0)} ms of CPU time`;
    rows.push({ what: `ptxlab ${args[0]}, one small input`, figure, beside: 'ptxas starts in about 6 ms' });
  }
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
  const environment = namedEnvironment('sm_100', '9.1');
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

async function benchRun(): Promise<void> {
  for (const job of jobs) rows.push(...(await rowsOf(job)));
  const beside = mandelbrotBeside();
  rows.push({
    what: 'mandelbrot by g++ -O3 -march=native',
    figure: beside,
    beside: 'the fast engine may take 3 times as long',
  });
}

// --- report ---------------------------------------------------------------------------------------------------------

const parts: Readonly<Record<string, () => unknown>> = {
  check: benchCheck,
  documents: () => rows.push(...documentRows()),
  eval: benchEval,
  first: () => rows.push(...firstBlockRows()),
  run: benchRun,
  programs: () => rows.push(...programRows()),
  shuffles: async () => rows.push(...(await shuffleRows())),
  matrices: async () => rows.push(...(await matrixRows())),
  tensor: () => rows.push(...tensorProductRows()),
  arrays: () => rows.push(...arrayRows()),
  gguf: async () => rows.push(...(await ggufRows())),
  serve: async () => rows.push(...(await serveRows())),
  keys: async () => rows.push(...(await keyRows())),
};
// Only `programs` measures what stored code changes.
process.env['PTXLAB_CACHE'] = 'off';

// Unknown arguments are rejected, because a run takes ten minutes.
const { values: flags } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } });
const chosen = flags.only?.split(',') ?? Object.keys(parts);
for (const name of chosen) {
  const part = parts[name];
  if (part === undefined) throw new Error(`'${name}' is not one of ${Object.keys(parts).join(', ')}`);
  await part();
}
const width = Math.max(...rows.map((row) => row.what.length));
for (const { what, figure, beside } of rows) console.log(`${what.padEnd(width)}  ${figure.padEnd(44)}  ${beside}`);
if (flags.json !== undefined)
  writeFileSync(flags.json, `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`);
