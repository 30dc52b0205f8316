/**
 * A device that runs PTX on the CPU. It mirrors the CUDA driver: a device has memory and loads modules, a module has
 * kernels, a kernel is launched on a grid.
 *
 * ```ts
 * const device = await Device.create({ target: 'sm_90' });
 * const kernel = device.load(ptx).kernel('vecadd');
 * const a = device.alloc(Float32Array.of(1, 2, 3));
 * const c = device.alloc(12);
 * const result = await kernel.launch({ grid: 1, block: 32, args: [a, a, c, 3] });
 * if (result.ok) console.log(new Float32Array(c.read().buffer));
 * ```
 *
 * @module
 */
import { type Addressed, type Argument, packArguments } from './arguments.ts';
import { PtxlabError } from './base/error.ts';
import { type CheckedModule, type CheckReport, loadModule } from './check/check.ts';
import { regionsOf, runLaunch } from './interp/engine.ts';
import type { TraceEvent } from './interp/trace.ts';
import { type ModuleOrigin, runFast } from './jit/launch.ts';
import { windowBase } from './machine/address-space.ts';
import { DeviceHeap } from './machine/device-heap.ts';
import type { Dim3 } from './machine/fault.ts';
import type { Allocation } from './machine/allocations.ts';
import { defaultMemorySize, GlobalMemory } from './machine/global-memory.ts';
import {
  checkShape,
  checkWorkers,
  type LaunchLimits,
  type LaunchResult as EngineResult,
  type LaunchShape,
} from './machine/launch.ts';
import { Segment } from './machine/segment.ts';
import type { FunctionProgram } from './program/function-program.ts';
import { FunctionTable } from './program/function-table.ts';
import { type KernelProgram, linkKernel } from './program/link.ts';
import { buildImage, type ModuleImage } from './program/module-image.ts';
import { type TraceChoice, tracingOf } from './trace-choice.ts';

export type { Argument } from './arguments.ts';
export { PtxlabError } from './base/error.ts';
export type { Dim3, Fault } from './machine/fault.ts';
export type { TraceEvent, TraceRegister } from './interp/trace.ts';
export type { LaunchStats } from './machine/launch.ts';
export type { TraceChoice } from './trace-choice.ts';

/** How a launch ended, and what the kernel printed until then: blocks in the order of their index. */
export type LaunchResult = EngineResult & { readonly printed: string };

export interface DeviceOptions {
  /** Judge modules for this architecture in place of their own `.target`. */
  readonly target?: string;
  /** Judge modules by this PTX version in place of their own `.version`. */
  readonly isa?: string;
  /** Bytes of global memory; 1 GiB unless given. */
  readonly memory?: number;
  /** `LaunchOptions.workers` of launches that do not say it; 0 unless given. */
  readonly workers?: number;
  /** `LaunchOptions.simd` of launches that do not say it. */
  readonly simd?: boolean;
}

/** Extents of a grid or block: a number is one dimension. */
export type Extent = number | readonly [number] | readonly [number, number] | Dim3;

export interface LaunchOptions {
  /** Blocks; 1 unless given. */
  readonly grid?: Extent;
  /** Threads of a block; 1 unless given. */
  readonly block?: Extent;
  /** Dynamic shared memory of a block in bytes. */
  readonly sharedBytes?: number;
  /** One for each parameter of the kernel, in order. */
  readonly args?: readonly Argument[];
  /** Thread-instructions after which the launch ends with fault PTX6020; 2^40 unless given. */
  readonly budget?: number;
  /** Seconds after which the launch ends with fault PTX6021; 60 unless given. */
  readonly timeout?: number;
  /** Called with each text that `printf` in the kernel makes, as it is made. */
  readonly onPrint?: (text: string) => void;
  /**
   * Ends the launch with fault PTX6022 when it aborts. On the calling thread `jit` looks at it between blocks only: with
   * a worker or more it ends any kernel.
   */
  readonly signal?: AbortSignal;
  /**
   * Called with each instruction that one thread executes, with the values of its registers; on engine `interp`, which
   * is then the one that runs unless another is asked for.
   */
  readonly onTrace?: (event: TraceEvent) => void;
  /** What `onTrace` is called for: every line of thread 0 of block 0 unless given. */
  readonly trace?: TraceChoice;
  /**
   * `jit`, the default, compiles to WebAssembly; `interp` computes everything exactly and step by step, orders of
   * magnitude slower. Both give the same results.
   */
  readonly engine?: 'interp' | 'jit';
  /**
   * `true` leaves out the checks of addresses on `jit`, for speed: a kernel that goes astray reads and writes whatever is
   * there, all within the device.
   */
  readonly unchecked?: boolean;
  /**
   * Worker threads that `jit` spreads the blocks over, 64 at most; 0 for the calling thread. Results are the same but
   * for the order of atomics. Kernels that call `printf`, `malloc`, `free` or `__assertfail` always run on the calling
   * thread, and so does every kernel where memory cannot be shared: in a page that is not cross-origin isolated.
   */
  readonly workers?: number;
  /**
   * Whether `jit` makes code that runs four threads at a time on SIMD, beside that for one. It takes longer to make and
   * runs up to four times as fast; unless given, launches get it that are large enough to earn it. Results are the same
   * but for kernels whose threads race.
   */
  readonly simd?: boolean;
  /**
   * What a load from shared or local memory gives where nobody wrote any byte of it: a fault (the default) or zeros;
   * always zeros on `jit`. A load that meets one written byte is none of these: the padding of structs is read with them.
   */
  readonly uninitialised?: 'fault' | 'zero';
}

/** Bytes in device memory. */
export class DeviceBuffer implements Addressed {
  readonly byteLength: number;
  private readonly memory: GlobalMemory;
  private readonly allocation: Allocation;

  /** Made by `Device.alloc`. */
  constructor(memory: GlobalMemory, allocation: Allocation) {
    this.memory = memory;
    this.allocation = allocation;
    this.byteLength = allocation.size;
  }

  /** Its generic address. */
  get address(): bigint {
    return BigInt(this.allocation.address);
  }

  /** A copy of its bytes. */
  read(): Uint8Array {
    return this.memory.bytesOf(this.alive()).slice();
  }

  /**
   * Copies bytes in.
   *
   * @throws PtxlabError `buffer-size` where they do not fit behind `offset`
   */
  write(bytes: Uint8Array, offset = 0): void {
    if (offset < 0 || offset + bytes.byteLength > this.byteLength) {
      throw new PtxlabError(
        'buffer-size',
        `${bytes.byteLength} bytes at ${offset} do not fit in a buffer of ${this.byteLength}`,
      );
    }
    this.memory.bytesOf(this.alive()).set(bytes, offset);
  }

  /**
   * Gives the memory back; a later access by a kernel is a fault.
   *
   * @throws PtxlabError `buffer-freed` where that was done before
   */
  free(): void {
    this.memory.free(this.alive());
  }

  private alive(): Allocation {
    if (this.allocation.live) return this.allocation;
    throw new PtxlabError('buffer-freed', `${this.allocation.owner} was freed`);
  }
}

/** The device that a module is on, and what the module was made of. */
interface ModuleContext {
  readonly memory: GlobalMemory;
  readonly heap: DeviceHeap;
  readonly origin: ModuleOrigin;
  readonly workers: number;
  readonly simd: boolean | undefined;
}

/** A kernel of a loaded module. */
export class Kernel {
  readonly name: string;
  private readonly linked: KernelProgram;
  private readonly program: FunctionProgram;
  private readonly image: ModuleImage;
  private readonly memory: GlobalMemory;
  private readonly heap: DeviceHeap;
  private readonly context: ModuleContext;
  private readonly addressBytes: 4 | 8;

  /** Made by `LoadedModule.kernel`. */
  constructor(linked: KernelProgram, image: ModuleImage, context: ModuleContext, addressBytes: 4 | 8) {
    const program = linked.entry;
    this.name = program.name;
    this.linked = linked;
    this.program = program;
    this.image = image;
    this.memory = context.memory;
    this.heap = context.heap;
    this.context = context;
    this.addressBytes = addressBytes;
  }

  /** Declared type and size of each parameter, in order. */
  get parameters(): readonly { readonly name: string; readonly type: string; readonly bytes: number }[] {
    return this.program.parameters.map(({ name, variable, size }) => ({ name, type: variable.type, bytes: size }));
  }

  /**
   * Runs the kernel. What the program does wrong comes back as a fault; what the caller does wrong is thrown.
   *
   * @throws PtxlabError `bad-launch`, `bad-trace`, `argument-count`, `argument-size`, `argument-type`
   */
  async launch(options: LaunchOptions = {}): Promise<LaunchResult> {
    const { program } = this;
    const shape: LaunchShape = {
      grid: extent(options.grid ?? 1),
      block: extent(options.block ?? 1),
      sharedBytes: options.sharedBytes ?? 0,
    };
    checkShape(shape, program.sharedBytes, this.linked.stackBytes);
    checkWorkers(options.workers ?? 0);
    checkTuning(program, shape);
    const bytes = packArguments(
      this.name,
      program.parameters,
      program.parameterBytes,
      options.args ?? [],
      this.addressBytes,
    );
    const limits: LaunchLimits = {
      budget: options.budget ?? 2 ** 40,
      seconds: options.timeout ?? 60,
      signal: options.signal ?? null,
    };
    const texts: string[] = [];
    const print = (text: string): void => {
      texts.push(text);
      options.onPrint?.(text);
    };
    const result = await this.run(options, shape, bytes, limits, print);
    return { ...result, printed: texts.join('') };
  }

  private async run(
    options: LaunchOptions,
    shape: LaunchShape,
    parameters: Uint8Array,
    limits: LaunchLimits,
    print: (text: string) => void,
  ): Promise<EngineResult> {
    const { linked, program, image, memory, heap } = this;
    const { addressOf, addresses, constants, constantLayout } = image;
    const tracing = tracingOf(options, shape);
    if (tracing === null && options.engine !== 'interp') {
      return runFast({
        kernel: linked,
        shape,
        memory,
        heap,
        print,
        parameters,
        limits,
        constants,
        addressOf,
        addresses,
        constantRegions: regionsOf(constantLayout),
        origin: this.context.origin,
        checked: options.unchecked !== true,
        workers: options.workers ?? this.context.workers,
        simd: options.simd ?? this.context.simd,
      });
    }
    return runLaunch({
      kernel: linked,
      shape,
      memories: {
        global: memory,
        constants: new Segment('const', constants, { readOnly: true, regions: regionsOf(constantLayout) }),
        parameters: new Segment('param', parameters, { readOnly: true, regions: regionsOf(program.parameters) }),
      },
      addressOf,
      limits,
      heap,
      print,
      trackWrites: options.uninitialised !== 'zero',
      tracing,
    });
  }
}

function extent(given: Extent): Dim3 {
  if (typeof given === 'number') return [given, 1, 1];
  return [given[0], given[1] ?? 1, given[2] ?? 1];
}

/** `.reqntid` and `.maxntid` are promises of the kernel's author (PTX ISA 9.1, 11.4). */
function checkTuning({ name, requiredThreads, mostThreads }: FunctionProgram, { block }: LaunchShape): void {
  const required = requiredThreads === null ? null : extent(requiredThreads as unknown as Dim3);
  if (required !== null && required.some((most, i) => most !== block[i])) {
    throw new PtxlabError('bad-launch', `kernel '${name}' requires blocks of ${required.join(' x ')} threads`);
  }
  const threads = block[0] * block[1] * block[2];
  if (mostThreads !== null && threads > mostThreads) {
    throw new PtxlabError(
      'bad-launch',
      `kernel '${name}' is compiled for at most ${mostThreads} threads a block; got ${threads}`,
    );
  }
}

/** A module in device memory. */
export class LoadedModule {
  /** What checking it found; no errors among them. */
  readonly report: CheckReport;
  private readonly module: CheckedModule;
  private readonly image: ModuleImage;
  private readonly context: ModuleContext;
  private readonly functions: FunctionTable;
  private readonly kernels = new Map<string, Kernel>();

  /** Made by `Device.load`. */
  constructor(module: CheckedModule, report: CheckReport, context: ModuleContext) {
    const { memory } = context;
    this.module = module;
    this.report = report;
    this.context = context;
    this.functions = new FunctionTable(module);
    this.image = buildImage(
      module,
      {
        allocate: (size, owner) => memory.allocate(size, owner),
        write: (address, bytes) => {
          memory.bytesAt(address, bytes.byteLength).set(bytes);
        },
      },
      { constBase: windowBase('const'), functionAddress: (name) => this.functions.find(name)?.address ?? null },
    );
  }

  /** Names of its kernels. */
  get kernelNames(): readonly string[] {
    return this.module.functions.filter((fn) => fn.item.entry).map((fn) => fn.item.name);
  }

  /** @throws PtxlabError `unknown-kernel`, or `unresolved-function` where it calls what the module does not define */
  kernel(name: string): Kernel {
    const known = this.kernels.get(name);
    if (known !== undefined) return known;
    const fn = this.module.functions.find((candidate) => candidate.item.entry && candidate.item.name === name);
    if (fn === undefined) {
      const names = this.kernelNames.join(', ');
      throw new PtxlabError(
        'unknown-kernel',
        `the module has no kernel '${name}'; it has ${names === '' ? 'none' : names}`,
      );
    }
    const kernel = new Kernel(
      linkKernel(this.module, this.functions, name, this.image.shared),
      this.image,
      this.context,
      this.module.environment.addressSize === 32 ? 4 : 8,
    );
    this.kernels.set(name, kernel);
    return kernel;
  }
}

/** Thrown by `Device.load` for a module with errors; the report has them all. */
export class RefusedModuleError extends PtxlabError {
  readonly report: CheckReport;

  constructor(report: CheckReport) {
    const errors = report.diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
    super(
      'refused-module',
      `the module has ${errors.length} error${errors.length === 1 ? '' : 's'}: ${errors[0]?.message ?? ''}`,
    );
    this.name = 'RefusedModuleError';
    this.report = report;
  }
}

/** A device with its memory. */
export class Device {
  private readonly options: DeviceOptions;
  private readonly memory: GlobalMemory;
  private readonly heap: DeviceHeap;
  private buffers = 0;

  private constructor(options: DeviceOptions) {
    this.options = options;
    this.memory = new GlobalMemory(options.memory ?? defaultMemorySize);
    this.heap = new DeviceHeap(this.memory);
  }

  /**
   * A device; asynchronous because engines may have to be loaded.
   *
   * @throws PtxlabError `bad-launch` for a number of workers that cannot be
   */
  static async create(options: DeviceOptions = {}): Promise<Device> {
    checkWorkers(options.workers ?? 0);
    return Promise.resolve(new Device(options));
  }

  /**
   * Checks a module and places its variables in memory.
   *
   * @throws RefusedModuleError where the module has errors
   */
  load(source: string): LoadedModule {
    const { target, isa, workers = 0, simd } = this.options;
    const options = { ...(target === undefined ? {} : { target }), ...(isa === undefined ? {} : { isa }) };
    const { report, module } = loadModule(source, options);
    if (module === null) throw new RefusedModuleError(report);
    const { memory, heap } = this;
    const origin: ModuleOrigin = { text: source, target, isa };
    return new LoadedModule(module, report, { memory, heap, origin, workers, simd });
  }

  /**
   * A buffer of zeros, or one with a copy of `contents`.
   *
   * @throws PtxlabError `out-of-memory`
   */
  alloc(contents: number | ArrayBufferView): DeviceBuffer {
    const size = typeof contents === 'number' ? contents : contents.byteLength;
    if (!Number.isSafeInteger(size) || size < 0) throw new PtxlabError('buffer-size', `${size} is no size of a buffer`);
    const buffer = new DeviceBuffer(this.memory, this.memory.allocate(size, `buffer ${this.buffers++}`));
    if (typeof contents !== 'number') {
      buffer.write(new Uint8Array(contents.buffer, contents.byteOffset, contents.byteLength));
    }
    return buffer;
  }
}
