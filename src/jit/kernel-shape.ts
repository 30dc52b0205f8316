/** A kernel and the functions it may call, cut up, with what all their regions share. */
import { type BasicBlock, blocksOf } from '../program/flow.ts';
import type { FunctionProgram, ProgramInstruction } from '../program/function-program.ts';
import type { KernelProgram } from '../program/link.ts';
import { liveness } from '../program/liveness.ts';
import { type Region, regionsOf } from '../program/regions.ts';
import { waitingLoops } from '../program/waiting-loops.ts';
import { FrameLayout } from './frame.ts';
import { Helpers } from './helpers.ts';
import type { LaunchLayout } from './layout.ts';
import type { Site } from './site.ts';
import { type Stop, stopOf } from './stop.ts';
import { upperPlace } from './values.ts';

export interface KernelShape {
  readonly kernel: KernelProgram;
  readonly layout: LaunchLayout;
  readonly helpers: Helpers;
  /** By their index in the kernel; null for built-in ones. The kernel comes first. */
  readonly functions: readonly (FunctionShape | null)[];
  readonly stops: readonly Stop[];
  /** Threads may end a run of a region in different states. */
  readonly hasStates: boolean;
  readonly frame: FrameLayout;
  /** Bytes that open calls of a thread may take. */
  readonly callBytes: number;
  readonly sites: Site[];
}

export interface FunctionShape {
  readonly program: FunctionProgram;
  readonly blocks: readonly BasicBlock[];
  readonly regions: readonly Region[];
  /** Number of its first region among those of all functions; the others follow. */
  readonly firstRegion: number;
  /** Registers that are live at the start of each block. */
  readonly live: readonly (readonly number[])[];
  /** Number of the region that begins with a block. */
  readonly regionAt: ReadonlyMap<number, number>;
  /** Blocks of loops in which a thread may be waiting for another. */
  readonly pauses: ReadonlySet<number>;
  /** Number of the stop that a block lies behind. */
  readonly stopAt: ReadonlyMap<number, number>;
  /** Array of the frame that keeps a register. */
  readonly slots: ReadonlyMap<number, number>;
}

/** The most threads of a block. */
const mostThreads = 1024;

/** Bytes of an open call beside the registers that it keeps: where to return to. */
export const callHeader = 16;

export function shapeOf(kernel: KernelProgram, layout: LaunchLayout): KernelShape {
  const frame = new FrameLayout(Math.min(kernel.entry.mostThreads ?? mostThreads, mostThreads));
  const stops: Stop[] = [];
  const builtins = new Set(kernel.functions.flatMap(({ kind }, i) => (kind === 'builtin' ? [i] : [])));
  let firstRegion = 0;
  const functions = kernel.functions.map((fn): FunctionShape | null => {
    if (fn.kind === 'builtin') return null;
    const shape = functionShape(fn.program, builtins, firstRegion, stops, frame);
    firstRegion += shape.regions.length;
    return shape;
  });
  const entries = functions.flatMap((shape) => (shape === null ? [] : callEntries(shape)));
  // Every activation takes room in local memory, so a stack of so many bytes has so many of them at most.
  const depth = kernel.recursive ? Math.ceil(kernel.stackBytes / kernel.entry.calleeBase) : functions.length;
  return {
    ...{ kernel, layout, functions, stops, frame },
    helpers: new Helpers(),
    hasStates: firstRegion > 1,
    callBytes: entries.length === 0 ? 0 : depth * Math.max(...entries),
    sites: [],
  };
}

function functionShape(
  program: FunctionProgram,
  builtins: ReadonlySet<number>,
  firstRegion: number,
  stops: Stop[],
  frame: FrameLayout,
): FunctionShape {
  const blocks = blocksOf(program, builtins);
  const pauses = waitingLoops(program, blocks);
  const regions = regionsOf(blocks, pauses);
  const live = liveness(program, blocks).map((places) => withUpperHalves(program, places));
  const regionAt = new Map(regions.map(({ entry }, i) => [entry, firstRegion + i] as const));
  const stopAt = new Map<number, number>();
  for (const { end, exit } of blocks) {
    const instruction = program.instructions[end - 1];
    if (exit.kind !== 'park' || instruction === undefined) continue;
    stopAt.set(exit.resume, stops.length);
    stops.push(describeStop(program, instruction, regionAt.get(exit.resume) as number));
  }
  const carried = new Set([...stopAt.keys(), ...pauses].flatMap((block) => live[block] ?? []));
  const slots = new Map([...carried].map((place) => [place, frame.array(bytesOf(program, place))]));
  return { program, blocks, regions, firstRegion, live, regionAt, pauses, stopAt, slots };
}

function bytesOf({ registers }: FunctionProgram, wanted: number): 4 | 8 {
  const width = registers.find(({ place }) => place === wanted)?.type.width ?? 64;
  return width > 32 ? 8 : 4;
}

/** Bytes that each call of a function keeps while it is open. */
function callEntries({ blocks, live }: FunctionShape): readonly number[] {
  return blocks.flatMap(({ exit }) => (exit.kind === 'call' ? [callEntry(live, exit.resume)] : []));
}

/** Bytes of an open call that goes on at `resume`. */
export function callEntry(live: FunctionShape['live'], resume: number): number {
  return 8 * (live[resume]?.length ?? 0) + callHeader;
}

/** Registers of 128 bits are kept in halves. */
function withUpperHalves(program: FunctionProgram, places: readonly number[]): readonly number[] {
  const wide = new Set(program.registers.filter(({ type }) => type.width > 64).map(({ place }) => place));
  if (wide.size === 0) return places;
  return places.flatMap((place) => (wide.has(place) ? [place, upperPlace(program, place)] : [place]));
}

function describeStop(program: FunctionProgram, instruction: ProgramInstruction, region: number): Stop {
  const step = stopOf(instruction);
  if (step === null) throw new Error(`line ${instruction.line} parks at no stop`);
  return { step, program, instruction, region, plainBarrier: plainBarrier(program, instruction) };
}

function plainBarrier(program: FunctionProgram, instruction: ProgramInstruction): number | null {
  const step = stopOf(instruction);
  if (step?.kind !== 'barrier' || step.count !== null || !step.waits || step.reduce !== null) return null;
  return constantAt(program, instruction.places.get(step.barrier) ?? -1);
}

/** The value of a place that is a constant operand's. */
export function constantAt(program: FunctionProgram, place: number): number | null {
  const value = program.constants.has(place) ? program.initialFrame[place] : undefined;
  return value === undefined ? null : Number(value);
}
