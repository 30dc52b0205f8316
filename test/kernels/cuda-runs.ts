/**
 * Runs kernels that are written in typical CUDA C++ and compiled by nvcc. The expected results were recorded by
 * compiling the same source for the host and running it there (tools/build-cuda-kernels.py). Results must match the
 * recorded ones bit for bit. If a kernel uses functions that the ISA does not require to be exact, results must match
 * within the stated bound. The fast engine must produce the same bits as the reference engine, and must execute the
 * same number of instructions. These requirements must also be met if two workers share the blocks, and if accesses to
 * memory are not checked. The kernels have no data races, except for those listed as racy.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { keysOf } from '../../src/base/records.ts';
import { Device, type LaunchOptions, type LoadedModule } from '../../src/device.ts';
import { built } from '../cli/ptxlab.ts';
import { type CudaCase, difference, inputBytes } from './cuda-inputs.ts';

const folder = new URL('./cuda/', import.meta.url);
const ways = {
  interp: { engine: 'interp', races: 'report' },
  jit: { engine: 'jit' },
  'two workers': { engine: 'jit', workers: 2 },
  unchecked: { engine: 'jit', unchecked: true },
} as const satisfies Readonly<Record<string, LaunchOptions>>;
export type Way = keyof typeof ways;

/** Kernels that load words without synchronization while other threads change these words with atomic operations. */
const racy: ReadonlySet<string> = new Set([
  'atomics.max_by_cas',
  'blocks.breadth_first',
  'graphs.components',
  'sorts.histogram_narrow',
]);

/** A test case for one kernel in one PTX file. */
export interface Run {
  readonly file: string;
  readonly given: CudaCase;
}

interface Ended {
  /** The bytes of each argument after the launch. */
  readonly after: readonly Uint8Array[];
  readonly instructions: number;
}

const textOf = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

/** Every PTX file, together with the test cases for the CUDA source from which it was compiled. */
const builds: readonly (readonly [file: string, runs: readonly Run[]])[] = readdirSync(folder)
  .filter((file) => file.endsWith('.ptx'))
  .map((file) => {
    const lines = textOf(`${file.split('.')[0]}.jsonl`)
      .trimEnd()
      .split('\n');
    return [file, lines.map((line) => ({ file, given: JSON.parse(line) as CudaCase }))];
  });

/**
 * For each CUDA source, the shortest of the PTX files that were compiled from it. The reference engine runs this file
 * faster than the others.
 */
export const shortestBuilds: ReadonlySet<string> = new Set(
  new Map(
    builds
      .map(([file]) => file)
      .toSorted((a, b) => textOf(b).length - textOf(a).length)
      .map((file) => [file.split('.')[0], file]),
  ).values(),
);

/**
 * Whether the kernel may contain loops in which threads wait for each other. The number of executed instructions then
 * depends on the order in which threads run.
 */
function waits({ file, given }: Run): boolean {
  const text = textOf(file);
  const start = text.indexOf(`.entry ${given.kernel}(`);
  const kernel = text.slice(start, text.indexOf('\n}', start));
  // In builds without optimization, intrinsics are separate functions, so the code of the whole module must be
  // searched.
  const code = /\bcall\b/.test(kernel) ? text : kernel;
  return /\bld\.(volatile|acquire|relaxed)|\bnanosleep|\batom[.\w:]*\.(cas|exch)/.test(code);
}

interface Loaded {
  readonly device: Device;
  readonly module: LoadedModule;
}

/**
 * The module that was loaded last, identified by its file. Each way to run the module has its own device, on which the
 * module is loaded once, so that all kernels of the module share compiled code.
 */
const newest = { file: '', loaded: new Map<Way, Loaded>() };

async function load(file: string, way: Way): Promise<Loaded> {
  if (newest.file !== file) {
    for (const { device } of newest.loaded.values()) device.close();
    newest.loaded.clear();
    newest.file = file;
  }
  const known = newest.loaded.get(way);
  if (known !== undefined) return known;
  const device = await Device.create({ simd: true, memory: 2 ** 24 });
  const made = { device, module: device.load(textOf(file)) };
  newest.loaded.set(way, made);
  return made;
}

async function launch({ file, given }: Run, way: Way): Promise<Ended> {
  const { device, module } = await load(file, way);
  const kernel = module.kernel(given.kernel);
  const args = given.args.map((input) => ('value' in input ? inputBytes(input) : device.alloc(inputBytes(input))));
  const { grid, block, sharedBytes } = given;
  // Copies of structures also read their padding, which was never written. Such reads must return zeros.
  const result = await kernel.launch({ grid, block, sharedBytes, args, uninitialized: 'zero', ...ways[way] });
  if (!result.ok) throw new Error(`${result.fault.code} at line ${result.fault.line}: ${result.fault.message}`);
  if (!racy.has(`${file.split('.')[0]}.${given.kernel}`)) expect(result.races).toEqual([]);
  else if (way === 'interp') expect(result.races).not.toEqual([]);
  const after = args.map((arg) => (arg instanceof Uint8Array ? arg : arg.read()));
  for (const arg of args) if (!(arg instanceof Uint8Array)) arg.free();
  return { after, instructions: result.stats.instructions };
}

/** The results of the reference engine, with which the results of the fast engine are compared. */
const references = new Map<Run, Ended>();

async function check(run: Run, way: Way): Promise<void> {
  const ended = await launch(run, way);
  if (way === 'interp') references.set(run, ended);
  const differences = run.given.args.flatMap((input, i) => {
    const found = difference(ended.after[i] as Uint8Array, inputBytes(input), run.given.after[i] ?? 'unchanged');
    return found === null ? [] : [`argument ${i} ${found}`];
  });
  expect(differences).toEqual([]);
  // There is no reference result if only tests of the fast engine were selected.
  const reference = references.get(run);
  if (reference === undefined) return;
  expect(ended.after).toEqual(reference.after);
  if (!waits(run)) expect(ended.instructions).toBe(reference.instructions);
}

/**
 * Declares tests for the kernels of all files. `tells` is called for each combination of a kernel and a way to run it,
 * and returns whether to test this combination.
 */
export function testCudaBuilds(tells: (way: Way, run: Run) => boolean): void {
  // Worker threads run the built package.
  beforeAll(built, 120_000);

  describe.each(builds)('%s', (_, runs) => {
    for (const way of keysOf(ways)) {
      const telling = runs.filter((run) => tells(way, run));
      // Vitest reports an error for a `describe` without tests.
      if (telling.length === 0) continue;
      describe(`on ${way}`, () => {
        for (const run of telling) test(run.given.kernel, () => check(run, way));
      });
    }
  });
}
