/** `ptxlab run --job`: a run described in JSON and answered in JSON. */
import { dirname, resolve } from 'node:path';
import { defaultMemorySize, type Dim3 } from '../../device.ts';
import { diagnosticRecord } from '../../diagnostics/renderers/json.ts';
import { type ExitCode, UsageError } from '../exit.ts';
import { readInput } from '../io.ts';
import { readGpu, readIsa, readTarget } from '../options.ts';
import { write } from '../output.ts';
import type { Session } from '../session.ts';
import { type JobPlace, readAll, readJobArgument, readJobContents } from './inputs.ts';
import { readTraceKey, traceLine } from './trace-text.ts';
import {
  execute,
  type LaunchOutcome,
  type LaunchRequest,
  type PrintedOutput,
  type RunOutcome,
  type RunRequest,
} from './launch.ts';
import { type JsonObject, isJsonObject } from '../json-object.ts';

/** Runs a job file, `-` for stdin. Paths in it are relative to the file, or to the working directory for stdin. */
export async function runJob(path: string, session: Session): Promise<ExitCode> {
  const text = await readInput(path, session);
  if (!text.ok) throw new UsageError(text.error);
  const request = await readJob(parseJob(text.value), path === '-' ? '.' : dirname(path), session);
  const outcome = await execute(request.run);
  await write(session.stdout, `${JSON.stringify(answer(outcome, request))}\n`);
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

/** Keys of a launch. In a job with a list of launches, keys next to the list are the defaults of all launches. */
const launchKeys = [
  'entry',
  'grid',
  'block',
  'sharedBytes',
  'cooperative',
  'engine',
  'args',
  'unchecked',
  'unsupported',
  'timeout',
  'budget',
  'printLimit',
  'trace',
];

const jobKeys = [
  ...launchKeys,
  'ptx',
  'source',
  'target',
  'isa',
  'gpu',
  'workers',
  'repeat',
  'memory',
  'buffers',
  'variables',
  'read',
  'launches',
];

interface Job {
  readonly run: RunRequest;
  readonly isRepeated: boolean;
  /** Whether the answer has a list of launches. */
  readonly isList: boolean;
}

async function readJob(job: JsonObject, folder: string, session: Session): Promise<Job> {
  requireKeys(job, jobKeys, 'the job');
  const ptx = optionalText(job, 'ptx');
  const source = optionalText(job, 'source');
  if ((ptx === null) === (source === null))
    throw new UsageError("a job needs either 'ptx', a path, or 'source', a text");
  const repeat = optionalCount(job, 'repeat');
  const isList = job['launches'] !== undefined;
  if (isList && repeat !== null) throw new UsageError("a job cannot have both 'repeat' and 'launches'");
  const memory = optionalCount(job, 'memory');
  const place: JobPlace = { folder, room: memory ?? defaultMemorySize };
  const variables = await readJobContents(job['variables'], 'variable', place);
  const run: RunRequest = {
    source: source ?? (await readModule(resolve(folder, ptx ?? ''), session)),
    name: ptx ?? '<job>',
    target: readTarget(optionalText(job, 'target') ?? undefined) ?? null,
    isa: readIsa(optionalText(job, 'isa') ?? undefined) ?? null,
    gpu: readGpu(optionalText(job, 'gpu') ?? undefined),
    workers: optionalCount(job, 'workers') ?? 0,
    memory,
    buffers: await readJobContents(job['buffers'], 'buffer', place),
    launches: isList ? await readLaunches(job, variables, place) : [await readLaunch(job, variables, place)],
    read: readNames(job['read']),
    repeat: repeat ?? 1,
    onPrint: () => undefined,
    onTrace: (event) => session.stderr.write(`${traceLine(event)}\n`),
  };
  if (run.repeat < 1) throw new UsageError("'repeat' must be at least 1");
  return { run, isRepeated: repeat !== null, isList };
}

type Contents = ReadonlyMap<string, Uint8Array>;

/** The variables of the job are written before the first launch. */
async function readLaunches(job: JsonObject, first: Contents, place: JobPlace): Promise<readonly LaunchRequest[]> {
  const list: unknown = job['launches'];
  if (!Array.isArray(list) || list.length === 0) throw new UsageError("'launches' is not a list of launches");
  const launches: LaunchRequest[] = [];
  for (const entry of list) {
    const where = `launch ${launches.length}`;
    if (!isJsonObject(entry)) throw new UsageError(`${where} is not an object`);
    requireKeys(entry, [...launchKeys, 'variables'], where);
    const own = await readJobContents(entry['variables'], 'variable', place);
    const variables = launches.length === 0 ? new Map([...first, ...own]) : own;
    launches.push(await readLaunch({ ...job, ...entry }, variables, place));
  }
  return launches;
}

async function readLaunch(job: JsonObject, variables: Contents, place: JobPlace): Promise<LaunchRequest> {
  const args = job['args'] ?? [];
  if (!Array.isArray(args)) throw new UsageError("'args' is not a list");
  const trace = readTraceKey(job['trace']);
  return {
    entry: optionalText(job, 'entry'),
    grid: readExtent(job['grid'], 'grid'),
    block: readExtent(job['block'], 'block'),
    engine: readEngine(optionalText(job, 'engine'), trace !== null),
    sharedBytes: optionalCount(job, 'sharedBytes') ?? 0,
    cooperative: optionalFlag(job, 'cooperative'),
    inputs: await readAll<unknown>(args, place.room, (entry, i, room) => readJobArgument(entry, i, { ...place, room })),
    variables,
    unchecked: optionalFlag(job, 'unchecked'),
    unsupported: readUnsupported(optionalText(job, 'unsupported')),
    timeout: optionalNumber(job, 'timeout'),
    budget: optionalCount(job, 'budget'),
    printLimit: optionalCount(job, 'printLimit'),
    trace,
  };
}

function requireKeys(found: JsonObject, known: readonly string[], where: string): void {
  for (const key of Object.keys(found))
    if (!known.includes(key)) throw new UsageError(`${where} has an unknown key '${key}'`);
}

function readUnsupported(text: string | null): 'refuse' | 'fault' {
  if (text === null || text === 'refuse' || text === 'fault') return text ?? 'refuse';
  throw new UsageError(`'unsupported' must be 'refuse' or 'fault', not '${text}'`);
}

function readNames(value: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [null];
  return names.map((name) => {
    if (typeof name === 'string') return name;
    throw new UsageError("'read' must be a list of variable names");
  });
}

async function readModule(path: string, session: Session): Promise<string> {
  const text = await readInput(path, session);
  if (!text.ok) throw new UsageError(text.error);
  return text.value;
}

/** The engine with that name. The default is the fast engine, or, for a trace, the reference engine. */
export function readEngine(engine: string | null, traces: boolean): 'interp' | 'jit' {
  if (engine === null) return traces ? 'interp' : 'jit';
  if (engine === 'jit') {
    if (traces) throw new UsageError("engine 'jit' cannot trace; omit it or use 'interp'");
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
  if (typeof value !== 'boolean') throw new UsageError(`'${key}' must be true or false`);
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

function answer(outcome: RunOutcome, { isRepeated, isList }: Job): object {
  switch (outcome.kind) {
    case 'refused':
      return { ok: false, diagnostics: outcome.diagnostics.map((found) => diagnosticRecord(outcome.text, found)) };
    case 'fault': {
      const { fault, launch, output } = outcome;
      return { ok: false, fault, ...(isList ? { launch } : {}), ...printedIn(output), ...lowVersionIn(outcome) };
    }
    case 'done': {
      const launches = outcome.launches.map((launch) => launchAnswer(launch));
      const memories = {
        ...hexes('buffers', outcome.buffers),
        ...hexes('variables', outcome.variables),
        ...lowVersionIn(outcome),
      };
      if (isList) return { ok: true, launches, ...memories };
      const [only] = launches;
      const milliseconds = isRepeated ? outcome.milliseconds : (outcome.milliseconds[0] ?? 0);
      return { ok: true, ...only, stats: { ...only?.stats, milliseconds }, ...memories };
    }
  }
}

/** `version` and `warnings`, omitted if the module ran by the rules of its own version. */
function lowVersionIn({ text, lowVersion }: Extract<RunOutcome, { readonly kind: 'done' | 'fault' }>): object {
  if (lowVersion === null) return {};
  const { used, warnings } = lowVersion;
  return { version: used, warnings: warnings.map((found) => diagnosticRecord(text, found)) };
}

interface LaunchAnswer extends Partial<PrintedOutput> {
  readonly args: readonly (object | null)[];
  readonly stats: LaunchOutcome['stats'];
}

function launchAnswer({ outputs, stats, output }: LaunchOutcome): LaunchAnswer {
  const { threads, instructions, milliseconds } = stats;
  const args = outputs.map((bytes) => (bytes === null ? null : hexOf(bytes)));
  return { args, stats: { threads, instructions, milliseconds }, ...printedIn(output) };
}

function hexOf(bytes: Uint8Array): { readonly hex: string } {
  return { hex: Buffer.from(bytes).toString('hex') };
}

/** Omitted if there are none. */
function hexes(key: string, contents: Contents): object {
  if (contents.size === 0) return {};
  return { [key]: Object.fromEntries([...contents].map(([name, bytes]) => [name, hexOf(bytes)])) };
}

/** Only answers for kernels that print have these keys. */
function printedIn({ printed, printsDropped }: PrintedOutput): Partial<PrintedOutput> {
  return { ...(printed === '' ? {} : { printed }), ...(printsDropped === 0 ? {} : { printsDropped }) };
}
