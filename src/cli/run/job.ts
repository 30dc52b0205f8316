/** `ptxlab run --job`: a run described by JSON, answered by JSON. */
import { dirname, resolve } from 'node:path';
import { defaultMemorySize, type Dim3 } from '../../device.ts';
import { diagnosticRecord } from '../../diagnostics/renderers/json.ts';
import { type ExitCode, UsageError } from '../exit.ts';
import { readInput } from '../io.ts';
import { readIsa, readTarget } from '../options.ts';
import { writeOut } from '../output.ts';
import { readAll, readJobArgument } from './inputs.ts';
import { readTraceKey } from './trace-text.ts';
import { execute, type PrintedOutput, type RunOutcome, type RunRequest } from './launch.ts';
import { type JsonObject, isJsonObject } from '../json-object.ts';

/** Runs a job file, `-` for stdin. Paths in it are relative to the file, or to the working directory for stdin. */
export async function runJob(path: string): Promise<ExitCode> {
  const text = await readInput(path);
  if (!text.ok) throw new UsageError(text.error);
  const request = await readJob(parseJob(text.value), path === '-' ? '.' : dirname(path));
  const outcome = await execute(request.run);
  await writeOut(`${JSON.stringify(answer(outcome, request.isRepeated))}\n`);
  return outcome.kind === 'done' ? 0 : 1;
}

function parseJob(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    throw new UsageError('the job is not JSON');
  }
  throw new UsageError('the job is not a JSON object');
}

const knownKeys: ReadonlySet<string> = new Set([
  'ptx',
  'source',
  'entry',
  'target',
  'isa',
  'gpu',
  'grid',
  'block',
  'sharedBytes',
  'cooperative',
  'engine',
  'workers',
  'repeat',
  'args',
  'unchecked',
  'memory',
  'timeout',
  'budget',
  'printLimit',
  'trace',
]);

interface Job {
  readonly run: RunRequest;
  readonly isRepeated: boolean;
}

async function readJob(job: JsonObject, folder: string): Promise<Job> {
  for (const key of Object.keys(job))
    if (!knownKeys.has(key)) throw new UsageError(`the job has an unknown key '${key}'`);
  const ptx = optionalText(job, 'ptx');
  const source = optionalText(job, 'source');
  if ((ptx === null) === (source === null))
    throw new UsageError("a job needs either 'ptx', a path, or 'source', a text");
  const args = job['args'] ?? [];
  if (!Array.isArray(args)) throw new UsageError("'args' is not a list");
  const repeat = optionalCount(job, 'repeat');
  const trace = readTraceKey(job['trace']);
  const memory = optionalCount(job, 'memory');
  const run: RunRequest = {
    source: source ?? (await readModule(resolve(folder, ptx ?? ''))),
    name: ptx ?? '<job>',
    entry: optionalText(job, 'entry'),
    target: readTarget(optionalText(job, 'target') ?? undefined) ?? null,
    isa: readIsa(optionalText(job, 'isa') ?? undefined) ?? null,
    gpu: optionalText(job, 'gpu'),
    grid: readExtent(job['grid'], 'grid'),
    block: readExtent(job['block'], 'block'),
    engine: readEngine(optionalText(job, 'engine'), trace !== null),
    workers: optionalCount(job, 'workers') ?? 0,
    sharedBytes: optionalCount(job, 'sharedBytes') ?? 0,
    cooperative: optionalFlag(job, 'cooperative'),
    inputs: await readAll<unknown>(args, memory ?? defaultMemorySize, (entry, i, room) =>
      readJobArgument(entry, i, { folder, room }),
    ),
    repeat: repeat ?? 1,
    unchecked: optionalFlag(job, 'unchecked'),
    memory,
    timeout: optionalNumber(job, 'timeout'),
    budget: optionalCount(job, 'budget'),
    printLimit: optionalCount(job, 'printLimit'),
    onPrint: () => undefined,
    trace,
  };
  if (run.repeat < 1) throw new UsageError("'repeat' must be at least 1");
  return { run, isRepeated: repeat !== null };
}

async function readModule(path: string): Promise<string> {
  const text = await readInput(path);
  if (!text.ok) throw new UsageError(text.error);
  return text.value;
}

/** The engine with that name; by default the fast one, or with a trace the reference engine. */
export function readEngine(engine: string | null, traces: boolean): 'interp' | 'jit' {
  if (engine === null) return traces ? 'interp' : 'jit';
  if (engine === 'jit') {
    if (traces) throw new UsageError("engine 'jit' does not trace; leave it out, or name 'interp'");
    return engine;
  }
  if (engine === 'interp') return engine;
  throw new UsageError(`unknown engine '${engine}'; choose 'interp' or 'jit'`);
}

function readExtent(value: unknown, name: string): Dim3 {
  if (value === undefined) return [1, 1, 1];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const numbers = list.map(Number);
  if (list.length < 1 || list.length > 3 || numbers.some((extent) => !Number.isSafeInteger(extent))) {
    throw new UsageError(`'${name}' must be up to three whole numbers, x first`);
  }
  return [numbers[0] ?? 1, numbers[1] ?? 1, numbers[2] ?? 1];
}

function optionalText(job: JsonObject, key: string): string | null {
  const value = job[key] ?? null;
  if (value !== null && typeof value !== 'string') throw new UsageError(`'${key}' is not a string`);
  return value;
}

function optionalFlag(job: JsonObject, key: string): boolean {
  const value = job[key] ?? false;
  if (typeof value !== 'boolean') throw new UsageError(`'${key}' is neither true nor false`);
  return value;
}

function optionalNumber(job: JsonObject, key: string): number | null {
  const value = job[key] ?? null;
  if (value !== null && (typeof value !== 'number' || value < 0))
    throw new UsageError(`'${key}' is not a positive number`);
  return value;
}

function optionalCount(job: JsonObject, key: string): number | null {
  const value = optionalNumber(job, key);
  if (value !== null && !Number.isSafeInteger(value)) throw new UsageError(`'${key}' is not a whole number`);
  return value;
}

function answer(outcome: RunOutcome, isRepeated: boolean): object {
  switch (outcome.kind) {
    case 'refused':
      return { ok: false, diagnostics: outcome.diagnostics.map((found) => diagnosticRecord(outcome.text, found)) };
    case 'fault':
      return { ok: false, fault: outcome.fault, ...printedIn(outcome.output) };
    case 'done': {
      const { threads, instructions } = outcome.stats;
      const milliseconds = isRepeated ? outcome.milliseconds : (outcome.milliseconds[0] ?? 0);
      const args = outcome.outputs.map((bytes) =>
        bytes === null ? null : { hex: Buffer.from(bytes).toString('hex') },
      );
      return { ok: true, args, stats: { threads, instructions, milliseconds }, ...printedIn(outcome.output) };
    }
  }
}

/** Only kernels that print have the keys. */
function printedIn({ printed, printsDropped }: PrintedOutput): Partial<PrintedOutput> {
  return { ...(printed === '' ? {} : { printed }), ...(printsDropped === 0 ? {} : { printsDropped }) };
}
