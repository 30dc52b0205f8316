/**
 * Finds the instructions before which a thread waits for the other threads of its warp, so that all of them perform
 * their volatile accesses to shared memory in lockstep. The ISA does not promise such an order. But GPUs run the
 * threads of a warp together unless they diverge, and many older kernels rely on it: in a reduction or a scan, the
 * threads of a warp exchange values through volatile variables without synchronizing.
 */
import { elementAt } from '../base/element-at.ts';
import type { AccessSpace } from '../isa/spaces.ts';
import { memoryUses } from '../isa/steps/effects.ts';
import type { Step } from '../isa/steps/step.ts';
import { convergences } from './convergence.ts';
import { type BasicBlock, blocksOf, callsBuiltin, successorsOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';
import { idleBlocks } from './waiting-loops.ts';

/**
 * Which accesses threads perform in lockstep: volatile accesses to shared memory, or all accesses to shared and global
 * memory.
 */
export type InLockstep = 'volatile' | 'all';

const spacesIn: Readonly<Record<InLockstep, ReadonlySet<AccessSpace>>> = {
  volatile: new Set(['shared', 'generic']),
  all: new Set(['shared', 'generic', 'global']),
};

/** Whether threads perform a step in lockstep, provided that it accesses one of these spaces. */
const stepsIn: Readonly<Record<InLockstep, (step: Step) => boolean>> = {
  // Volatile accesses are relaxed accesses with system scope.
  volatile: (step) =>
    (step.kind === 'load' || step.kind === 'store') &&
    step.order?.semantics === 'relaxed' &&
    step.order.scope === 'sys',
  all: (step) => memoryUses(step).length > 0,
};

/** Ways in which a thread may have accessed memory since it last waited for the other threads, as bits of a set. */
const past = { hasRead: 1, hasWritten: 2, wasInLockstep: 4 } as const;

/** The accesses that a built-in function such as `free` may perform. */
const anything = past.hasRead | past.hasWritten | past.wasInLockstep;

/**
 * Returns the points: the instructions before which the threads of a warp wait for each other. The result maps the
 * index of each point to its place. Among the threads of a warp, the thread with the lowest place runs first, so that
 * it can catch up with the others. The place of a thread at any other instruction is the index of this instruction.
 *
 * An access is a point if it may conflict with an earlier access by another thread and at least one of the two accesses
 * is performed in lockstep, unless the threads have waited for each other in between. Loops that only wait for other
 * threads contain no points, because a thread in such a loop lets the others run anyway. Threads also wait for each
 * other where they converge after they have taken different branches, if there are points on these branches.
 */
export function lockstepPoints(
  program: FunctionProgram,
  builtins: ReadonlySet<number>,
  inLockstep: InLockstep,
): ReadonlyMap<number, number> {
  const { instructions } = program;
  if (!accessesInLockstep(program, inLockstep)) return new Map();
  const blocks = blocksOf(program, builtins);
  const idle = idleBlocks(program, blocks);
  const accesses = instructions.map((instruction) =>
    inLockstep === 'all' && callsBuiltin(instruction, builtins) ? anything : accessIn(instruction.steps, inLockstep),
  );
  const conflicting = conflictsIn(accesses, blocks, idle);
  const places = new Map([...conflicting].map((at) => [at, at]));
  for (const [block, place] of convergences(blocks, conflicting)) {
    const { start } = elementAt(blocks, block);
    if (!idle.has(block) && start < instructions.length) places.set(start, place);
  }
  return places;
}

/** Whether a function contains accesses that threads perform in lockstep. */
export function accessesInLockstep({ instructions }: FunctionProgram, inLockstep: InLockstep): boolean {
  return instructions.some(({ steps }) => steps.some(stepsIn[inLockstep]));
}

/**
 * Returns the accesses before which threads wait for each other. `accesses` contains a set of bits for each
 * instruction.
 */
function conflictsIn(
  accesses: readonly number[],
  blocks: readonly BasicBlock[],
  idle: ReadonlySet<number>,
): ReadonlySet<number> {
  const points = new Set<number>();
  const before = new Uint8Array(blocks.length);
  const open = [...blocks.keys()];
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    const block = elementAt(blocks, number);
    const after = pastAfter(accesses, block, elementAt(before, number), idle.has(number) ? null : points);
    for (const next of successorsOf(block)) {
      const joined = elementAt(before, next) | after;
      if (joined === before[next]) continue;
      before[next] = joined;
      open.push(next);
    }
  }
  return points;
}

/**
 * Returns the accesses that a thread may have performed by the end of a block, and adds the block's points to `points`.
 */
function pastAfter(
  accesses: readonly number[],
  { start, end }: BasicBlock,
  before: number,
  points: Set<number> | null,
): number {
  let done = before;
  for (let at = start; at < end; at++) {
    const access = elementAt(accesses, at);
    if (access === 0) continue;
    if (points !== null && (points.has(at) || conflicts(done, access))) {
      points.add(at);
      done = 0;
    }
    done |= access;
  }
  return done;
}

/** The accesses in the steps of one instruction, as a set of bits. */
function accessIn(steps: readonly Step[], inLockstep: InLockstep): number {
  let found = 0;
  for (const step of steps) {
    for (const { access, space } of memoryUses(step)) {
      if (!spacesIn[inLockstep].has(space)) continue;
      if (access !== 'write') found |= past.hasRead;
      if (access !== 'read') found |= past.hasWritten;
      if (stepsIn[inLockstep](step)) found |= past.wasInLockstep;
    }
  }
  return found;
}

/** Whether an access may conflict with earlier accesses, and at least one of them is performed in lockstep. */
function conflicts(done: number, access: number): boolean {
  const all = done | access;
  return done !== 0 && (all & past.wasInLockstep) !== 0 && (all & past.hasWritten) !== 0;
}
