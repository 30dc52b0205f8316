/** The declarations in a kernel's header: its parameters, and the limits that a launch must respect. */
import { alignmentOf } from '../check/declarations/sizes.ts';
import { threadLimit } from '../isa/sm-limits.ts';
import type { Dim3 } from '../machine/extents.ts';
import type { Placed } from '../program/layout.ts';
import type { KernelProgram } from '../program/link.ts';

/** A parameter of a kernel. All sizes are in bytes. */
export interface KernelParameter {
  readonly name: string;
  /** Type of the parameter, or of its elements: `.u64`, `.b8`. */
  readonly type: string;
  /** Array extents; empty for a scalar. */
  readonly dimensions: readonly number[];
  readonly size: number;
  readonly align: number;
  /** Offset in the parameter space. */
  readonly offset: number;
  /** The properties that `.ptr` declares for the address in the parameter; null without `.ptr`. */
  readonly pointer: PointerFacts | null;
}

export interface PointerFacts {
  /** The state space that the address points into; null for a generic address. */
  readonly space: '.const' | '.global' | '.local' | '.shared' | null;
  /** Alignment in bytes; null if the header does not specify it. */
  readonly align: number | null;
}

/** The resources that a kernel requires, and the limits that its header sets for launches. All sizes are in bytes. */
export interface KernelAttributes {
  /** Total size of all parameters. */
  readonly parameterSize: number;
  /** Static shared memory of a block, including that of all functions the kernel may call. */
  readonly sharedSize: number;
  /** Local memory of a thread, including the memory that the deepest chain of calls needs. */
  readonly localSize: number;
  /** Block extents required by `.reqntid`; null without that directive. */
  readonly requiredBlock: Dim3 | null;
  /** Maximum number of threads in a block, as given by `.reqntid` or `.maxntid`; 1024 without them. */
  readonly maxThreads: number;
  /** The header's performance directives in source order, such as `.maxntid` with values 128, 1, 1. */
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
  const { parameterBytes, sharedBytes, hiddenBytes, requiredThreads, mostThreads, tuning } = entry;
  const [x = 1, y = 1, z = 1] = requiredThreads ?? [];
  return {
    parameterSize: parameterBytes,
    sharedSize: sharedBytes - hiddenBytes,
    localSize: stackBytes,
    requiredBlock: requiredThreads === null ? null : [x, y, z],
    maxThreads: Math.min(threadLimit, requiredThreads === null ? (mostThreads ?? threadLimit) : x * y * z),
    directives: tuning.filter(({ name }) => name !== '.pragma'),
  };
}
