/** What a device and a launch can be told, and what a launch gives. */
import type { Argument } from './arguments.ts';
import type { TraceEvent } from '../interp/trace.ts';
import type { Dim3 } from '../machine/fault.ts';
import type { TraceChoice } from './trace-choice.ts';

export interface DeviceOptions {
  /** Judge modules for this architecture in place of their own `.target`. */
  readonly target?: string;
  /**
   * The GPU whose arithmetic kernels have where the ISA leaves that open, by architecture or product: `sm_90`, `H100`.
   * Unless given it is that of the target a module is judged for.
   */
  readonly gpu?: string;
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
  /**
   * The grid can synchronise as a whole, as after `cudaLaunchCooperativeKernel`: `grid.sync()` of cooperative groups finds
   * its workspace by %envreg1 and %envreg2. All blocks are then there at once, with all their memory.
   */
  readonly cooperative?: boolean;
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
