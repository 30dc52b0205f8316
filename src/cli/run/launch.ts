/** A run as described by the flags or by a job, and its execution. */
import { PtxlabError } from '../../base/error.ts';
import { SourceText } from '../../base/source-text.ts';
import {
  type Argument,
  Device,
  type DeviceBuffer,
  type Dim3,
  type Fault,
  type Kernel,
  type LaunchResult,
  type LaunchStats,
  RefusedModuleError,
  type TraceChoice,
  type TraceEvent,
  UnsupportedInstructionsError,
} from '../../device.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { TargetName, VersionName } from '../../isa/targets.ts';
import { UsageError } from '../exit.ts';
import type { RunInput } from './inputs.ts';
import { traceLine } from './trace-text.ts';

export interface RunRequest {
  readonly source: string;
  /** The name of the source in messages. */
  readonly name: string;
  readonly entry: string | null;
  readonly target: TargetName | null;
  readonly isa: VersionName | null;
  readonly gpu: string | null;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly engine: 'interp' | 'jit';
  /** Worker threads; 0 for the calling thread. */
  readonly workers: number;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  readonly inputs: readonly RunInput[];
  /** Number of launches; buffers are restored before each. */
  readonly repeat: number;
  readonly unchecked: boolean;
  readonly memory: number | null;
  readonly timeout: number | null;
  readonly budget: number | null;
  /** Most bytes of output. */
  readonly printLimit: number | null;
  /** Called with the output as it is printed. */
  readonly onPrint: (text: string) => void;
  /** What to trace to stderr; null for no trace. */
  readonly trace: TraceChoice | null;
}

export type RunOutcome =
  | {
      readonly kind: 'done';
      /** Bytes of each buffer argument after the last launch; null for a scalar. */
      readonly outputs: readonly (Uint8Array | null)[];
      readonly stats: LaunchStats;
      /** One for each launch. */
      readonly milliseconds: readonly number[];
      readonly output: PrintedOutput;
    }
  | {
      readonly kind: 'fault';
      readonly text: SourceText;
      readonly fault: Fault;
      readonly output: PrintedOutput;
    }
  | { readonly kind: 'refused'; readonly text: SourceText; readonly diagnostics: readonly Diagnostic[] };

/** The output of the kernel in the last launch. */
export type PrintedOutput = Pick<LaunchResult, 'printed' | 'printsDropped'>;

const nothing: PrintedOutput = { printed: '', printsDropped: 0 };

/** Runs a request. A caller's mistake is a UsageError; an error of the kernel is an outcome. */
export async function execute(request: RunRequest): Promise<RunOutcome> {
  try {
    return await launchAll(request);
  } catch (error) {
    if (error instanceof RefusedModuleError) {
      return { kind: 'refused', text: textOf(request), diagnostics: error.report.diagnostics };
    }
    if (error instanceof UnsupportedInstructionsError) {
      return { kind: 'fault', text: textOf(request), fault: faultOf(error), output: nothing };
    }
    if (error instanceof PtxlabError) throw new UsageError(error.message);
    throw error;
  }
}

/** The refusal as a fault at the first of the instructions, in no thread. */
function faultOf({ message, kernel, instructions }: UnsupportedInstructionsError): Fault {
  const line = instructions[0]?.line ?? null;
  return {
    code: 'PTX6030',
    message,
    kernel,
    block: null,
    thread: null,
    line,
    source: null,
    space: null,
    address: null,
  };
}

async function launchAll(request: RunRequest): Promise<RunOutcome> {
  const { target, isa, gpu, memory, workers, inputs, grid, block, engine, sharedBytes, cooperative } = request;
  const device = await Device.create({
    workers,
    ...(target === null ? {} : { target }),
    ...(isa === null ? {} : { isa }),
    ...(gpu === null ? {} : { gpu }),
    ...(memory === null ? {} : { memory }),
  });
  const kernel = pickKernel(device, request);
  const buffers = inputs.map((input) => (input.kind === 'buffer' ? device.alloc(input.bytes) : null));
  const args = inputs.map((input, i) => argumentOf(input, buffers[i] ?? null));
  const milliseconds: number[] = [];
  let stats: LaunchStats = { threads: 0, instructions: 0, milliseconds: 0 };
  let output = nothing;
  for (let i = 0; i < request.repeat; i++) {
    inputs.forEach((input, k) => {
      if (i > 0 && input.kind === 'buffer') buffers[k]?.write(input.bytes);
    });
    const result = await kernel.launch({
      grid,
      block,
      engine,
      sharedBytes,
      cooperative,
      args,
      unchecked: request.unchecked,
      uninitialised: request.unchecked ? 'zero' : 'fault',
      ...(request.trace === null ? {} : { trace: request.trace, onTrace }),
      ...(request.timeout === null ? {} : { timeout: request.timeout }),
      onPrint: request.onPrint,
      ...(request.printLimit === null ? {} : { printLimit: request.printLimit }),
      ...(request.budget === null ? {} : { budget: request.budget }),
    });
    output = result;
    if (!result.ok) return { kind: 'fault', text: textOf(request), fault: result.fault, output };
    stats = result.stats;
    milliseconds.push(result.stats.milliseconds);
  }
  return { kind: 'done', outputs: buffers.map((buffer) => buffer?.read() ?? null), stats, milliseconds, output };
}

function textOf({ source, name }: RunRequest): SourceText {
  return new SourceText(source, name);
}

function onTrace(event: TraceEvent): void {
  process.stderr.write(`${traceLine(event)}\n`);
}

function argumentOf(input: RunInput, buffer: DeviceBuffer | null): Argument {
  switch (input.kind) {
    case 'buffer':
      if (buffer === null) throw new Error('a buffer argument without its buffer');
      return buffer;
    case 'bytes':
      return input.bytes;
    case 'number':
      return input.value;
  }
}

function pickKernel(device: Device, { source, entry }: RunRequest): Kernel {
  const module = device.load(source);
  if (entry !== null) return module.kernel(entry);
  const [only, ...others] = module.kernelNames;
  if (only === undefined) throw new UsageError('the module has no kernel');
  if (others.length > 0)
    throw new UsageError(`the module has several kernels; choose one: ${module.kernelNames.join(', ')}`);
  return module.kernel(only);
}
