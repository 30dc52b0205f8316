/** A kernel and the functions that it may call, split into regions, with the data that all regions share. */
import { calleesIn, longestChain } from '../../program/call-chain.ts';
import { type BasicBlock, blocksOf, successorsOf } from '../../program/flow.ts';
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';
import { builtinsOf, type KernelProgram, type LinkedFunction } from '../../program/link.ts';
import { type Liveness, liveness } from '../../program/liveness.ts';
import { lockstepPoints } from '../../program/lockstep.ts';
import { seamsOf } from '../../program/seams.ts';
import { eachRegion, type Region } from '../../program/regions.ts';
import { type RegisterTraffic, TrafficAnalysis } from '../../program/register-traffic.ts';
import { type Stride, stridesOf } from '../../program/strides.ts';
import { usesOf } from '../../program/uses.ts';
import { varyingPlaces } from '../../program/varying.ts';
import { looksAtBlocks, type WaitingLoop, waitingLoops } from '../../program/waiting-loops.ts';
import { CodeSize } from '../code-limits.ts';
import { FrameLayout } from './frame.ts';
import { elementAt, valueAt } from '../../base/element-at.ts';
import { looksAtOthers } from '../../isa/steps/effects.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import { Helpers } from '../helpers.ts';
import { type LaunchLayout, outcome } from '../layout.ts';
import type { EngineCall } from '../engine-call.ts';
import { carriersAt, type Stop, stopOf } from '../groups/stop.ts';
import { upperPlace } from './values.ts';

export interface KernelShape {
  readonly kernel: KernelProgram;
  readonly layout: LaunchLayout;
  readonly helpers: Helpers;
  /**
   * The functions, in the order of their indices in the kernel program; null for built-in functions. The kernel comes
   * first.
   */
  readonly functions: readonly (FunctionShape | null)[];
  readonly stops: readonly Stop[];
  /** Whether the threads that run a region together may be in different states at its end. */
  readonly hasStates: boolean;
  /**
   * Whether threads run warp by warp, and some lanes of a warp may run while the others wait. This is so if threads of a
   * warp exchange values or catch up with each other.
   */
  readonly inWarps: boolean;
  /** Whether threads let the other threads of their warp catch up (program/lockstep.ts). */
  readonly catchesUp: boolean;
  /**
   * Whether a thread may wait for another thread in a loop that extends over several regions, because it calls functions
   * or lets other threads catch up. To let other threads run, a thread then pauses at some of these places.
   */
  readonly waitsAcrossRegions: boolean;
  /** Whether a thread may reach a loop in which it waits for another thread. */
  readonly waits: boolean;
  /**
   * Whether a loop with a stop may wait for another block. A thread does not pause in such a loop, because it begins a
   * new region at each stop. Instead, the whole block gives other blocks a turn after a number of stops.
   */
  readonly yieldsAtStops: boolean;
  /**
   * The regions that begin with a loop in which a thread only waits for its cluster, with the PTX source lines of the
   * loops. Empty if threads may also pause elsewhere than in loops.
   */
  readonly spins: ReadonlyMap<number, number>;
  readonly frame: FrameLayout;
  /** Maximum number of bytes that a thread's call stack may take. */
  readonly callBytes: number;
  readonly engineCalls: EngineCall[];
}

export interface FunctionShape {
  readonly program: FunctionProgram;
  readonly blocks: readonly BasicBlock[];
  readonly regions: readonly Region[];
  /**
   * Index of the function's first region among the regions of all functions. The other regions of the function follow
   * it.
   */
  readonly firstRegion: number;
  /** The registers that are live at the start of each block. */
  readonly live: Liveness;
  /** Index of the region that begins with a block. */
  readonly regionAt: ReadonlyMap<number, number>;
  /**
   * Basic blocks at whose start a thread may pause. While the thread pauses, its registers are kept in the frame; it
   * later continues at the start of the block.
   */
  readonly landings: ReadonlySet<number>;
  /**
   * Those of the landings at which a thread lets the other threads of its warp catch up, with their places
   * (program/lockstep.ts), and those at which a long function is cut (program/seams.ts). The regions of a function are in
   * the order of their places.
   */
  readonly lockstep: ReadonlyMap<number, number>;
  /** The data for running four threads at once; null if the kernel runs one thread at a time. */
  readonly four: FourShape | null;
  /** The loops in which a thread may be waiting for another thread, each given by its first basic block. */
  readonly pauses: ReadonlyMap<number, WaitingLoop>;
  /** For each basic block that follows a stop, the index of that stop. */
  readonly stopAt: ReadonlyMap<number, number>;
  /** For each slot of a register, or of the upper half of a register, the offset of the frame array that holds it. */
  readonly slots: ReadonlyMap<number, number>;
  readonly traffic: TrafficAnalysis;
}

/** Everything that is needed to run four threads of a kernel at once. */
export interface FourShape {
  /** Slots of registers whose values may differ between threads that are in lockstep. */
  readonly varying: ReadonlySet<number>;
  readonly strides: ReadonlyMap<number, Stride>;
  /** Blocks that begin with an instruction at which threads may diverge. */
  readonly partings: ReadonlySet<number>;
}

/** Maximum number of threads in a block. */
const mostThreads = 1024;

/** Size in bytes of the header of an entry of the call stack. The header says where the call returns to. */
export const callHeader = 16;

export function kernelShapeOf(kernel: KernelProgram, layout: LaunchLayout): KernelShape {
  const frame = new FrameLayout(Math.min(kernel.entry.mostThreads ?? mostThreads, mostThreads));
  const stops: Stop[] = [];
  const builtins = builtinsOf(kernel);
  let firstRegion = 0;
  const size = new CodeSize(kernel.entry.name);
  const functions = kernel.functions.map((fn): FunctionShape | null => {
    if (fn.kind === 'builtin') return null;
    const { stackBytes } = kernel;
    const shape = functionShape(fn.program, { size, builtins, firstRegion, stops, frame, stackBytes, layout });
    firstRegion += shape.regions.length;
    return shape;
  });
  const catchesUp = functions.some((fn) => fn !== null && fn.lockstep.size > 0);
  const waitsAcrossRegions = (catchesUp || functions.length > builtins.size + 1) && kernel.functions.some(looks);
  const waits = waitsAcrossRegions || functions.some((fn) => fn !== null && fn.pauses.size > 0);
  return {
    kernel,
    layout,
    functions,
    stops,
    frame,
    helpers: new Helpers(layout.sharedMemory, layout.fuses),
    hasStates:
      catchesUp || functions.some((fn) => fn !== null && (!fn.program.entry || fn.stopAt.size + fn.pauses.size > 0)),
    inWarps: catchesUp || stops.some(({ step }) => step.kind === 'collective'),
    catchesUp,
    waitsAcrossRegions,
    spins: catchesUp || waitsAcrossRegions ? new Map() : spinsOf(functions),
    waits,
    yieldsAtStops: stops.length > 0 && waits && looksAtBlocks(kernel),
    callBytes: callStackBytes(kernel, functions),
    engineCalls: [],
  };
}

function spinsOf(functions: readonly (FunctionShape | null)[]): ReadonlyMap<number, number> {
  const spins = new Map<number, number>();
  for (const fn of functions) {
    for (const [block, { waiting }] of fn?.pauses ?? []) {
      if (fn === null || waiting !== 'spin') continue;
      const { start } = elementAt(fn.blocks, block);
      spins.set(valueAt(fn.regionAt, block), elementAt(fn.program.instructions, start).line);
    }
  }
  return spins;
}

/** Whether a function contains a step that may read data that other threads have written. */
function looks(fn: LinkedFunction): boolean {
  return fn.kind !== 'builtin' && fn.program.instructions.some(({ steps }) => steps.some(looksAtOthers));
}

interface Surroundings {
  readonly size: CodeSize;
  readonly builtins: ReadonlySet<number>;
  readonly firstRegion: number;
  readonly stops: Stop[];
  readonly frame: FrameLayout;
  readonly stackBytes: number;
  readonly layout: LaunchLayout;
}

function functionShape(program: FunctionProgram, surroundings: Surroundings): FunctionShape {
  const { size, builtins, firstRegion, stops, frame, stackBytes, layout } = surroundings;
  const { fours, look } = layout;
  look();
  const onVectors = program.entry && fours;
  const varying = onVectors ? varyingPlaces(program, stackBytes > 0) : new Set<number>();
  const apart = partingsOf(program, varying);
  const cuts = apart.size > mostPartings ? new Set<number>() : apart;
  const points = pointsOf(program, builtins, layout);
  const blocks = blocksOf(program, builtins, new Set([...cuts, ...points.keys()]));
  look();
  const pauses = waitingLoops(program, blocks);
  const blockAt = new Map(blocks.flatMap(({ start, end }, i) => (end > start ? [[start, i] as const] : [])));
  const partings = new Set([...cuts].map((at) => valueAt(blockAt, at)));
  const lockstep = new Map([...points].map(([at, place]) => [valueAt(blockAt, at), place]));
  const landings = new Set([...pauses.keys(), ...partings, ...lockstep.keys()]);
  look();
  countTargets(program, size);
  const regions: Region[] = [];
  for (const region of eachRegion(blocks, { landings, ends: lockstep })) {
    size.add('blocks', region.order.length);
    regions.push(region);
    look();
  }
  const live = withUpperHalves(program, liveness(program, blocks));
  const crossing = program.registers.filter(({ place }) => live.crosses(place)).length;
  size.add('kept', crossing * regions.reduce((sum, { loops }) => sum + loops.size, 0));
  look();
  const regionAt = new Map(regions.map(({ entry }, i) => [entry, firstRegion + i] as const));
  const stopAt = new Map<number, number>();
  const widths = new Map(program.registers.map(({ place, type }) => [place, type.width]));
  for (const { end, exit } of blocks) {
    const instruction = program.instructions[end - 1];
    if (exit.kind !== 'park' || instruction === undefined) continue;
    stopAt.set(exit.resume, stops.length);
    stops.push(describeStop(program, instruction, valueAt(regionAt, exit.resume), frame, widths));
  }
  const carried = live.atAny([...stopAt.keys(), ...landings]);
  const slots = new Map(carried.map((place) => [place, frame.array((widths.get(place) ?? 64) > 32 ? 8 : 4)]));
  const four =
    onVectors && apart.size <= mostPartings ? { varying, strides: stridesOf(program, varying), partings } : null;
  const traffic = new TrafficAnalysis(program, blocks, live, carried);
  return {
    program,
    blocks,
    regions,
    firstRegion,
    live,
    regionAt,
    landings,
    lockstep,
    four,
    pauses,
    stopAt,
    slots,
    traffic,
  };
}

/** The instructions at which regions end and threads let each other catch up, with their places (lockstep.ts). */
function pointsOf(
  program: FunctionProgram,
  builtins: ReadonlySet<number>,
  { inLockstep }: LaunchLayout,
): ReadonlyMap<number, number> {
  const seams = seamsOf(program, builtins);
  return new Map([...[...seams].map((at) => [at, at] as const), ...lockstepPoints(program, builtins, inLockstep)]);
}

function countTargets({ instructions }: FunctionProgram, size: CodeSize): void {
  for (const { targets, call } of instructions) {
    size.add('targets', targets.length);
    if (call?.callee.kind === 'indirect') size.add('callees', call.callee.candidates.length);
  }
}

/** Returns where a region must load registers from the frame, and where it must store them back. */
export function trafficOf(fn: FunctionShape, region: Region): RegisterTraffic {
  const { program, blocks, landings, live, regionAt, firstRegion } = fn;
  const { entry } = region;
  if (landings.has(entry)) return fn.traffic.of(region, []);
  // Registers do not have to be loaded from the frame at the start of a function, where they are zero, or after a call,
  // where they are restored from the call stack.
  const before = program.instructions[(blocks[entry]?.start ?? 0) - 1];
  const written = before === undefined ? [] : usesOf(before).writes;
  const isStop = fn.stopAt.has(entry) && regionAt.get(entry) !== firstRegion;
  return fn.traffic.of(region, isStop ? written : [...live.at(entry), ...written]);
}

/**
 * If running a region has only one possible outcome, returns this outcome: all threads end, or all reach the same stop.
 * In that case, the code of the region writes neither the states of the threads nor constant masks; callers that need
 * these values must write them themselves. Returns null if several outcomes are possible.
 */
export function soleOutcome(fn: FunctionShape, region: Region): number | null {
  if (goesOn(fn, region)) return null;
  const found = new Set<number | null>();
  for (const number of region.order) {
    const { exit } = elementAt(fn.blocks, number);
    if (fn.pauses.has(number)) return null;
    if (exit.kind === 'end') found.add(fn.program.entry ? outcome.allExited : null);
    if (exit.kind === 'park') found.add(outcome.allAt(fn.stopAt.get(exit.resume) ?? -1));
  }
  const [only = null] = found;
  return found.size === 1 ? only : null;
}

/** Whether a thread that leaves a block may let the other threads of its warp catch up. */
export function letsCatchUp({ blocks, lockstep }: FunctionShape, number: number): boolean {
  return lockstep.size > 0 && successorsOf(elementAt(blocks, number)).some((next) => lockstep.has(next));
}

/** Whether threads may go on from a region in another one without waiting: after a call, or when they catch up. */
export function goesOn(fn: FunctionShape, { order }: Region): boolean {
  return order.some((number) => elementAt(fn.blocks, number).exit.kind === 'call' || letsCatchUp(fn, number));
}

/** Returns the indices of the stops that a region can reach. */
export function stopsIn({ blocks, stopAt }: FunctionShape, { order }: Region): readonly number[] {
  return order.flatMap((number) => {
    const { exit } = elementAt(blocks, number);
    return exit.kind === 'park' ? [stopAt.get(exit.resume) ?? -1] : [];
  });
}

/**
 * Maximum number of instructions at which threads may diverge. Each of these instructions needs its own entry point, at
 * which single threads continue after they have diverged. If a kernel contains more of them, its threads therefore run
 * one by one.
 */
const mostPartings = 48;

/**
 * Returns the instructions at which threads in lockstep may diverge: those that depend on a predicate or an index whose
 * value may differ between the threads.
 */
function partingsOf({ instructions }: FunctionProgram, varying: ReadonlySet<number>): ReadonlySet<number> {
  const found = instructions.flatMap((instruction, i) => {
    const { guard, steps } = instruction;
    if (guard !== null && varying.has(guard.register)) return [i];
    return steps.some(({ kind }) => kind === 'switch') ? [i] : [];
  });
  return new Set(found);
}

/** The bytes that the longest chain of calls takes on the call stack. */
function callStackBytes(kernel: KernelProgram, functions: readonly (FunctionShape | null)[]): number {
  const entries = functions.map((fn) => (fn === null ? 0 : largestEntry(fn)));
  const need = longestChain((index) => {
    const fn = functions[index] ?? null;
    return { last: 0, caller: elementAt(entries, index), callees: fn === null ? [] : calleesIn(fn.program) };
  });
  // If functions are recursive, the size of local memory limits the number of activations.
  return need ?? Math.ceil(kernel.stackBytes / kernel.entry.calleeBase) * entries.reduce((a, b) => Math.max(a, b), 0);
}

/** Maximum number of bytes that a call in a function takes on the call stack. */
function largestEntry({ blocks, live }: FunctionShape): number {
  return blocks.reduce(
    (most, { exit }) => (exit.kind === 'call' ? Math.max(most, callEntry(live, exit.resume)) : most),
    0,
  );
}

/** Number of bytes that the entry of a call that returns to `resume` takes on the call stack. */
export function callEntry(live: FunctionShape['live'], resume: number): number {
  return 8 * live.at(resume).length + callHeader;
}

/** Adds to the live registers the slots for the upper halves of 128-bit registers. */
function withUpperHalves(program: FunctionProgram, live: Liveness): Liveness {
  const wide = new Set(program.registers.filter(({ type }) => type.width > 64).map(({ place }) => place));
  if (wide.size === 0) return live;
  const halves = (place: number): readonly number[] =>
    wide.has(place) ? [place, upperPlace(program, place)] : [place];
  return {
    ...live,
    at: (block) => live.at(block).flatMap(halves),
    atAny: (blocks) => live.atAny(blocks).flatMap(halves),
  };
}

function describeStop(
  program: FunctionProgram,
  instruction: ProgramInstruction,
  region: number,
  frame: FrameLayout,
  registers: ReadonlyMap<number, number>,
): Stop {
  const step = stopOf(instruction);
  if (step === null) throw new Error(`the instruction on line ${instruction.line} has no stop`);
  const { sends, receives: all } = carriersAt(frame, step);
  const receives = all.map((carrier, i) => (isUsed(instruction, step.to[i], registers) ? carrier : null));
  const mask = step.kind === 'collective' && step.mask !== null ? instruction.places.get(step.mask) : undefined;
  const constant = mask === undefined ? null : constantAt(program, mask);
  const constantMask = constant === null ? null : constant | 0;
  return {
    step,
    program,
    instruction,
    sends,
    receives,
    region,
    constantMask,
    plainBarrier: plainBarrier(program, instruction),
  };
}

/** Whether a result of the step at which threads stop is used by any instruction. */
function isUsed(
  { steps, places, writes }: ProgramInstruction,
  ref: Ref | undefined,
  registers: ReadonlyMap<number, number>,
): boolean {
  const place = ref === undefined ? undefined : places.get(ref);
  if (steps.length > 1 || writes.some(({ operand }) => operand === place)) return true;
  return place !== undefined && registers.has(place);
}

function plainBarrier(program: FunctionProgram, instruction: ProgramInstruction): number | null {
  const step = stopOf(instruction);
  if (step?.kind !== 'barrier' || step.count !== null || !step.waits || step.reduce !== null) return null;
  return constantAt(program, instruction.places.get(step.barrier) ?? -1);
}

/** Returns the value in the slot of a constant operand; null for other slots. */
export function constantAt(program: FunctionProgram, place: number): number | null {
  const value = program.constants.has(place) ? program.initialFrame[place] : undefined;
  return value === undefined ? null : Number(value);
}
