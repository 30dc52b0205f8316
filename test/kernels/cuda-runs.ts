/**
 * Kernels as CUDA programmers write them, compiled by nvcc. The expected results were recorded with the same source
 * compiled for the host (tools/build-cuda-kernels.py). Results must match bit for bit, or within the stated bound for
 * functions that the ISA does not require to be exact. The engines must agree with each other on every bit and on the
 * number of instructions, and so must blocks spread over two workers and code without checks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { keysOf } from '../../src/base/records.ts';
import { Device, type LaunchOptions, type LoadedModule } from '../../src/device.ts';
import { built } from '../cli/ptxlab.ts';
import { type CudaCase, difference, inputBytes } from './cuda-inputs.ts';

const folder = new URL('./cuda/', import.meta.url);
const ways = {
  interp: { engine: 'interp' },
  jit: { engine: 'jit' },
  'two workers': { engine: 'jit', workers: 2 },
  unchecked: { engine: 'jit', unchecked: true },
} as const satisfies Readonly<Record<string, LaunchOptions>>;
export type Way = keyof typeof ways;

/** One kernel of one PTX file. */
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

/** Each PTX file with the cases of its source. */
const builds: readonly (readonly [file: string, runs: readonly Run[]])[] = readdirSync(folder)
  .filter((file) => file.endsWith('.ptx'))
  .map((file) => {
    const lines = textOf(`${file.split('.')[0]}.jsonl`)
      .trimEnd()
      .split('\n');
    return [file, lines.map((line) => ({ file, given: JSON.parse(line) as CudaCase }))];
  });

/** The shortest file of each source, whose kernels take the reference engine the least time. */
export const shortestBuilds: ReadonlySet<string> = new Set(
  new Map(
    builds
      .map(([file]) => file)
      .toSorted((a, b) => textOf(b).length - textOf(a).length)
      .map((file) => [file.split('.')[0], file]),
  ).values(),
);

/** The number of rounds that a thread waits in a loop depends on when other threads get their turns. */
function waits({ file, given }: Run): boolean {
  const text = textOf(file);
  const start = text.indexOf(`.entry ${given.kernel}(`);
  const kernel = text.slice(start, text.indexOf('\n}', start));
  // Without optimization, intrinsics are functions of the module.
  const code = /\bcall\b/.test(kernel) ? text : kernel;
  return /\bld\.(volatile|acquire|relaxed)|\bnanosleep|\batom[.\w:]*\.(cas|exch)/.test(code);
}

interface Loaded {
  readonly device: Device;
  readonly module: LoadedModule;
}

/**
 * The module of the most recent file, on one device for each way to run it; its kernels run one after the other and
 * share compiled code.
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
  // Copies of structures include padding that was never written.
  const result = await kernel.launch({ grid, block, sharedBytes, args, uninitialized: 'zero', ...ways[way] });
  if (!result.ok) throw new Error(`${result.fault.code} at line ${result.fault.line}: ${result.fault.message}`);
  const after = args.map((arg) => (arg instanceof Uint8Array ? arg : arg.read()));
  for (const arg of args) if (!(arg instanceof Uint8Array)) arg.free();
  return { after, instructions: result.stats.instructions };
}

/** The result of the reference engine for each run, to compare the other engine with. */
const references = new Map<Run, Ended>();

async function check(run: Run, way: Way): Promise<void> {
  const ended = await launch(run, way);
  if (way === 'interp') references.set(run, ended);
  const differences = run.given.args.flatMap((input, i) => {
    const found = difference(ended.after[i] as Uint8Array, inputBytes(input), run.given.after[i] ?? 'unchanged');
    return found === null ? [] : [`argument ${i} ${found}`];
  });
  expect(differences).toEqual([]);
  // Absent if only one engine's tests were selected.
  const reference = references.get(run);
  if (reference === undefined) return;
  expect(ended.after).toEqual(reference.after);
  if (!waits(run)) expect(ended.instructions).toBe(reference.instructions);
}

/** Declares a test for each kernel of each file and each way of running it, if `tells` returns true. */
export function testCudaBuilds(tells: (way: Way, run: Run) => boolean): void {
  // Worker threads run the built package.
  beforeAll(built, 120_000);

  describe.each(builds)('%s', (_, runs) => {
    for (const way of keysOf(ways)) {
      const telling = runs.filter((run) => tells(way, run));
      // A describe without tests is an error.
      if (telling.length === 0) continue;
      describe(`on ${way}`, () => {
        for (const run of telling) test(run.given.kernel, () => check(run, way));
      });
    }
  });
}
