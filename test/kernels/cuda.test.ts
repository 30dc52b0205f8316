/**
 * Kernels as CUDA programmers write them, compiled by nvcc, on both engines. What must come out was recorded by the same
 * source compiled for the host (tools/build-cuda-kernels.py): bit for bit, or within the stated bound of a function that
 * the ISA leaves inexact. The engines must agree on every bit either way, and on the count of instructions.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { type CudaCase, difference, inputBytes } from './cuda-inputs.ts';

const folder = new URL('./cuda/', import.meta.url);
const engines = ['interp', 'jit'] as const;
type Engine = (typeof engines)[number];

/** One kernel of one PTX file. */
interface Run {
  readonly file: string;
  readonly given: CudaCase;
}

interface Ended {
  /** What each argument's bytes are after the launch. */
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

/** A thread that waits in a loop makes as many rounds as it takes until others have had their turn. */
function waits({ file, given }: Run): boolean {
  const text = textOf(file);
  const start = text.indexOf(`.entry ${given.kernel}(`);
  return /\bld\.(volatile|acquire|relaxed)|\bnanosleep|\batom[.\w:]*\.(cas|exch)/.test(
    text.slice(start, text.indexOf('\n}', start)),
  );
}

async function launch({ file, given }: Run, engine: Engine): Promise<Ended> {
  const device = await Device.create({ memory: 2 ** 24 });
  const kernel = device.load(textOf(file)).kernel(given.kernel);
  const args = given.args.map((input) => ('value' in input ? inputBytes(input) : device.alloc(inputBytes(input))));
  const { grid, block, sharedBytes } = given;
  // Copies of structures have holes that nobody wrote.
  const result = await kernel.launch({ grid, block, sharedBytes, args, engine, uninitialised: 'zero' });
  if (!result.ok) throw new Error(`${result.fault.code} at line ${result.fault.line}: ${result.fault.message}`);
  const after = args.map((arg) => (arg instanceof Uint8Array ? arg : arg.read()));
  return { after, instructions: result.stats.instructions };
}

/** What the reference engine made of each run, for the other to be held against. */
const references = new Map<Run, Ended>();

async function check(run: Run, engine: Engine): Promise<void> {
  const ended = await launch(run, engine);
  if (engine === 'interp') references.set(run, ended);
  const differences = run.given.args.flatMap((input, i) => {
    const found = difference(ended.after[i] as Uint8Array, inputBytes(input), run.given.after[i] ?? 'unchanged');
    return found === null ? [] : [`argument ${i} ${found}`];
  });
  expect(differences).toEqual([]);
  // Absent where only one engine's tests were asked for.
  const reference = references.get(run);
  if (reference === undefined) return;
  expect(ended.after).toEqual(reference.after);
  if (!waits(run)) expect(ended.instructions).toBe(reference.instructions);
}

describe.each(engines)('on %s', (engine) => {
  describe.each(builds)('%s', (_, runs) => {
    for (const run of runs) test(run.given.kernel, () => check(run, engine));
  });
});
