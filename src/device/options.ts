/** Options for devices and launches, and the result of a launch. */
import type { JudgeOptions } from '../check/judge-options.ts';
import type { GpuName } from '../isa/gpus.ts';
import type { TensorElementType } from '../isa/tensor-map-fields.ts';
import type { Addressed, Argument } from './arguments.ts';
import type { TraceEvent } from '../interp/trace.ts';
import type { RaceMode } from '../machine/races/race.ts';
import type { Dim3 } from '../machine/extents.ts';
import type { TraceChoice } from './trace-choice.ts';

/** `target` and `version` replace the `.target` and `.version` of modules. */
export interface DeviceOptions extends JudgeOptions {
  /**
   * The GPU whose arithmetic is reproduced where the ISA leaves results unspecified, given by its architecture or
   * product name: `sm_90`, `H100`. Default: the GPU that corresponds to the target of the module.
   */
  readonly gpu?: GpuName;
  /** Size of global memory in bytes. Default 1 GiB. */
  readonly memory?: number;
  /** Default for `LaunchOptions.workers`; 0 if not given. */
  readonly workers?: number;
  /** Default for `LaunchOptions.simd`. */
  readonly simd?: boolean;
}

/** Extents of a grid or block. A single number means one dimension. */
export type Extent = number | readonly [number] | readonly [number, number] | Dim3;

export interface LaunchOptions {
  /** Number of blocks. Default 1. */
  readonly grid?: Extent;
  /** Threads per block. Default 1. */
  readonly block?: Extent;
  /**
   * Blocks per cluster, at most 16. The grid extents must be multiples of the cluster extents. Default: the extents
   * that `.reqnctapercluster` requires, or 1 without that directive.
   */
  readonly cluster?: Extent;
  /** Dynamic shared memory per block, in bytes. */
  readonly sharedBytes?: number;
  /**
   * Allows the whole grid to synchronize, as with `cudaLaunchCooperativeKernel`: `grid.sync()` of cooperative groups
   * finds its workspace through %envreg1 and %envreg2. In a cooperative launch, all blocks exist at the same time, each
   * with its own memory.
   */
  readonly cooperative?: boolean;
  /**
   * One argument for each kernel parameter, in order. For a parameter that points to constant memory (`.ptr .const`), a
   * buffer of at most 64 KiB is copied to constant memory. For a pointer to shared memory (`.ptr .shared`), the
   * argument is `{ shared: bytes }`.
   */
  readonly args?: readonly Argument[];
  /**
   * Maximum number of instructions that all threads together may execute before the launch ends with fault PTX6020.
   * Default 2^40.
   */
  readonly budget?: number;
  /**
   * Number of seconds after which the launch ends with fault PTX6021. The time to compile the kernel is included.
   * Default 60.
   */
  readonly timeout?: number;
  /**
   * Maximum number of bytes of `printf` output to pass on and keep, up to 2^28. The `printf` call that exceeds this
   * limit and all later calls are dropped. Default 2^26.
   */
  readonly printLimit?: number;
  /** Called with each piece of text that the kernel prints with `printf`, as soon as it is printed. */
  readonly onPrint?: (text: string) => void;
  /**
   * When this signal aborts, the launch ends with fault PTX6022. If `jit` runs on the calling thread, it checks the
   * signal only between blocks; if it runs on workers, the signal can stop any kernel.
   */
  readonly signal?: AbortSignal;
  /**
   * Called for each instruction that the traced thread executes, with its register values. Requires the engine
   * `interp`; if `onTrace` is set, this engine is the default.
   */
  readonly onTrace?: (event: TraceEvent) => void;
  /** The thread and lines to trace. Default: every line of thread 0 in block 0. */
  readonly trace?: TraceChoice;
  /**
   * Finds data races: different threads access the same global, shared or tensor memory, and no barrier, fence or
   * atomic operation orders their accesses (PTX ISA 9.1, section 8). Races are returned in `LaunchResult.races`, with
   * the two PTX lines involved. The result does not depend on the order in which the threads ran. `report` leaves out
   * races between two stores of the same value; `strict` reports them, too. Requires the engine `interp`; if `races` is
   * set, this engine is the default.
   */
  readonly races?: RaceMode;
  /**
   * `jit`, the default, compiles to WebAssembly; `interp` computes everything exactly, step by step, and is orders of
   * magnitude slower. Both engines leave the same bytes in memory, except where a program does not define its result:
   *
   * - Threads run in a different order, and with workers the order changes from run to run. This may change the values
   *   that atomics return, floating-point sums that are computed with atomics, the order of `printf` output, and the
   *   addresses that `malloc` returns.
   * - If several values are stored at the same address in a data race, the value that a thread reads there may differ
   *   between the engines.
   * - %clock, %clock_hi, %clock64 and %globaltimer have different values.
   * - `interp` reports reads of shared and local memory that was never written; `jit` reads zeros instead.
   * - A launch that ends in a fault may have executed other threads before the fault.
   */
  readonly engine?: 'interp' | 'jit';
  /**
   * `true` omits the address checks in `jit` for speed. A kernel that uses an invalid address may then read or
   * overwrite any memory of the device, but nothing outside the device.
   */
  readonly unchecked?: boolean;
  /**
   * Whether the threads of a warp perform all accesses to shared and global memory in lockstep, and reconverge after
   * branches, as on GPUs. By default, only volatile accesses to shared memory are performed in lockstep. Without data
   * races, the results are the same, but the launch takes several times as long. OpenMP code compiled with GCC requires
   * lockstep.
   */
  readonly lockstep?: boolean;
  /**
   * Number of worker threads among which `jit` divides the blocks, at most 64. If it is 0, all blocks run on the
   * calling thread. A launch never uses more workers than there are blocks, or more than twice the number of
   * processors. Results are the same except for the order of atomics. Kernels that call `printf`, `malloc`, `free` or
   * `__assertfail` always run on the calling thread. If memory cannot be shared, as in a page that is not cross-origin
   * isolated, all kernels run on the calling thread.
   */
  readonly workers?: number;
  /**
   * What to do if control flow can reach instructions that no engine can execute: `refuse`, the default, throws
   * UnsupportedInstructionsError before anything runs; `fault` runs the kernel, and ends it with fault PTX6030 if a
   * thread reaches such an instruction.
   */
  readonly unsupported?: 'refuse' | 'fault';
  /**
   * Whether `jit` also compiles SIMD code that runs four threads at a time. SIMD code takes longer to compile and runs
   * up to four times as fast. By default, SIMD code is used for launches that are large enough to benefit from it.
   * Results are the same except for kernels with data races.
   */
  readonly simd?: boolean;
  /**
   * What to do when a kernel reads shared or local memory that was never written. With `fault`, the default, the launch
   * ends with a fault if a branch, an address, a store to global memory or a host call depends on a value that was read
   * from such memory. With `zero`, such memory contains zeros. This is the default if `races` is set, and `jit` always
   * works this way.
   */
  readonly uninitialized?: 'fault' | 'zero';
}

/**
 * The type of an element. For one-byte floats, use `u8`. Copies to shared memory round `tf32` to the nearest value of
 * that format, and flush subnormal numbers of types that end in `.ftz`. Elements of type `b4x16`, `b4x16_p64` and
 * `b6x16_p32` are packed in the tensor; in shared memory, every 16 elements are followed by 64 bits of padding for
 * `b4x16_p64`, or 32 bits for `b6x16_p32`. The driver uses other names, for example UINT8 for `u8` and FLOAT32_FTZ for
 * `f32.ftz`. Its names for `b4x16`, `b4x16_p64` and `b6x16_p32` are 16U4_ALIGN8B, 16U4_ALIGN16B and 16U6_ALIGN16B.
 */
export type TensorElement = TensorElementType;

/**
 * The number of adjacent bytes that a 128-byte swizzle moves as a unit. `32-flip-8` also swaps the 8-byte halves of
 * some 16-byte chunks.
 */
export const swizzleAtoms = [16, 32, '32-flip-8', 64] as const;

/**
 * Pixels of images, as cuTensorMapEncodeIm2col describes them. The tensor has 3 to 5 dimensions. The first counts the
 * channels, the next one to three are the width, height and depth of an image, and the last counts the images.
 */
export interface Im2colOptions {
  /**
   * The first pixel at which a filter may begin, along each dimension of an image. Negative positions are in the
   * padding.
   */
  readonly lowerCorner: readonly number[];
  /** The last pixel at which a filter may begin, relative to the last pixel of the image. */
  readonly upperCorner: readonly number[];
  /** Number of channels to copy for each pixel, from 1 to 256. They must occupy a multiple of 16 bytes. */
  readonly channelsPerPixel: number;
  /** Number of pixels to copy, from 1 to 1024. */
  readonly pixelsPerColumn: number;
}

/**
 * A tensor in global memory, and the part of it that an instruction copies: either a box or pixels. Lists begin with
 * the innermost dimension, whose elements are adjacent.
 */
export interface TensorMapOptions {
  /** The buffer that contains the tensor, or the tensor's address, which must be a multiple of 16. */
  readonly tensor: Addressed | bigint;
  readonly type: TensorElement;
  /** Number of elements along each dimension; 1 to 5 dimensions. */
  readonly dimensions: readonly number[];
  /**
   * Distances in bytes between neighbors along dimensions 1 and higher. Each distance must be a multiple of 16. By
   * default, there are no gaps between the elements.
   */
  readonly strides?: readonly number[];
  /** Size of a box along each dimension: 1 to 256 elements. A row of the box must occupy a multiple of 16 bytes. */
  readonly box?: readonly number[];
  /** The pixels to copy, instead of a box. */
  readonly im2col?: Im2colOptions;
  /**
   * Distances between the copied elements along each dimension, 1 to 8; 1 by default. The first distance has no effect.
   */
  readonly elementStrides?: readonly number[];
  /** Number of bytes in shared memory within which 16-byte chunks are swizzled; 0 by default. */
  readonly swizzle?: 0 | 32 | 64 | 96 | 128;
  /** Only for a 128-byte swizzle; 16 by default. */
  readonly swizzleAtom?: (typeof swizzleAtoms)[number];
  /** The values of elements outside the tensor; zeros by default. NaN is allowed only for floats. */
  readonly fill?: 'zeros' | 'nan';
}

export const texelTypeNames = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'f16', 'f32'] as const;

/** Texels in a buffer, row by row. Slices of a volume, layers, and levels of detail are stored one after another. */
export interface TexelOptions {
  /** The buffer that contains the texels, or their address, which must be a multiple of the size of a texel. */
  readonly texels: Addressed | bigint;
  /** The type of a channel. */
  readonly type: (typeof texelTypeNames)[number];
  /** The number of channels of a texel; 1 by default. */
  readonly channels?: 1 | 2 | 4;
  /** The width, the width and height, or the width, height and depth, in texels. */
  readonly size: readonly number[];
  /** If given, the texture is an array with this number of layers or cubes. */
  readonly layers?: number;
  /** Whether the texture is a cube. A cube has six square layers, which face +x, -x, +y, -y, +z and -z. */
  readonly cube?: boolean;
  /** The distance between rows of texels in bytes. By default, there are no gaps. Smaller levels never have gaps. */
  readonly rowBytes?: number;
}

export const textureAddressModes = ['clamp', 'border', 'wrap', 'mirror'] as const;

/** How coordinates outside of a texture are treated. */
export type TextureAddressMode = (typeof textureAddressModes)[number];

/**
 * How a sampler that is not part of a texture reads texels. Options that are also available for textures have the same
 * meaning.
 */
export interface SamplerOptions
  extends Pick<
    TextureOptions,
    'addressMode' | 'filter' | 'levelFilter' | 'border' | 'levelBias' | 'leastLevel' | 'greatestLevel'
  > {
  /** Whether coordinates are in texels even if the texture has normalized coordinates. */
  readonly forcesTexelCoordinates?: boolean;
}

/** A texture, and how it is sampled. The names and rules are those of cudaCreateTextureObject. */
export interface TextureOptions extends TexelOptions {
  /** The number of levels of detail, each half as large as the one before; 1 by default. */
  readonly levels?: number;
  /**
   * One mode for all dimensions, or a list with one for each; `clamp` by default. Without normalized coordinates,
   * `wrap` and `mirror` are the same as `clamp`.
   */
  readonly addressMode?: TextureAddressMode | readonly TextureAddressMode[];
  /** `point`, the default, reads the nearest texel; `linear` reads a weighted mean of the nearest texels. */
  readonly filter?: 'point' | 'linear';
  /** `point`, the default, reads the nearest level of detail; `linear` reads a weighted mean of two levels. */
  readonly levelFilter?: 'point' | 'linear';
  /** Whether coordinates from 0 to 1 span the texture. By default, coordinates are in texels. */
  readonly normalizedCoordinates?: boolean;
  /** Whether 8-bit and 16-bit integers are read as numbers from 0 to 1 (unsigned) or from -1 to 1 (signed). */
  readonly normalizedTexels?: boolean;
  /** The value of texels outside the texture in the mode `border`: four numbers, zeros by default. */
  readonly border?: readonly number[];
  /** A number that is added to the level of detail; 0 by default. */
  readonly levelBias?: number;
  /** The finest and the coarsest level that may be read. By default, all levels may be read. */
  readonly leastLevel?: number;
  readonly greatestLevel?: number;
}
