/**
 * Decides which launches get four-thread code. Such code takes several times as long to compile as single-thread code,
 * and runs up to four times as fast.
 */
import { elementAt } from '../../base/element-at.ts';
import type { LaunchShape } from '../../machine/launch.ts';
import { blocksOf, threadsOf } from '../../machine/extents.ts';
import type { FunctionProgram } from '../../program/function-program.ts';
import type { KernelProgram } from '../../program/link.ts';
import { alwaysParts, forFours, mostPartings, partingsOf } from '../regions/partings.ts';
import { laneCount } from './vectors.ts';

/**
 * Maximum number of instructions in a kernel. The number is limited because the code for an instruction may have to be
 * written up to five times.
 */
const mostInstructions = 2000;

export function runsInFours({ entry, direct }: Pick<KernelProgram, 'entry' | 'direct'>): boolean {
  const { instructions, registers } = entry;
  if (instructions.length > mostInstructions || registers.some(({ type }) => type.width > 64)) return false;
  return instructions.filter((one) => alwaysParts(one, direct)).length <= mostPartings;
}

/**
 * Whether the threads of a block can be divided into groups of four neighbors in x. This is the case if the length of a
 * row of threads is a multiple of four.
 */
export function hasFours({ block }: LaunchShape): boolean {
  return block[0] % laneCount === 0;
}

/**
 * Cost of compiling code for four threads: the number of instructions, summed over all threads, that could be executed
 * in the same time. `worth` applies to small kernels. For each place at which threads may diverge, about half of the
 * kernel has to be compiled a second time if they do diverge there; `worthOfCopy` applies to each instruction of such a
 * copy.
 */
const worth = 2 ** 24;
const worthOfCopy = 15_000;

type CostlyKernel = Pick<KernelProgram, 'entry' | 'stackBytes' | 'direct'>;

function costOf({ entry, stackBytes, direct }: CostlyKernel): number {
  const { program, varying } = forFours(entry, stackBytes > 0);
  const copies = (program.instructions.length * partingsOf(program.instructions, varying, direct).size) / 2;
  return worth + worthOfCopy * copies;
}

/**
 * If the cost of compiling four-thread code exceeds this limit, a launch with enough blocks starts without four-thread
 * code, because it is better to find out first how long the launch takes.
 */
const costly = 4 * worth;

/** Minimum number of blocks for a launch to start without costly four-thread code. */
const fewBlocks = 8;

/**
 * Estimated number of iterations of a loop. If the threads of a block meet at barriers, they usually share the work, so
 * the number is small. Otherwise, a large number is assumed, because a thread may run for a long time, and its code
 * cannot be replaced before its block ends.
 */
const rounds = { meeting: 64, alone: 2 ** 16 };

/** Maximum nesting depth of loops in the estimate; loops that are nested more deeply are not taken into account. */
const deepest = 3;

/**
 * Whether a launch gets code for four threads from the start. `executed` is the number of this kernel's instructions
 * that the single-thread code has already run. `isMade` tells whether the code has been compiled before.
 */
export function earnsFours(
  kernel: CostlyKernel,
  shape: LaunchShape,
  executed: number,
  isMade: () => boolean = () => false,
): boolean {
  const expected = expectedOf(kernel.entry) * threadsOf(shape) * blocksOf(shape);
  // For small launches, the cost of the code does not have to be computed.
  if (executed + expected < worth) return false;
  if (isMade()) return true;
  const cost = costOf(kernel);
  const findsOut = cost > costly && blocksOf(shape) >= fewBlocks;
  return executed + (findsOut ? 0 : expected) >= cost;
}

/** Estimates the number of instructions that a thread runs, with each instruction weighted by the loops around it. */
function expectedOf({ instructions }: FunctionProgram): number {
  const depth = new Uint16Array(instructions.length);
  instructions.forEach(({ target, targets }, i) => {
    for (const to of [target, ...targets].filter((one) => one >= 0)) {
      for (let at = to; at <= i; at++) depth[at] = elementAt(depth, at) + 1;
    }
  });
  const meets = instructions.some(({ steps }) => steps.some(({ kind }) => kind === 'barrier'));
  const each = meets ? rounds.meeting : rounds.alone;
  return depth.reduce((sum, loops) => sum + each ** Math.min(loops, deepest), 0);
}

/**
 * Whether code for four threads pays off, given the number of instructions that the single-thread code has run, and the
 * number that the rest of the launch will probably run.
 */
export function paysOff(kernel: CostlyKernel, executed: number, remaining: number): boolean {
  const count = Math.max(executed, remaining);
  return count >= worth && count >= costOf(kernel);
}
