/** `ptxlab run --job`: a run that is described in JSON and whose results are written as JSON. */
import { dirname, resolve } from 'node:path';
import { objectOf } from '../../base/rules.ts';
import { defaultMemorySize } from '../../device.ts';
import { diagnosticRecord } from '../../diagnostics/renderers/json.ts';
import { type ExitCode, UsageError } from '../exit.ts';
import { readInput } from '../io.ts';
import { readGpu, readIsa, readTarget } from '../options.ts';
import { write } from '../output.ts';
import type { Session } from '../session.ts';
import { type JobPlace, placed, readJobArguments, readJobBindings, readJobContents } from './job-inputs.ts';
import { type JobFile, type JobLaunch, jobRules } from './job-rules.ts';
import { parseFile, requireRule } from '../json-file.ts';
import type { BufferContents } from './inputs.ts';
import { readTraceKey, traceLine } from './trace-text.ts';
import {
  execute,
  type LaunchOutcome,
  type LaunchRequest,
  type LaunchOutput,
  type RunOutcome,
  type RunRequest,
} from './launch.ts';

/**
 * Runs a job file, or the job on stdin if the path is `-`. Paths in the job are relative to the folder of the file or,
 * if the job comes from stdin, to the working directory.
 */
export async function runJob(path: string, session: Session): Promise<ExitCode> {
  const text = await readInput(path, session);
  if (!text.ok) throw new UsageError(text.error);
  const request = await readJob(
    parseJob(text.value, path === '-' ? 'the job' : path),
    path === '-' ? '.' : dirname(path),
    session,
  );
  const outcome = await execute(request.run);
  await write(session.stdout, `${JSON.stringify(answer(outcome, request))}\n`);
  const isGood = outcome.kind === 'done' && outcome.launches.every(({ output }) => output.races.length === 0);
  return isGood ? 0 : 1;
}

function parseJob(text: string, name: string): JobFile {
  const found = parseFile(text, name);
  requireRule(found, objectOf(jobRules), 'the job');
  return found;
}

interface Job {
  readonly run: RunRequest;
  /** The named buffers with their contents before the first launch. */
  readonly inputs: ReadonlyMap<string, BufferContents>;
  readonly isRepeated: boolean;
  /** Whether the job has a list of launches, in which case the response also has a list of launches. */
  readonly isList: boolean;
}

/** Reads everything that a job refers to. Its paths are relative to `folder`. */
export async function readJob(given: JobFile, folder: string, session: Session): Promise<Job> {
  const { ptx, source, repeat, launches, memory, variables = {}, buffers = {} } = given;
  if ((ptx === undefined) === (source === undefined))
    throw new UsageError("a job needs 'ptx' (a path) or 'source' (the text of the module)");
  if (launches?.length === 0) throw new UsageError('launches: must have at least one launch');
  if (launches !== undefined && repeat !== undefined)
    throw new UsageError("a job cannot have both 'repeat' and 'launches'");
  const place: JobPlace = { folder, room: memory ?? defaultMemorySize };
  const first = bytesIn(await readJobContents(variables, 'variables', place));
  const inputs = await readJobContents(buffers, 'buffers', place);
  const run: RunRequest = {
    source: source ?? (await readModule(resolve(folder, ptx ?? ''), session)),
    name: ptx ?? '<job>',
    target: (await placed('target', () => readTarget(given.target))) ?? null,
    isa: (await placed('isa', () => readIsa(given.isa))) ?? null,
    gpu: await placed('gpu', () => readGpu(given.gpu)),
    workers: given.workers ?? 0,
    memory: memory ?? null,
    buffers: bytesIn(inputs),
    launches:
      launches === undefined
        ? [await readLaunch(given, { own: '', args: '' }, first, place)]
        : await readLaunches(given, launches, first, place),
    read: given.read ?? [],
    repeat: repeat ?? 1,
    onPrint: () => undefined,
    onTrace: (event) => session.stderr.write(`${traceLine(event)}\n`),
  };
  return { run, inputs, isRepeated: repeat !== undefined, isList: launches !== undefined };
}

function bytesIn(contents: ReadonlyMap<string, BufferContents>): Contents {
  return new Map([...contents].map(([name, { bytes }]) => [name, bytes]));
}

type Contents = ReadonlyMap<string, Uint8Array>;

/** Reads the launches of a job. The variables at the top level of the job are written before the first launch. */
async function readLaunches(
  given: JobFile,
  list: readonly JobLaunch[],
  first: Contents,
  place: JobPlace,
): Promise<readonly LaunchRequest[]> {
  const launches: LaunchRequest[] = [];
  for (const [i, launch] of list.entries()) {
    const own = `launches[${i}].`;
    const written = bytesIn(await readJobContents(launch.variables ?? {}, `${own}variables`, place));
    const variables = i === 0 ? new Map([...first, ...written]) : written;
    const paths = { own, args: launch.args === undefined ? '' : own };
    launches.push(await readLaunch({ ...given, ...launch }, paths, variables, place));
  }
  return launches;
}

/**
 * The prefixes of keys in messages. The prefix of a key is the path of the launch, or empty for a key at the top level
 * of the job. `args` is the prefix of the key of the same name, and `own` is the prefix of all other keys.
 */
interface Paths {
  readonly own: string;
  readonly args: string;
}

async function readLaunch(
  given: JobLaunch,
  { own, args }: Paths,
  variables: Contents,
  place: JobPlace,
): Promise<LaunchRequest> {
  const trace = await placed(`${own}trace`, () => readTraceKey(given.trace));
  const { races = null } = given;
  return {
    path: own === '' ? null : own.slice(0, -1),
    entry: given.entry ?? null,
    grid: given.grid ?? 1,
    block: given.block ?? 1,
    cluster: given.cluster ?? null,
    engine: await placed(`${own}engine`, () => readEngine(given.engine ?? null, { trace, races })),
    races,
    sharedBytes: given.sharedBytes ?? 0,
    cooperative: given.cooperative ?? false,
    lockstep: given.lockstep ?? false,
    inputs: await readJobArguments(given.args ?? [], `${args}args`, place),
    variables,
    bindings: readJobBindings(given.bind ?? {}, `${own}bind`),
    unchecked: given.unchecked ?? false,
    unsupported: given.unsupported ?? 'refuse',
    timeout: given.timeout ?? null,
    budget: given.budget ?? null,
    printLimit: given.printLimit ?? null,
    trace,
  };
}

async function readModule(path: string, session: Session): Promise<string> {
  const text = await readInput(path, session);
  if (!text.ok) throw new UsageError(text.error);
  return text.value;
}

/**
 * The engine with this name. If no name is given, returns the reference engine for a launch that is traced or searched
 * for data races, and the fast engine for any other launch.
 */
export function readEngine(
  engine: string | null,
  { trace, races }: Pick<LaunchRequest, 'trace' | 'races'>,
): 'interp' | 'jit' {
  if (engine === null) return trace === null && races === null ? 'jit' : 'interp';
  if (engine === 'jit') {
    if (trace !== null) throw new UsageError("engine 'jit' cannot trace; omit it or use 'interp'");
    if (races !== null) throw new UsageError("engine 'jit' cannot find races; omit it or use 'interp'");
    return engine;
  }
  if (engine === 'interp') return engine;
  throw new UsageError(`unknown engine '${engine}'; choose 'interp' or 'jit'`);
}

function answer(outcome: RunOutcome, { isRepeated, isList }: Job): object {
  switch (outcome.kind) {
    case 'refused':
      return { ok: false, diagnostics: outcome.diagnostics.map((found) => diagnosticRecord(outcome.text, found)) };
    case 'fault': {
      const { fault, launch, before, output } = outcome;
      const place = isList ? { launch, launches: before.map((one) => launchAnswer(one)) } : {};
      return { ok: false, fault, ...place, ...outputIn(output), ...lowVersionIn(outcome) };
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

/**
 * The keys `version` and `warnings` of a response. They are present only if the module was checked against a later
 * version than the one it specifies.
 */
function lowVersionIn({ text, lowVersion }: Extract<RunOutcome, { readonly kind: 'done' | 'fault' }>): object {
  if (lowVersion === null) return {};
  const { used, warnings } = lowVersion;
  return { version: used, warnings: warnings.map((found) => diagnosticRecord(text, found)) };
}

interface LaunchAnswer extends Partial<LaunchOutput> {
  readonly args: readonly (object | null)[];
  readonly stats: LaunchOutcome['stats'];
}

function launchAnswer({ outputs, stats, output }: LaunchOutcome): LaunchAnswer {
  const args = outputs.map((bytes) => (bytes === null ? null : hexOf(bytes)));
  return { args, stats, ...outputIn(output) };
}

function hexOf(bytes: Uint8Array): { readonly hex: string } {
  return { hex: Buffer.from(bytes).toString('hex') };
}

/** Omitted if empty. */
function hexes(key: string, contents: Contents): object {
  if (contents.size === 0) return {};
  return { [key]: Object.fromEntries([...contents].map(([name, bytes]) => [name, hexOf(bytes)])) };
}

/**
 * The keys for the information that a launch reports besides its result. A key is omitted if there is nothing to
 * report.
 */
function outputIn({ printed, printsDropped, races }: LaunchOutput): Partial<LaunchOutput> {
  return {
    ...(printed === '' ? {} : { printed }),
    ...(printsDropped === 0 ? {} : { printsDropped }),
    ...(races.length === 0 ? {} : { races }),
  };
}
