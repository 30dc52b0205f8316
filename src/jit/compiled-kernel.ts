/**
 * The information about a compiled kernel that the engine needs in addition to the module itself. This information is
 * plain data, so that it can be sent to a worker.
 */
import { elementAt } from '../base/element-at.ts';
import type { BuiltinName } from '../isa/builtin-functions.ts';
import { tensorMemoryBytes } from '../isa/tensor-memory.ts';
import { namedRanges } from '../machine/memory/named-ranges.ts';
import type { NamedRange } from '../machine/memory/segment.ts';
import { formalLayout } from '../program/call-site.ts';
import type { FunctionProgram } from '../program/function-program.ts';
import type { LinkedFunction } from '../program/linked-function.ts';
import type { KernelShape } from './regions/kernel-shape.ts';
import type { EngineCall } from './engine-call.ts';
import type { Stop, StopStep } from './groups/stop.ts';

export interface CompiledKernel {
  readonly name: string;
  readonly stops: readonly CompiledStop[];
  /** The size of a block's frames, and the offsets, within the frames, of the arrays that the engine accesses. */
  readonly frame: CompiledFrame;
  /** Maximum number of bytes that a thread's call stack may occupy. */
  readonly callBytes: number;
  /** Number of bytes of local memory per thread. */
  readonly stackBytes: number;
  readonly sharedBytes: number;
  /** Size of a block's tensor memory; 0 if the kernel does not use it. */
  readonly tensorBytes: number;
  /** Whether threads run warp by warp; otherwise, all threads of a block run together. */
  readonly inWarps: boolean;
  /** Whether blocks may cancel blocks that have not started yet. */
  readonly cancelsBlocks: boolean;
  /** Whether compiled code reads the tables of the special function unit. */
  readonly usesSpecialFunctions: boolean;
  /** Whether compiled code reads textures, which it finds in a table (textures/texture-table.ts). */
  readonly readsTextures: boolean;
  /** Offset of the cluster barrier in shared memory; null for kernels that do not use the cluster barrier. */
  readonly clusterBarrier: number | null;
  /** See `KernelShape`. */
  readonly spins: ReadonlyMap<number, number>;
  /** Whether a thread may reach a loop in which it waits for a thread of another block. */
  readonly waits: boolean;
  /** Whether a block lets other blocks run after a certain number of stops. */
  readonly yieldsAtStops: boolean;
  /** The functions, in the order of the indices in `engineCalls`; the kernel comes first. */
  readonly functions: readonly FunctionDescription[];
  readonly engineCalls: readonly EngineCall[];
  /** Names of variables and parameters, for messages. */
  readonly shared: readonly NamedRange[];
  readonly local: readonly NamedRange[];
  readonly parameters: readonly NamedRange[];
}

export interface CompiledStop {
  readonly step: StopStep;
  /** PTX source line. */
  readonly line: number;
  /** The number of the region in which threads continue after this stop. */
  readonly region: number;
  /**
   * The offsets of the arrays in which threads store the values that they send (`sends`) and find the values that they
   * receive (`receives`).
   */
  readonly sends: readonly number[];
  readonly receives: readonly (number | null)[];
  /** See `Stop`. */
  readonly constantMask: number | null;
  readonly plainBarrier: number | null;
}

export interface CompiledFrame {
  readonly state: number;
  readonly mask: number;
  readonly base: number;
  readonly depth: number;
  readonly size: number;
}

export interface FunctionDescription {
  readonly address: number;
  readonly name: string;
  readonly localBytes: number;
  readonly builtin: CompiledBuiltin | null;
}

/**
 * Describes where the arguments and the result of a built-in function are stored. The offsets are relative to the base
 * of the function's activation.
 */
export interface CompiledBuiltin {
  readonly name: BuiltinName;
  readonly parameters: readonly Field[];
  readonly result: Field | null;
}

interface Field {
  readonly offset: number;
  readonly bytes: number;
}

/** Size of the tensor memory of each block of a kernel. */
export function tensorBytesOf({ usesTensorMemory }: FunctionProgram): number {
  return usesTensorMemory ? tensorMemoryBytes : 0;
}

export function describeKernel({
  kernel,
  stops,
  frame,
  callBytes,
  engineCalls,
  inWarps,
  spins,
  waits,
  yieldsAtStops,
}: KernelShape): CompiledKernel {
  const { entry, stackBytes } = kernel;
  const { state, mask, base, depth } = frame;
  return {
    name: entry.name,
    stops: stops.map(compiledStop),
    frame: { state, mask, base, depth, size: frame.close() },
    callBytes,
    stackBytes,
    inWarps,
    engineCalls,
    sharedBytes: entry.sharedBytes,
    tensorBytes: tensorBytesOf(entry),
    cancelsBlocks: entry.cancelsBlocks,
    usesSpecialFunctions: entry.usesSpecialFunctions,
    readsTextures: entry.readsTextures,
    clusterBarrier: entry.clusterBarrier,
    yieldsAtStops,
    spins,
    waits,
    functions: kernel.functions.map(describeFunction),
    shared: namedRanges(entry.shared),
    local: namedRanges(entry.local),
    parameters: namedRanges(entry.parameters),
  };
}

function compiledStop({ step, instruction, region, sends, receives, constantMask, plainBarrier }: Stop): CompiledStop {
  return {
    step,
    line: instruction.line,
    region,
    sends: sends.map(({ array }) => array),
    receives: receives.map((carrier) => carrier?.array ?? null),
    constantMask,
    plainBarrier,
  };
}

function describeFunction(fn: LinkedFunction): FunctionDescription {
  if (fn.kind === 'program') {
    const { name, localBytes } = fn.program;
    return { address: fn.address, name, localBytes, builtin: null };
  }
  const { name, signature } = fn.builtin;
  const layout = formalLayout(signature);
  const fieldsOf = (formals: readonly { readonly bytes: number }[], offsets: readonly number[]): readonly Field[] =>
    formals.map(({ bytes }, i) => ({ offset: elementAt(offsets, i), bytes }));
  const [result = null] = fieldsOf(signature.results, layout.results);
  const builtin = { name, parameters: fieldsOf(signature.parameters, layout.parameters), result };
  return { address: fn.address, name, localBytes: fn.localBytes, builtin };
}
