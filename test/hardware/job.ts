/**
 * A launch whose results are recorded on a GPU. Jobs are lines of JSON, so that other programs can read a recording and
 * launch its jobs again.
 */
import type { TensorMapOptions, TexelOptions, TextureOptions } from '../../src/device.ts';

export type Triple = readonly [number, number, number];

export interface Job {
  /** A short description of the job, which is unique within a file. */
  readonly id: string;
  /** The text of a module. */
  readonly source: string;
  readonly kernel: string;
  readonly grid: Triple;
  readonly block: Triple;
  readonly cluster?: Triple;
  /** Dynamic shared memory in bytes. */
  readonly shared?: number;
  /** One argument for each parameter of the kernel. */
  readonly args: readonly JobArgument[];
}

export type JobArgument = ScalarArgument | BufferArgument | TensorMapArgument | TextureArgument | SurfaceArgument;

/** The bytes of a parameter in hexadecimal, in memory order. */
export interface ScalarArgument {
  readonly kind: 'scalar';
  readonly bytes: string;
}

export interface BufferArgument {
  readonly kind: 'buffer';
  /** Number of bytes. */
  readonly size: number;
  /** The first bytes in hexadecimal. All other bytes are 0. */
  readonly bytes?: string;
  /** Whether the contents of the buffer after the launch are part of the result. */
  readonly returned?: boolean;
}

/** A tensor map for a tensor in a buffer. The buffer is an earlier argument of the job; `buffer` is its index. */
export interface TensorMapArgument {
  readonly kind: 'tensorMap';
  readonly buffer: number;
  readonly options: Omit<TensorMapOptions, 'tensor'>;
  /** Whether the parameter is the address of the map in global memory, instead of the map itself. */
  readonly byPointer?: boolean;
}

/** A texture whose texels are in a buffer. The buffer is an earlier argument of the job; `buffer` is its index. */
export interface TextureArgument {
  readonly kind: 'texture';
  readonly buffer: number;
  readonly options: Omit<TextureOptions, 'texels'>;
}

/** After the launch, the texels of a surface are copied back to their buffer. */
export interface SurfaceArgument {
  readonly kind: 'surface';
  readonly buffer: number;
  readonly options: Omit<TexelOptions, 'texels'>;
}

/** A job, together with the results of a GPU. */
export interface Recorded extends Job {
  /**
   * The contents of the returned buffers in hexadecimal, in the order of the arguments. If the job failed, the error of
   * the driver instead: a value of CUresult, or -1 if the job did not end.
   */
  readonly result: readonly string[] | number;
  /** The bytes of the job's tensor maps as the driver encoded them, if the job has any tensor maps. */
  readonly maps?: readonly string[];
}

/** The first line of a file of recorded jobs. */
export interface Recorder {
  readonly device: string;
  /** The version of CUDA that the driver supports, times 1000. */
  readonly driver: number;
  /** The compute capability, times 10. */
  readonly sm: number;
  readonly date: string;
}
