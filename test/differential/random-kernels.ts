/**
 * Generates kernels that nobody would write, with random instructions, overlapping branches and loops, calls, accesses
 * to memory in every state space, and barriers. The kernels terminate and access only their own memory. Threads may
 * interact, but the order in which they run never affects the result. At the end, each thread stores all of its
 * registers. After a kernel has ended, all bits in memory must be the same on both engines.
 */
import { constants, functionFrame, kernelFrame, sharedMemory } from './random-frames.ts';
import { poolsFor, randomInstruction, version } from './random-instructions.ts';
import { RandomSource } from './random-source.ts';
import { type Callee, type Statement, StatementMaker } from './random-statements.ts';

export interface RandomKernel {
  readonly seed: number;
  readonly target: string;
  readonly grid: number;
  readonly block: number;
  /** Functions, then the kernel that calls them. */
  readonly module: readonly Statement[];
}

const targets = ['sm_100a', 'sm_90', 'sm_80', 'sm_120a', 'sm_75'];

export function randomKernel(seed: number): RandomKernel {
  const random = new RandomSource(seed);
  const target = random.pick(targets);
  const pools = poolsFor(target);
  const meets = random.percent(60);
  const sources = {
    instruction: () => randomInstruction(random, pools.values),
    collective: (members: string) => randomInstruction(random, pools.collectives, members),
  };
  const exits = !meets;
  const usesTensorMemory = meets && target === 'sm_100a';
  const callees: Callee[] = [];
  const functions = Array.from({ length: random.pick([0, 0, 1, 2, 3]) }, (_, i): Statement => {
    const callee = { name: `f${i}`, inMemory: random.percent(50), meets: meets && random.percent(30) };
    const body = new StatementMaker(random, {
      ...sources,
      exits,
      usesTensorMemory,
      callees: [...callees],
      meets: callee.meets,
    }).body(3);
    callees.push(callee);
    return functionFrame(callee, body);
  });
  const body = new StatementMaker(random, { ...sources, exits, usesTensorMemory, callees, meets }).body(
    6 + random.below(10),
  );
  return {
    seed,
    target,
    grid: 1 + random.below(2),
    block: meets ? random.pick([32, 64, 96]) : 1 + random.below(70),
    module: [...functions, kernelFrame(body, usesTensorMemory)],
  };
}

export function textOf({ target, module, block }: RandomKernel): string {
  const header = [`.version ${version}`, `.target ${target}`, '.address_size 64', sharedMemory(block), constants];
  return `${[...header, ...module.flatMap(linesOf)].join('\n')}\n`;
}

function linesOf(statement: Statement): readonly string[] {
  return [...statement.before, ...statement.body.flatMap(linesOf), ...statement.after];
}
