/** A function, split into regions, with the data that the regions share. */
import { valueAt } from '../../base/element-at.ts';
import type { BasicBlock } from '../../program/flow.ts';
import type { DirectFunctions } from '../../program/direct-functions.ts';
import type { FunctionProgram } from '../../program/function-program.ts';
import type { Liveness } from '../../program/liveness.ts';
import { eachRegion, type Region } from '../../program/regions.ts';
import { TrafficAnalysis } from '../../program/register-traffic.ts';
import { type Stride, stridesOf } from '../../program/strides.ts';
import type { WaitingLoop } from '../../program/waiting-loops.ts';
import type { CodeSize } from '../code-limits.ts';
import { describeStop } from '../groups/described-stop.ts';
import type { Stop } from '../groups/stop.ts';
import type { LaunchLayout } from '../layout.ts';
import { divideFunction } from './divided-function.ts';
import type { FrameLayout } from './frame.ts';
import { upperPlace } from './values.ts';

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
  /** For each basic block at which a region begins, the index of that region. */
  readonly regionAt: ReadonlyMap<number, number>;
  /**
   * Basic blocks at whose start a thread may pause. While the thread pauses, its registers are kept in the frame; it
   * later continues at the start of the block.
   */
  readonly landings: ReadonlySet<number>;
  /**
   * Every region ends at these landings, and the threads of a warp reconverge there. Each landing is mapped to its
   * place; the places determine the order of the regions. See program/lockstep.ts, program/seams.ts and
   * program/shared-code.ts.
   */
  readonly lockstep: ReadonlyMap<number, number>;
  /** The empty block that leads to each block where threads can begin (common-region.ts); null if there is none. */
  readonly commonEntry: number | null;
  /** The data for running four threads at once; null if the kernel runs one thread at a time. */
  readonly four: FourShape | null;
  /** The loops in which a thread may be waiting for another thread. Each key is the first basic block of a loop. */
  readonly pauses: ReadonlyMap<number, WaitingLoop>;
  /** For each basic block that follows a stop, the index of that stop. */
  readonly stopAt: ReadonlyMap<number, number>;
  /** For each slot of a register, or of the upper half of a register, the offset of the frame array that holds it. */
  readonly slots: ReadonlyMap<number, number>;
  readonly traffic: TrafficAnalysis;
}

/** The data that is needed to run four threads of a kernel at once. */
export interface FourShape {
  /** Slots of registers whose values may differ between threads that are in lockstep. */
  readonly varying: ReadonlySet<number>;
  readonly strides: ReadonlyMap<number, Stride>;
  /** Blocks that begin with an instruction at which threads may diverge. */
  readonly partings: ReadonlySet<number>;
  /** Maps some of the blocks in `partings` to the places where the threads continue together after diverging. */
  readonly rejoins: ReadonlyMap<number, Rejoin>;
}

export interface Rejoin {
  /** The block at which the threads continue together. */
  readonly at: number;
  /** The index of the region that runs each thread up to this block. */
  readonly region: number;
}

interface Surroundings {
  readonly size: CodeSize;
  /** The functions that can be called without ending a region: built-in functions and direct functions. */
  readonly atOnce: ReadonlySet<number>;
  readonly direct: DirectFunctions;
  readonly firstRegion: number;
  readonly stops: Stop[];
  readonly frame: FrameLayout;
  readonly stackBytes: number;
  readonly layout: LaunchLayout;
}

export function functionShape(original: FunctionProgram, surroundings: Surroundings): FunctionShape {
  const { size, atOnce, direct, firstRegion, stops, frame, stackBytes, layout } = surroundings;
  const { look } = layout;
  look();
  const onVectors = original.entry && layout.fours;
  const divided = divideFunction(original, { atOnce, direct, layout, onVectors, hasLocal: stackBytes > 0 });
  const { program, blocks, pauses, lockstep, varying, partings } = divided;
  const until = new Map([...divided.rejoins].map(([block, { at }]) => [block, at] as const));
  const landings = new Set([...pauses.keys(), ...partings, ...lockstep.keys()]);
  countTargets(program, size);
  const regions: Region[] = [];
  for (const region of eachRegion(blocks, { landings, ends: lockstep, until })) {
    size.add('blocks', region.order.length);
    regions.push(region);
    look();
  }
  const live = withUpperHalves(program, divided.live);
  const crossing = program.registers.filter(({ place }) => live.crosses(place)).length;
  size.add('kept', crossing * regions.reduce((sum, { loops }) => sum + loops.size, 0));
  look();
  const { regionAt, rejoins } = indicesOf(regions, firstRegion);
  const stopAt = new Map<number, number>();
  const widths = new Map(program.registers.map(({ place, type }) => [place, type.width]));
  for (const { end, exit } of blocks) {
    const instruction = program.instructions[end - 1];
    if (exit.kind !== 'park' || instruction === undefined) continue;
    stopAt.set(exit.resume, stops.length);
    stops.push(describeStop(program, instruction, valueAt(regionAt, exit.resume), frame, widths));
  }
  const carried = live.atAny([...stopAt.keys(), ...landings, ...until.values()]);
  const slots = new Map(carried.map((place) => [place, frame.array((widths.get(place) ?? 64) > 32 ? 8 : 4)]));
  const isTogether = onVectors && !divided.partsOften;
  const four = isTogether ? { varying, strides: stridesOf(program, varying), partings, rejoins } : null;
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
    commonEntry: null,
    four,
    pauses,
    stopAt,
    slots,
    traffic,
  };
}

/**
 * Maps the first block of each region to the index of the region. Regions that end where threads continue together are
 * in `rejoins`; all others are in `regionAt`.
 */
function indicesOf(
  regions: readonly Region[],
  first: number,
): { readonly regionAt: ReadonlyMap<number, number>; readonly rejoins: ReadonlyMap<number, Rejoin> } {
  const regionAt = new Map<number, number>();
  const rejoins = new Map<number, Rejoin>();
  regions.forEach(({ entry, until }, i) => {
    if (until === null) regionAt.set(entry, first + i);
    else rejoins.set(entry, { at: until, region: first + i });
  });
  return { regionAt, rejoins };
}

function countTargets({ instructions }: FunctionProgram, size: CodeSize): void {
  for (const { targets, call } of instructions) {
    size.add('targets', targets.length);
    if (call?.callee.kind === 'indirect') size.add('callees', call.callee.candidates.length);
  }
}

/** Adds the slots for the upper halves of 128-bit registers to the live registers. */
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
