/** Options of a device and of a launch, and the result of a launch. */
import type { JudgeOptions } from '../check/judge-options.ts';
import type { Argument } from './arguments.ts';
import type { TraceEvent } from '../interp/trace.ts';
import type { Dim3 } from '../machine/fault.ts';
import type { TraceChoice } from './trace-choice.ts';

/** `target` and `version` replace the `.target` and `.version` of modules. */
export interface DeviceOptions extends JudgeOptions {
  /**
   * The GPU whose arithmetic kernels use where the ISA leaves it open, by architecture or product: `sm_90`, `H100`.
   * Default: that of the target a module is judged for.
   */
  readonly gpu?: string;
  /** Bytes of global memory. Default 1 GiB. */
  readonly memory?: number;
  /** The default of `LaunchOptions.workers`. Default 0. */
  readonly workers?: number;
  /** The default of `LaunchOptions.simd`. */
  readonly simd?: boolean;
}

/** Extents of a grid or block: a number is one dimension. */
export type Extent = number | readonly [number] | readonly [number, number] | Dim3;

export interface LaunchOptions {
  /** Number of blocks. Default 1. */
  readonly grid?: Extent;
  /** Threads per block. Default 1. */
  readonly block?: Extent;
  /** Dynamic shared memory of a block in bytes. */
  readonly sharedBytes?: number;
  /**
   * The grid can synchronise as a whole, as after `cudaLaunchCooperativeKernel`: `grid.sync()` of cooperative groups
   * finds its workspace through %envreg1 and %envreg2. All blocks then exist at the same time, with all their memory.
   */
  readonly cooperative?: boolean;
  /** One for each parameter of the kernel, in order. */
  readonly args?: readonly Argument[];
  /** Thread-instructions after which the launch ends with fault PTX6020. Default 2^40. */
  readonly budget?: number;
  /** Seconds after which the launch ends with fault PTX6021. Default 60. */
  readonly timeout?: number;
  /** Most bytes of output that are passed on and kept, at most 2^28. Later calls of `printf` are dropped. Default 2^26. */
  readonly printLimit?: number;
  /** Called with each text that `printf` in the kernel prints, as it is printed. */
  readonly onPrint?: (text: string) => void;
  /**
   * Ends the launch with fault PTX6022 when it aborts. On the calling thread, `jit` checks it between blocks only; with
   * at least one worker, it ends any kernel.
   */
  readonly signal?: AbortSignal;
  /**
   * Called with each instruction that one thread executes, with the values of its registers. Requires engine `interp`,
   * which becomes the default.
   */
  readonly onTrace?: (event: TraceEvent) => void;
  /** What to call `onTrace` for. Default: every line of thread 0 of block 0. */
  readonly trace?: TraceChoice;
  /**
   * `jit`, the default, compiles to WebAssembly; `interp` computes everything exactly and step by step, orders of
   * magnitude slower. Both leave the same bytes in memory, except where a program does not define its result:
   *
   * - Threads run in another order, and with workers in a different one every time. So the values that atomics return and
   *   float sums of atomics may differ, and the order of texts from `printf` and of addresses from `malloc`.
   * - A kernel whose threads race may read another of the values stored.
   * - %clock, %clock_hi, %clock64 and %globaltimer count differently.
   * - `interp` reports reads of shared and local memory that was never written; `jit` reads zeros there.
   * - A launch that ends in a fault may have executed other threads before it.
   */
  readonly engine?: 'interp' | 'jit';
  /**
   * `true` omits the address checks of `jit`, for speed: a kernel with a wild address then reads and writes arbitrary
   * memory, but only within the device.
   */
  readonly unchecked?: boolean;
  /**
   * Worker threads that `jit` distributes the blocks over, at most 64; 0 for the calling thread. No more are started
   * than there are blocks, or twice the processors. Results are the same except for the order of atomics. Kernels that call `printf`, `malloc`, `free` or `__assertfail` always run on the
   * calling thread, and so does every kernel if memory cannot be shared: in a page that is not cross-origin isolated.
   */
  readonly workers?: number;
  /**
   * What to do if control can flow to instructions that no engine executes: `refuse`, the default, throws
   * UnsupportedInstructionsError before anything runs; `fault` runs the kernel, and ends it with fault PTX6030 where a
   * thread arrives at one.
   */
  readonly unsupported?: 'refuse' | 'fault';
  /**
   * Whether `jit` also makes code that runs four threads at a time on SIMD. It takes longer to make and runs up to four
   * times as fast. By default, launches that are large enough get it. Results are the same except for kernels whose
   * threads race.
   */
  readonly simd?: boolean;
  /**
   * Shared and local memory that was never written: a fault where a branch, an address, a store to global memory or a
   * call of the host depends on it (the default), or zeros; always zeros on `jit`.
   */
  readonly uninitialised?: 'fault' | 'zero';
}
