/** Finds instructions that a launch of a kernel may reach but that no engine can execute. */
import { elementAt } from '../base/element-at.ts';
import { calleesOf } from './call-site.ts';
import { blocksOf, followersOf } from './flow.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import { builtinsOf, type KernelProgram } from './link.ts';

/** A mnemonic that no engine can execute. */
export interface UnsupportedInstruction {
  /** For example `wgmma.fence.sync.aligned`. */
  readonly mnemonic: string;
  /** The PTX line on which the mnemonic is first used, counted from 1. */
  readonly line: number;
  /** Number of instructions with this mnemonic. */
  readonly count: number;
}

/**
 * Returns the unsupported instructions grouped by mnemonic, in the order in which functions and lines are reached from
 * the kernel's entry.
 */
export function unsupportedIn(kernel: KernelProgram): readonly UnsupportedInstruction[] {
  const { functions } = kernel;
  const builtins = builtinsOf(kernel);
  const found = new Map<string, UnsupportedInstruction>();
  const reached = new Set([0]);
  // The loop also visits functions that are added to the set during the iteration.
  for (const index of reached) {
    const fn = elementAt(functions, index);
    if (fn.kind === 'builtin') continue;
    for (const instruction of reachableIn(fn.program, builtins)) {
      note(instruction, found);
      for (const callee of calleesOf(instruction.call)) reached.add(callee);
    }
  }
  return [...found.values()];
}

function* reachableIn(program: FunctionProgram, builtins: ReadonlySet<number>): Generator<ProgramInstruction> {
  const blocks = blocksOf(program, builtins);
  const reached = new Set([0]);
  for (const index of reached) for (const next of followersOf(elementAt(blocks, index))) reached.add(next);
  for (const [index, { start, end }] of blocks.entries()) {
    if (reached.has(index)) yield* program.instructions.slice(start, end);
  }
}

function note({ line, steps }: ProgramInstruction, found: Map<string, UnsupportedInstruction>): void {
  for (const step of steps) {
    if (step.kind !== 'unsupported') continue;
    const mnemonic = step.what;
    const known = found.get(mnemonic) ?? { mnemonic, line, count: 0 };
    found.set(mnemonic, { ...known, count: known.count + 1 });
  }
}
