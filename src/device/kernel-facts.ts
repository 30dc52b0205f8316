/** What a kernel's header says: its parameters, and what a launch has to respect. */
import { alignmentOf } from '../check/declarations/sizes.ts';
import type { Dim3 } from '../machine/fault.ts';
import { threadLimit } from '../machine/launch.ts';
import type { Placed } from '../program/layout.ts';
import type { KernelProgram } from '../program/link.ts';

/** A parameter of a kernel. All sizes are in bytes. */
export interface KernelParameter {
  readonly name: string;
  /** Type of the parameter, or of its elements: `.u64`, `.b8`. */
  readonly type: string;
  /** Extents of an array; empty for a scalar. */
  readonly dimensions: readonly number[];
  readonly size: number;
  readonly align: number;
  /** Position in the parameter space. */
  readonly offset: number;
  /** What `.ptr` says of the address in it; null without `.ptr`. */
  readonly pointer: PointerFacts | null;
}

export interface PointerFacts {
  /** Null for a generic address. */
  readonly space: '.const' | '.global' | '.local' | '.shared' | null;
  /** Bytes; null if the header does not say. */
  readonly align: number | null;
}

/** Needs and limits of a kernel. All sizes are in bytes. */
export interface KernelAttributes {
  /** All parameters together. */
  readonly parameterSize: number;
  /** Static shared memory of a block, with that of all functions the kernel may call. */
  readonly sharedSize: number;
  /** Local memory of a thread, with that of the deepest calls. */
  readonly localSize: number;
  /** Extents that a block must have (`.reqntid`); null if any will do. */
  readonly requiredBlock: Dim3 | null;
  /** Most threads of a block: by `.reqntid` or `.maxntid`, or else 1024. */
  readonly maxThreads: number;
  /** Performance directives of the header in its order, such as `.maxntid` with 128, 1, 1. */
  readonly directives: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export function parameterOf({ name, offset, size, variable }: Placed): KernelParameter {
  const { type, dimensions, pointer } = variable;
  return {
    name,
    type,
    dimensions: dimensions.map((extent) => extent ?? 0),
    size,
    align: alignmentOf(variable),
    offset,
    pointer: pointer === null ? null : { space: pointer.space, align: pointer.align },
  };
}

export function attributesOf({ entry, stackBytes }: KernelProgram): KernelAttributes {
  const { parameterBytes, sharedBytes, requiredThreads, mostThreads, tuning } = entry;
  const [x = 1, y = 1, z = 1] = requiredThreads ?? [];
  return {
    parameterSize: parameterBytes,
    sharedSize: sharedBytes,
    localSize: stackBytes,
    requiredBlock: requiredThreads === null ? null : [x, y, z],
    maxThreads: Math.min(threadLimit, requiredThreads === null ? (mostThreads ?? threadLimit) : x * y * z),
    directives: tuning.filter(({ name }) => name !== '.pragma'),
  };
}
