/**
 * Splits a function into basic blocks, and finds where four threads that run together may diverge and where they
 * continue together afterward.
 */
import { elementAt, valueAt } from '../../base/element-at.ts';
import type { DirectFunctions } from '../../program/direct-functions.ts';
import { type BasicBlock, blocksOf } from '../../program/flow.ts';
import type { FunctionProgram } from '../../program/function-program.ts';
import { type Liveness, liveness } from '../../program/liveness.ts';
import { lockstepPoints } from '../../program/lockstep.ts';
import { type Reconvergence, reconvergences } from '../../program/reconvergence.ts';
import { seamsOf } from '../../program/seams.ts';
import { sharedCode } from '../../program/shared-code.ts';
import { usesOf } from '../../program/uses.ts';
import { type WaitingLoop, waitingLoops } from '../../program/waiting-loops.ts';
import type { LaunchLayout } from '../layout.ts';
import { forFours, jumps, mostPartings, partingsOf } from './partings.ts';

export interface DividedFunction {
  readonly program: FunctionProgram;
  readonly blocks: readonly BasicBlock[];
  readonly live: Liveness;
  /** See FunctionShape. */
  readonly pauses: ReadonlyMap<number, WaitingLoop>;
  readonly lockstep: ReadonlyMap<number, number>;
  /** Slots of registers whose values may differ between threads that are in lockstep. */
  readonly varying: ReadonlySet<number>;
  /** Whether four threads cannot run together because there are too many places where they may diverge. */
  readonly partsOften: boolean;
  /** Blocks that begin with an instruction at which threads may diverge. */
  readonly partings: ReadonlySet<number>;
  /** Maps some of the blocks in `partings` to the places where the threads continue together after diverging. */
  readonly rejoins: ReadonlyMap<number, Reconvergence>;
}

interface Surroundings {
  /** The functions that can be called without ending a region. */
  readonly atOnce: ReadonlySet<number>;
  readonly direct: DirectFunctions;
  readonly layout: LaunchLayout;
  /** Whether four threads run together, and whether threads have local memory. */
  readonly onVectors: boolean;
  readonly hasLocal: boolean;
}

const none: ReadonlySet<number> = new Set();

/** Maximum number of attempts to divide a function. Another attempt is needed if more registers turn out to vary. */
const mostRounds = 8;

export function divideFunction(original: FunctionProgram, surroundings: Surroundings): DividedFunction {
  let mixed = none;
  for (let round = 0; round < mostRounds; round++) {
    const divided = divide(original, mixed, surroundings);
    if (divided.partsOften && mixed.size > 0) break;
    const more = mixedPlaces(divided);
    if (more.length === 0) return divided;
    mixed = new Set([...mixed, ...more]);
  }
  return { ...divide(original, none, surroundings), rejoins: new Map() };
}

/**
 * The registers that are the same for all threads on one path, but may differ between threads that took different paths
 * and then continue together.
 */
function mixedPlaces({ program, blocks, live, varying, rejoins }: DividedFunction): readonly number[] {
  const mixed = new Set<number>();
  for (const { at, before } of rejoins.values()) {
    const needed = new Set(live.at(at));
    for (const place of before.flatMap((block) => writtenIn(program, elementAt(blocks, block)))) {
      if (needed.has(place) && !varying.has(place)) mixed.add(place);
    }
  }
  return [...mixed];
}

function writtenIn({ instructions }: FunctionProgram, { start, end }: BasicBlock): readonly number[] {
  return instructions.slice(start, end).flatMap((instruction) => usesOf(instruction).writes);
}

/** @param mixed registers that are already known to vary */
function divide(original: FunctionProgram, mixed: ReadonlySet<number>, surroundings: Surroundings): DividedFunction {
  const { atOnce, direct, layout, onVectors, hasLocal } = surroundings;
  const { look } = layout;
  const { program, varying } = onVectors ? forFours(original, hasLocal, mixed) : { program: original, varying: none };
  const apart = onVectors ? partingsOf(program.instructions, varying, direct) : none;
  const partsOften = apart.size > mostPartings;
  const cuts = partsOften ? [] : [...apart];
  const after = cuts.flatMap((at) => (jumps(program.instructions[at]) ? [] : [at + 1]));
  const points = pointsOf(program, atOnce, layout);
  const blocks = blocksOf(program, atOnce, new Set([...cuts, ...after, ...points.keys()]));
  look();
  const pauses = waitingLoops(program, blocks);
  const blockAt = new Map(blocks.flatMap(({ start, end }, i) => (end > start ? [[start, i] as const] : [])));
  const partings = new Set(cuts.map((at) => valueAt(blockAt, at)));
  const lockstep = new Map([...points].map(([at, place]) => [valueAt(blockAt, at), place]));
  look();
  const mayRejoin = points.size === 0 ? [...partings].filter((block) => block > 0) : [];
  const found = reconvergences(blocks, mayRejoin);
  const rejoins = new Map([...found].filter(([, { before }]) => !before.some((block) => pauses.has(block))));
  const live = liveness(program, blocks);
  return { program, blocks, live, pauses, lockstep, varying, partsOften, partings, rejoins };
}

/**
 * The instructions at which regions end, for example so that the threads of a warp can reconverge. Each instruction is
 * mapped to its place (lockstep.ts).
 */
function pointsOf(
  program: FunctionProgram,
  atOnce: ReadonlySet<number>,
  { inLockstep }: LaunchLayout,
): ReadonlyMap<number, number> {
  const lockstep = lockstepPoints(program, atOnce, inLockstep);
  const seams = seamsOf(program, atOnce);
  const shared = sharedCode(program, atOnce, new Set([...seams, ...lockstep.keys()]));
  return new Map([...[...seams, ...shared].map((at) => [at, at] as const), ...lockstep]);
}
