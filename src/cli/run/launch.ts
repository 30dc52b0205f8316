/** Describes a run, which is specified by command-line flags or by a job, and executes it. */
import type { GpuName } from '../../isa/gpus.ts';
import { PtxlabError } from '../../base/error.ts';
import { SourceText } from '../../base/source-text.ts';
import { isLowVersion } from '../../check/check.ts';
import {
  type Argument,
  Device,
  type DeviceBuffer,
  type DeviceTexture,
  type Extent,
  type Fault,
  type Kernel,
  type LaunchResult,
  type LaunchStats,
  type LoadedModule,
  type RaceMode,
  RefusedModuleError,
  type TraceChoice,
  type TraceEvent,
  UnsupportedInstructionsError,
} from '../../device.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { TargetName, VersionName } from '../../isa/targets.ts';
import { memberPath } from '../../base/rules.ts';
import { UsageError } from '../exit.ts';
import { type ArgumentPlace, argumentOf, described, handleOf } from './launch-arguments.ts';
import type { HandleInput, RunInput } from './inputs.ts';

/** One launch of a run. */
export interface LaunchRequest {
  /**
   * The path of the launch in the job, such as `launches[1]`, for use in messages; null if there is only one launch.
   */
  readonly path: string | null;
  /** Name of the kernel; null if the module has only one. */
  readonly entry: string | null;
  readonly grid: Extent;
  readonly block: Extent;
  /** The size of clusters in blocks; null if the kernel itself determines it. */
  readonly cluster: Extent | null;
  readonly engine: 'interp' | 'jit';
  /** Which data races to find; null for none. */
  readonly races: RaceMode | null;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  readonly lockstep: boolean;
  readonly inputs: readonly RunInput[];
  /** Maps names of the module's variables to the bytes that are written to these variables before the launch. */
  readonly variables: ReadonlyMap<string, Uint8Array>;
  /**
   * Maps names of the module's variables to the textures, surfaces and samplers that they are bound to before the
   * launch.
   */
  readonly bindings: ReadonlyMap<string, HandleInput>;
  readonly unchecked: boolean;
  readonly unsupported: 'refuse' | 'fault';
  readonly timeout: number | null;
  readonly budget: number | null;
  /** Maximum number of bytes printed; null for the default. */
  readonly printLimit: number | null;
  /** What to trace; the trace is written to stderr. Null if nothing is traced. */
  readonly trace: TraceChoice | null;
}

export interface RunRequest {
  readonly source: string;
  /** The name that messages use for the source. */
  readonly name: string;
  readonly target: TargetName | null;
  readonly isa: VersionName | null;
  readonly gpu: GpuName | null;
  /** The number of worker threads. If it is 0, blocks run on the calling thread. */
  readonly workers: number;
  readonly memory: number | null;
  /** Buffers that several launches can use as arguments, with their contents before the first launch. */
  readonly buffers: ReadonlyMap<string, Uint8Array>;
  /** The launches, which run one after the other. */
  readonly launches: readonly LaunchRequest[];
  /** The names of the module's variables whose contents are to be returned after the last launch. */
  readonly read: readonly string[];
  /**
   * How many times the whole sequence of launches is run. Before each repetition, the buffers and the variables that
   * the job writes are reset to their initial contents.
   */
  readonly repeat: number;
  /** Called with each piece of output when it is printed. */
  readonly onPrint: (text: string) => void;
  /** Called with each traced instruction. */
  readonly onTrace: (event: TraceEvent) => void;
}

/** The result of a single launch that ended without a fault. */
export interface LaunchOutcome {
  /** For each argument, the bytes of the buffer after the launch; null for scalars and for named buffers. */
  readonly outputs: readonly (Uint8Array | null)[];
  readonly stats: LaunchStats;
  readonly output: LaunchOutput;
}

export type RunOutcome =
  | {
      readonly kind: 'done';
      readonly text: SourceText;
      /** The launches of the last repetition. */
      readonly launches: readonly LaunchOutcome[];
      /** For each repetition, the total time that its launches took. */
      readonly milliseconds: readonly number[];
      /** Contents of the named buffers after the last launch. */
      readonly buffers: ReadonlyMap<string, Uint8Array>;
      /** Contents of the requested variables after the last launch. */
      readonly variables: ReadonlyMap<string, Uint8Array>;
      readonly lowVersion: LowVersion | null;
    }
  | {
      readonly kind: 'fault';
      readonly text: SourceText;
      readonly fault: Fault;
      readonly output: LaunchOutput;
      /** Index of the launch that faulted. */
      readonly launch: number;
      /** The launches before the one that faulted. */
      readonly before: readonly LaunchOutcome[];
      readonly lowVersion: LowVersion | null;
    }
  | { readonly kind: 'refused'; readonly text: SourceText; readonly diagnostics: readonly Diagnostic[] };

/** The `.version` of the module is lower than its contents require, so the rules of a later version were used. */
export interface LowVersion {
  readonly used: VersionName;
  /** One warning for each instruction or target that needs a higher version. */
  readonly warnings: readonly [Diagnostic, ...Diagnostic[]];
}

/**
 * The information that a launch reports besides its result: the text that the kernel printed, and the data races that
 * were found.
 */
export type LaunchOutput = Pick<LaunchResult, 'printed' | 'printsDropped' | 'races'>;

const nothing: LaunchOutput = { printed: '', printsDropped: 0, races: [] };

/**
 * Runs a request. Throws a UsageError if the caller made a mistake. Errors in the kernel are returned as an outcome.
 */
export async function execute(request: RunRequest): Promise<RunOutcome> {
  try {
    return await launchAll(request);
  } catch (error) {
    if (error instanceof RefusedModuleError) {
      return { kind: 'refused', text: textOf(request), diagnostics: error.report.diagnostics };
    }
    if (error instanceof PtxlabError) throw new UsageError(error.message);
    throw error;
  }
}

/**
 * Turns an error about unsupported instructions into a fault at the first of these instructions. The fault does not
 * specify a thread, because no thread has executed the instruction.
 */
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
  const { target, isa, gpu, memory, workers } = request;
  const device = await Device.create({
    workers,
    ...(target === null ? {} : { target }),
    ...(isa === null ? {} : { isa }),
    ...(gpu === null ? {} : { gpu }),
    ...(memory === null ? {} : { memory }),
  });
  const module = device.load(request.source);
  const lowVersion = lowVersionOf(module);
  const named = new Map([...request.buffers].map(([name, bytes]) => [name, device.alloc(bytes)] as const));
  const launches = await Promise.all(
    request.launches.map((launch) => inPlace(launch, async () => prepared(launch, device, module, named))),
  );
  const milliseconds: number[] = [];
  let outcomes: readonly LaunchOutcome[] = [];
  for (let i = 0; i < request.repeat; i++) {
    for (const [name, buffer] of named) buffer.write(request.buffers.get(name) ?? new Uint8Array());
    const done: LaunchOutcome[] = [];
    for (const [index, launch] of launches.entries()) {
      const result = await inPlace(launch.request, () => runOne(launch, module, request));
      if (!result.ok) {
        const { fault } = result;
        return { kind: 'fault', text: textOf(request), fault, output: result, launch: index, before: done, lowVersion };
      }
      const outputs = launch.buffers.map((buffer) => buffer?.read() ?? null);
      done.push({ outputs, stats: result.stats, output: result });
    }
    outcomes = done;
    milliseconds.push(done.reduce((sum, { stats }) => sum + stats.milliseconds, 0));
  }
  return {
    kind: 'done',
    text: textOf(request),
    launches: outcomes,
    milliseconds,
    buffers: new Map([...named].map(([name, buffer]) => [name, buffer.read()] as const)),
    variables: new Map(request.read.map((name) => [name, module.symbol(name).read()] as const)),
    lowVersion,
  };
}

/**
 * Calls `act`. If `act` throws an error that reports a mistake by the user, the path of the launch in the job is added
 * to the error's message.
 */
async function inPlace<T>({ path }: LaunchRequest, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isMistake = error instanceof PtxlabError || error instanceof UsageError;
    if (path === null || !isMistake || error instanceof UnsupportedInstructionsError) throw error;
    throw new UsageError(`${path}: ${error.message}`, { cause: error });
  }
}

function lowVersionOf({ report }: LoadedModule): LowVersion | null {
  const [first, ...others] = report.diagnostics.filter(isLowVersion);
  return first === undefined ? null : { used: report.requirements.version, warnings: [first, ...others] };
}

interface PreparedLaunch {
  readonly request: LaunchRequest;
  readonly kernel: Kernel;
  /** For each argument, the buffer that belongs to this launch alone; null for scalars and for named buffers. */
  readonly buffers: readonly (DeviceBuffer | null)[];
  readonly args: readonly Argument[];
  readonly bindings: readonly (readonly [name: string, handle: DeviceTexture])[];
}

function prepared(
  request: LaunchRequest,
  device: Device,
  module: LoadedModule,
  named: ReadonlyMap<string, DeviceBuffer>,
): PreparedLaunch {
  const kernel = pickKernel(module, request.entry);
  const buffers = request.inputs.map((input) => (input.kind === 'buffer' ? device.alloc(input.bytes) : null));
  const place: ArgumentPlace = { device, inputs: request.inputs, buffers, named };
  const args = request.inputs.map((input, i) => argumentOf(input, `args[${i}]`, i, place));
  const bindings = [...request.bindings].map(
    ([name, input]) => [name, handleOf(input, memberPath('bind', name), place)] as const,
  );
  return { request, kernel, buffers, args, bindings };
}

type OneResult = LaunchResult | ({ readonly ok: false; readonly fault: Fault } & LaunchOutput);

async function runOne(
  { request, kernel, buffers, args, bindings }: PreparedLaunch,
  module: LoadedModule,
  { onPrint, onTrace }: RunRequest,
): Promise<OneResult> {
  const { grid, block, cluster, engine, sharedBytes, cooperative, lockstep, unchecked, unsupported } = request;
  for (const [name, bytes] of request.variables) module.symbol(name).write(bytes);
  for (const [name, handle] of bindings) described(memberPath('bind', name), () => module.bind(name, handle));
  request.inputs.forEach((input, i) => {
    if (input.kind === 'buffer') buffers[i]?.write(input.bytes);
  });
  try {
    return await kernel.launch({
      grid,
      block,
      engine,
      sharedBytes,
      cooperative,
      lockstep,
      args,
      ...(cluster === null ? {} : { cluster }),
      unchecked,
      unsupported,
      ...(unchecked ? { uninitialized: 'zero' } : {}),
      onPrint,
      ...(request.races === null ? {} : { races: request.races }),
      ...(request.trace === null ? {} : { trace: request.trace, onTrace }),
      ...(request.timeout === null ? {} : { timeout: request.timeout }),
      ...(request.printLimit === null ? {} : { printLimit: request.printLimit }),
      ...(request.budget === null ? {} : { budget: request.budget }),
    });
  } catch (error) {
    if (error instanceof UnsupportedInstructionsError) return { ok: false, fault: faultOf(error), ...nothing };
    throw error;
  }
}

function textOf({ source, name }: RunRequest): SourceText {
  return new SourceText(source, name);
}

function pickKernel(module: LoadedModule, entry: string | null): Kernel {
  if (entry !== null) return module.kernel(entry);
  const [only, ...others] = module.kernelNames;
  if (only === undefined) throw new UsageError('the module has no kernel');
  if (others.length > 0)
    throw new UsageError(`the module has several kernels; choose one: ${module.kernelNames.join(', ')}`);
  return module.kernel(only);
}
