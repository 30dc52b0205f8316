/** Represents the kernels of modules that are loaded on a device, and launches them. */
import { packArguments } from './arguments.ts';
import { placePointers } from './pointer-arguments.ts';
import { launchRules } from './check-options.ts';
import { isOfAnotherDevice } from './device-range.ts';
import { extentsOf } from './extent.ts';
import { PtxlabError } from '../base/error.ts';
import { requireOptions } from '../base/require.ts';
import { ReferenceEngine } from '../interp/engine.ts';
import type { CodeCache } from '../jit/launch/cache.ts';
import { type ModuleOrigin, runFast } from '../jit/launch/launch.ts';
import type { DeviceHeap } from '../machine/memory/device-heap.ts';
import { endedBefore, type Launch, type LaunchResult, runToEnd } from '../machine/engine.ts';
import { threadsOf } from '../machine/extents.ts';
import { MachineFault } from '../machine/fault.ts';
import type { GlobalMemory } from '../machine/memory/global-memory.ts';
import { checkShape, type LaunchShape } from '../machine/launch.ts';
import { clock } from '../machine/time-limit.ts';
import { Printed } from '../machine/printing/printed.ts';
import { withGridWorkspace } from '../machine/grid-workspace.ts';
import type { FunctionProgram } from '../program/function-program.ts';
import type { KernelProgram } from '../program/link.ts';
import type { ModuleImage } from '../program/module-image.ts';
import { type UnsupportedInstruction, unsupportedIn } from '../program/unsupported.ts';
import { attributesOf, type KernelAttributes, type KernelParameter, parameterOf } from './kernel-facts.ts';
import { tracingOf } from './trace-choice.ts';
import type { LaunchOptions } from './options.ts';
import { UnsupportedInstructionsError } from './unsupported.ts';

/** The parts of the device that the kernels of a loaded module use, and the module's source text. */
export interface ModuleContext {
  readonly memory: GlobalMemory;
  readonly heap: DeviceHeap;
  readonly origin: ModuleOrigin;
  readonly code: CodeCache;
  /** Throws if the device is closed. */
  readonly checkOpen: () => void;
  readonly workers: number;
  readonly simd: boolean | undefined;
}

/** A kernel of a loaded module. */
export class Kernel {
  readonly name: string;
  private readonly linked: KernelProgram;
  private readonly program: FunctionProgram;
  private readonly image: ModuleImage;
  private readonly context: ModuleContext;
  private readonly addressBytes: 4 | 8;
  private unsupportedFound: readonly UnsupportedInstruction[] | null = null;

  /** Created by `LoadedModule.kernel`. */
  constructor(linked: KernelProgram, image: ModuleImage, context: ModuleContext, addressBytes: 4 | 8) {
    const program = linked.entry;
    this.name = program.name;
    this.linked = linked;
    this.program = program;
    this.image = image;
    this.context = context;
    this.addressBytes = addressBytes;
  }

  /** The kernel's parameters, in the order in which its header declares them. */
  get parameters(): readonly KernelParameter[] {
    return this.program.parameters.map(parameterOf);
  }

  /** The resources that the kernel needs, and the requirements that its header states. */
  get attributes(): KernelAttributes {
    return attributesOf(this.linked);
  }

  /** The instructions that the kernel may reach but no engine can execute. */
  get unsupported(): readonly UnsupportedInstruction[] {
    this.unsupportedFound ??= unsupportedIn(this.linked);
    return this.unsupportedFound;
  }

  /**
   * Runs the kernel. An error in the program is returned as a fault; if the caller made a mistake, an error is thrown.
   *
   * @throws PtxlabError `bad-option`, `bad-launch`, `kernel-too-large`, `bad-trace`, `argument-count`, `argument-size`,
   *   `argument-type`, `device-closed`
   * @throws UnsupportedInstructionsError if `Kernel.unsupported` is not empty, unless the option `unsupported` is
   *   `fault`
   */
  async launch(options: LaunchOptions = {}): Promise<LaunchResult> {
    this.context.checkOpen();
    requireOptions(options, launchRules, 'a launch');
    if (options.unsupported !== 'fault' && this.unsupported.length > 0)
      throw new UnsupportedInstructionsError(this.name, this.unsupported);
    const { program } = this;
    const given = options.args ?? [];
    const foreign = given.findIndex((argument) => isOfAnotherDevice(argument, this.context.memory));
    if (foreign >= 0) throw new PtxlabError('argument-type', `argument ${foreign} belongs to another device`);
    const { args, image, sharedEnd } = placePointers(given, program.parameters, {
      image: this.image,
      sharedEnd: program.sharedBytes + (options.sharedBytes ?? 0),
    });
    const shape: LaunchShape = {
      grid: extentsOf(options.grid ?? 1),
      block: extentsOf(options.block ?? 1),
      ...clustersOf(program, options),
      sharedBytes: sharedEnd - program.sharedBytes,
      gridWorkspace: 0,
    };
    checkShape(shape, program.sharedBytes - program.hiddenBytes, this.linked.stackBytes);
    checkTuning(program, shape);
    const parameters = packArguments(this.name, program.parameters, program.parameterBytes, args, this.addressBytes);
    const { memory, heap } = this.context;
    const launch: Launch = {
      kernel: this.linked,
      image,
      shape,
      memory,
      heap,
      parameters,
      limits: {
        budget: options.budget ?? 2 ** 40,
        seconds: options.timeout ?? 60,
        begun: clock(),
        signal: options.signal ?? null,
      },
      printed: new Printed(options.printLimit ?? 2 ** 26, (text) => options.onPrint?.(text)),
      inLockstep: options.lockstep === true ? 'all' : 'volatile',
    };
    const run = (workspace: number): Promise<LaunchResult> => {
      const whole: Launch = { ...launch, shape: { ...shape, gridWorkspace: workspace } };
      return this.run(options, whole).catch((error: unknown) => {
        if (error instanceof MachineFault) return endedBefore(whole, error);
        throw error;
      });
    };
    return options.cooperative === true ? withGridWorkspace(memory, run) : withHint(await run(0), this.linked);
  }

  private async run(options: LaunchOptions, launch: Launch): Promise<LaunchResult> {
    const { origin, code, workers, simd } = this.context;
    const tracing = tracingOf(options, launch.shape);
    const { races = null } = options;
    if (races !== null && options.engine === 'jit')
      throw new PtxlabError('bad-option', "engine 'jit' cannot find races; use 'interp'");
    if (tracing === null && races === null && options.engine !== 'interp') {
      return runFast(launch, {
        origin,
        code,
        checked: options.unchecked !== true,
        workers: options.workers ?? workers,
        simd: options.simd ?? simd,
      });
    }
    // If a thread reads memory that was never written, the cause is often a race: the thread does not wait for another
    // thread that writes to this memory. The race is found if the launch continues after the read.
    const trackWrites = (options.uninitialized ?? (races === null ? 'fault' : 'zero')) === 'fault';
    const engine = new ReferenceEngine(launch, { trackWrites, tracing, races });
    return runToEnd(engine, launch);
  }
}

/**
 * Adds a hint to the message of a trap if the kernel looks for a grid workspace, because `grid.sync()` of cooperative
 * groups traps if it finds no workspace.
 */
function withHint(result: LaunchResult, { functions }: KernelProgram): LaunchResult {
  if (result.ok || result.fault.code !== 'PTX6031') return result;
  const looks = functions.some((one) => one.kind === 'program' && one.program.instructions.some(readsWorkspace));
  if (!looks) return result;
  const message = `${result.fault.message}; the kernel looks for a grid workspace, which only cooperative launches have (--cooperative, cooperative: true)`;
  return { ...result, fault: { ...result.fault, message } };
}

function readsWorkspace({ specials }: FunctionProgram['instructions'][number]): boolean {
  return specials.some(({ register }) => register.grant === 'grid workspace');
}

/**
 * The extents of a cluster: those that the launch options specify or, if they specify none, those that
 * `.reqnctapercluster` requires.
 */
function clustersOf(
  { name, requiredCluster }: FunctionProgram,
  { cluster }: LaunchOptions,
): Pick<LaunchShape, 'cluster' | 'hasClusters'> {
  const required = requiredCluster === null ? null : extentsOf(requiredCluster);
  const asked = cluster === undefined ? null : extentsOf(cluster);
  if (required !== null && asked !== null && required.some((extent, i) => extent !== asked[i]))
    throw new PtxlabError('bad-launch', `kernel '${name}' requires clusters of ${required.join(' x ')} blocks`);
  return { cluster: required ?? asked ?? [1, 1, 1], hasClusters: required !== null || asked !== null };
}

/**
 * Checks the block size of a launch against `.reqntid` and `.maxntid`, which specify the block sizes that a kernel
 * allows (section 11.4 of PTX ISA 9.1).
 */
function checkTuning({ name, requiredThreads, mostThreads }: FunctionProgram, shape: LaunchShape): void {
  const required = requiredThreads === null ? null : extentsOf(requiredThreads);
  if (required !== null && required.some((most, i) => most !== shape.block[i])) {
    throw new PtxlabError('bad-launch', `kernel '${name}' requires blocks of ${required.join(' x ')} threads`);
  }
  const threads = threadsOf(shape);
  if (mostThreads !== null && threads > mostThreads) {
    throw new PtxlabError(
      'bad-launch',
      `kernel '${name}' is compiled for at most ${mostThreads} threads per block; got ${threads}`,
    );
  }
}
