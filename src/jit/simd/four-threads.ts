/**
 * Which launches get code for four threads at a time. It takes several times as long to make as the code for one thread,
 * and runs up to four times as fast.
 */
import type { LaunchShape } from '../../machine/launch.ts';
import { blocksOf, threadsOf } from '../../machine/launch.ts';
import type { FunctionProgram } from '../../program/function-program.ts';
import { laneCount } from './vectors.ts';

/** Instructions that a kernel may have: each of them may be written five times. */
const mostInstructions = 2000;

export function runsInFours({ entry, instructions, registers }: FunctionProgram): boolean {
  if (!entry || instructions.length > mostInstructions || registers.some(({ type }) => type.width > 64)) return false;
  return !instructions.some(({ steps }) => steps.some(({ kind }) => kind === 'call'));
}

/** Threads of four lie side by side where rows are whole fours. */
export function hasFours({ block }: LaunchShape): boolean {
  return block[0] % laneCount === 0;
}

/** Thread-instructions in whose time the code is made. */
const worth = 2 ** 24;

/**
 * Rounds that a loop is taken to run: few where the threads of a block meet at barriers, as they divide the work among them;
 * else a thread may be at it for long, and nothing can be changed before its block ends.
 */
const rounds = { meeting: 64, alone: 2 ** 16 };

/** Loops inside each other that are counted. */
const deepest = 3;

/** `executed`: thread-instructions that code for one thread ran for this kernel before. */
export function earnsFours(program: FunctionProgram, shape: LaunchShape, executed: number): boolean {
  return executed + expectedOf(program) * threadsOf(shape) * blocksOf(shape) >= worth;
}

/** Instructions that a thread is taken to run: each as often as the branches back over it say. */
function expectedOf({ instructions }: FunctionProgram): number {
  const depth = new Uint16Array(instructions.length);
  instructions.forEach(({ target, targets }, i) => {
    for (const to of [target, ...targets].filter((one) => one >= 0)) {
      for (let at = to; at <= i; at++) depth[at] = (depth[at] as number) + 1;
    }
  });
  const meets = instructions.some(({ steps }) => steps.some(({ kind }) => kind === 'barrier'));
  const each = meets ? rounds.meeting : rounds.alone;
  return depth.reduce((sum, loops) => sum + each ** Math.min(loops, deepest), 0);
}

/** Whether thread-instructions that were run in code for one thread say that it pays. */
export function paysOff(executed: number): boolean {
  return executed >= worth;
}
