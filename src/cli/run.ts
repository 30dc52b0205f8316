/**
 * `ptxlab run`: runs a kernel on the CPU. While a kernel runs, there is no handler for Ctrl-C, so pressing Ctrl-C ends
 * the process immediately. A handler would not be called until the kernel had ended.
 */
import { elementAt } from '../base/element-at.ts';
import type { SourceText } from '../base/source-text.ts';
import { defaultMemorySize, type Dim3 } from '../device.ts';
import { writeNpy } from '../tensors/npy/npy.ts';
import { renderPretty } from '../diagnostics/renderers/pretty.ts';
import { requireOutputs, writeFiles } from '../hosts/node-output.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { faultText, raceSummary, racesText } from './run/fault-report.ts';
import { displayName, readInput } from './io.ts';
import { plural } from './number-text.ts';
import { type CommonFlags, readGpu, readTarget } from './options.ts';
import { write } from './output.ts';
import { fileOfArgument, readAll, type RunInput, readArgument } from './run/inputs.ts';
import { readEngine, runJob } from './run/job.ts';
import { execute, type LaunchRequest, type LowVersion, type LaunchOutput, type RunOutcome } from './run/launch.ts';
import { PrintStream } from './run/print-stream.ts';
import { showElements } from './run/values.ts';
import type { Session } from './session.ts';
import { columnsOf, styleFor } from './style.ts';
import { readTraceFlags, traceLine, type TraceFlags } from './run/trace-text.ts';

export interface RunFlags extends CommonFlags, TraceFlags {
  readonly entry?: string;
  readonly grid?: string;
  readonly block?: string;
  readonly cluster?: string;
  readonly shared?: string;
  readonly cooperative?: boolean;
  readonly lockstep?: boolean;
  readonly arg: readonly string[];
  readonly out: readonly string[];
  readonly force?: boolean;
  readonly target?: string;
  readonly gpu?: string;
  readonly engine?: 'jit' | 'interp';
  readonly races?: boolean;
  readonly strictRaces?: boolean;
  readonly workers?: string;
  readonly unchecked?: boolean;
  readonly unsupported?: 'refuse' | 'fault';
  readonly job?: string;
  readonly timeout?: string;
  readonly budget?: string;
  readonly printLimit?: string;
  readonly memory?: string;
}

export async function runCommand(file: string | undefined, flags: RunFlags, session: Session): Promise<ExitCode> {
  if (flags.job !== undefined) {
    if (file !== undefined) throw new UsageError('run takes a file or --job, not both');
    requireNoOthers(flags);
    return runJob(flags.job, session);
  }
  if (file === undefined) throw new UsageError('run needs a PTX file (or - for stdin) or --job');
  return runFile(file, flags, session);
}

/** Rejects flags that cannot be combined with `--job`, because a job has its own keys for these settings. */
function requireNoOthers({ job: _job, color: _color, quiet: _quiet, ...others }: RunFlags): void {
  const given = Object.entries(others).find(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
  if (given === undefined) return;
  const flag = given[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${flag} cannot be combined with --job; the job itself says how to run`);
}

async function runFile(file: string, flags: RunFlags, session: Session): Promise<ExitCode> {
  const outputs = flags.out.map((text) => readOutput(text, flags.arg.length));
  const source = await readInput(file, session);
  if (!source.ok) throw new UsageError(source.error);
  const memory = flags.memory === undefined ? null : readWholeNumber(flags.memory, '--memory');
  const inputs = await readAll(flags.arg, memory ?? defaultMemorySize, (text, _, room) => readArgument(text, room));
  for (const { index } of outputs) {
    if (inputs[index]?.kind !== 'buffer') throw new UsageError(`--out ${index}: argument ${index} is not a buffer`);
  }
  const read = [file, ...flags.arg.flatMap((text) => fileOfArgument(text) ?? [])];
  await requireOutputs(
    outputs.map(({ path }) => path),
    read,
    flags.force === true,
  );
  const trace = readTraceFlags(flags);
  const races = flags.strictRaces === true ? 'strict' : flags.races === true ? 'report' : null;
  const stream = new PrintStream(session.stdout);
  const launch: LaunchRequest = {
    path: null,
    entry: flags.entry ?? null,
    grid: readExtent(flags.grid, '--grid'),
    block: readExtent(flags.block, '--block'),
    cluster: flags.cluster === undefined ? null : readExtent(flags.cluster, '--cluster'),
    engine: readEngine(flags.engine ?? null, { trace, races }),
    races,
    sharedBytes: flags.shared === undefined ? 0 : readWholeNumber(flags.shared, '--shared'),
    cooperative: flags.cooperative === true,
    lockstep: flags.lockstep === true,
    inputs,
    variables: new Map(),
    bindings: new Map(),
    unchecked: flags.unchecked === true,
    unsupported: flags.unsupported ?? 'refuse',
    timeout: flags.timeout === undefined ? null : readSeconds(flags.timeout, '--timeout'),
    budget: flags.budget === undefined ? null : readWholeNumber(flags.budget, '--budget'),
    printLimit: flags.printLimit === undefined ? null : readWholeNumber(flags.printLimit, '--print-limit'),
    trace,
  };
  const outcome = await execute({
    source: source.value,
    name: displayName(file),
    target: readTarget(flags.target) ?? null,
    isa: null,
    gpu: readGpu(flags.gpu),
    workers: flags.workers === undefined ? 0 : readWholeNumber(flags.workers, '--workers'),
    memory,
    buffers: new Map(),
    launches: [launch],
    read: [],
    repeat: 1,
    onPrint: (text) => stream.add(text),
    onTrace: (event) => session.stderr.write(`${traceLine(event)}\n`),
  });
  stream.flush();
  return report(outcome, { inputs, outputs, flags, session });
}

interface Task {
  readonly inputs: readonly RunInput[];
  readonly outputs: readonly Output[];
  readonly flags: RunFlags;
  readonly session: Session;
}

async function report(outcome: RunOutcome, task: Task): Promise<ExitCode> {
  const { inputs, outputs, flags, session } = task;
  const { stdout, stderr, env } = session;
  switch (outcome.kind) {
    case 'refused': {
      const style = await styleFor(flags.color, stderr, env);
      await write(
        stderr,
        renderPretty({ source: outcome.text, diagnostics: outcome.diagnostics }, { style, width: columnsOf(stderr) }),
      );
      return 1;
    }
    case 'fault':
      await reportLowVersion(outcome.lowVersion, task);
      await reportDropped(outcome.output, task);
      await reportRaces(outcome.output, outcome.text, false, task);
      await write(
        stderr,
        faultText(outcome.fault, outcome.text, await styleFor(flags.color, stderr, env), columnsOf(stderr)),
      );
      return 1;
    case 'done': {
      const launch = elementAt(outcome.launches, 0);
      await reportLowVersion(outcome.lowVersion, task);
      await reportDropped(launch.output, task);
      await writeOutputs(launch.outputs, task);
      await write(stdout, previews(inputs, launch.outputs, outputs));
      await reportRaces(launch.output, outcome.text, true, task);
      if (flags.quiet !== true) {
        const { threads, instructions, milliseconds } = launch.stats;
        await write(stderr, `${instructions} thread-instructions, ${threads} threads, ${milliseconds.toFixed(1)} ms\n`);
      }
      return launch.output.races.length === 0 ? 0 : 1;
    }
  }
}

async function reportLowVersion(low: LowVersion | null, { session }: Task): Promise<void> {
  if (low === null) return;
  const { message } = low.warnings[0];
  await write(session.stderr, `ptxlab: warning: ${message}. It ran under the rules of ${low.used}.\n`);
}

async function reportRaces({ races }: LaunchOutput, text: SourceText, isWhole: boolean, task: Task): Promise<void> {
  const { flags, session } = task;
  if (flags.races !== true && flags.strictRaces !== true) return;
  const { stderr, env } = session;
  await write(stderr, racesText(races, text, await styleFor(flags.color, stderr, env), columnsOf(stderr)));
  if (flags.quiet !== true) await write(stderr, raceSummary(races, isWhole));
}

async function reportDropped({ printsDropped }: LaunchOutput, { flags, session }: Task): Promise<void> {
  if (printsDropped === 0) return;
  const limit = flags.printLimit ?? 'the default of 64 MiB';
  const calls = `${plural(printsDropped, 'call')} of printf`;
  await write(session.stderr, `ptxlab: warning: the output of ${calls} was dropped; --print-limit is ${limit}\n`);
}

// --- outputs --------------------------------------------------------------------------------------------------------

interface Output {
  readonly index: number;
  readonly path: string;
}

function readOutput(text: string, count: number): Output {
  const found = /^(\d+):(.+)$/.exec(text);
  if (found === null) throw new UsageError(`--out takes INDEX:FILE, not '${text}'; arguments are numbered from 0`);
  const index = Number(found[1]);
  if (index >= count) throw new UsageError(`--out ${text}: there is no argument ${index}; the first is 0`);
  return { index, path: elementAt(found, 2) };
}

/**
 * Writes the output files. If a signal arrives while files are being written, the process does not end until all of
 * them are complete.
 */
async function writeOutputs(
  results: readonly (Uint8Array | null)[],
  { inputs, outputs, flags, session }: Task,
): Promise<void> {
  const files = outputs.flatMap(({ index, path }) => {
    const bytes = results[index] ?? null;
    return bytes === null ? [] : [{ path, bytes: contentsOf(path, elementAt(inputs, index), bytes) }];
  });
  if (files.length === 0) return;
  await session.interruptible(async () => {
    await writeFiles(files, flags.force === true);
    return 0;
  });
}

function contentsOf(path: string, input: RunInput, bytes: Uint8Array): Uint8Array {
  if (!path.endsWith('.npy')) return bytes;
  const element = input.kind === 'buffer' ? input.element : null;
  return writeNpy({ ...(element ?? { type: 'u1', shape: [bytes.byteLength] }), bytes });
}

/** Returns one line for each buffer that the kernel has changed, unless the buffer is written to a file. */
function previews(
  inputs: readonly RunInput[],
  results: readonly (Uint8Array | null)[],
  outputs: readonly Output[],
): string {
  const lines = inputs.map((input, i) => {
    const bytes = results[i] ?? null;
    if (bytes === null || input.kind !== 'buffer' || outputs.some((output) => output.index === i)) return '';
    if (Buffer.compare(bytes, input.bytes) === 0) return '';
    const { element } = input;
    if (element !== null) return `arg ${i}: ${showElements(bytes, element, 16)}\n`;
    const hex = Buffer.from(bytes.subarray(0, 64)).toString('hex');
    return `arg ${i}: ${hex}${bytes.byteLength > 64 ? '…' : ''}\n`;
  });
  return lines.join('');
}

// --- flags ----------------------------------------------------------------------------------------------------------

function readExtent(text: string | undefined, flag: string): Dim3 {
  const numbers = (text ?? '1').split(/[,x]/).map((part) => readWholeNumber(part, flag));
  if (numbers.length > 3) throw new UsageError(`${flag} takes at most three extents: x,y,z`);
  return [numbers[0] ?? 1, numbers[1] ?? 1, numbers[2] ?? 1];
}

/** Reads a whole number, which may also be written like `0x1000` or `1e6`. */
function readWholeNumber(text: string, flag: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new UsageError(`${flag} needs a whole number; got '${text}'`);
  return value;
}

function readSeconds(text: string, flag: string): number {
  if (!/^\d*\.?\d+$/.test(text))
    throw new UsageError(`${flag} needs a number of seconds, such as 0.5 or 60; got '${text}'`);
  return Number(text);
}
