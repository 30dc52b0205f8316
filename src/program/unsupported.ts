/** Instructions that engines cannot execute, and that a launch of a kernel may reach. */
import { elementAt } from '../base/element-at.ts';
import { blocksOf, followersOf } from './flow.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import type { KernelProgram } from './link.ts';

/** One mnemonic that no engine executes. */
export interface UnsupportedInstruction {
  /** As in the text: `mbarrier.init.shared.b64`. */
  readonly mnemonic: string;
  /** 1-based line of the first one in the PTX text. */
  readonly line: number;
  /** How many there are. */
  readonly count: number;
}

/** By mnemonic, in the order in which functions and lines are reached from the kernel's entry. */
export function unsupportedIn({ functions }: KernelProgram): readonly UnsupportedInstruction[] {
  const builtins = new Set(functions.flatMap(({ kind }, i) => (kind === 'builtin' ? [i] : [])));
  const found = new Map<string, UnsupportedInstruction>();
  const reached = new Set([0]);
  // A set also visits what is added while it is iterated.
  for (const index of reached) {
    const fn = elementAt(functions, index);
    if (fn.kind === 'builtin') continue;
    for (const instruction of reachableIn(fn.program, builtins)) {
      note(instruction, found);
      for (const callee of calleesOf(instruction)) reached.add(callee);
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

function note({ steps, line }: ProgramInstruction, found: Map<string, UnsupportedInstruction>): void {
  for (const step of steps) {
    if (step.kind !== 'unsupported') continue;
    const known = found.get(step.what) ?? { mnemonic: step.what, line, count: 0 };
    found.set(step.what, { ...known, count: known.count + 1 });
  }
}

function calleesOf({ call }: ProgramInstruction): readonly number[] {
  if (call === null) return [];
  return call.callee.kind === 'direct' ? [call.callee.function] : call.callee.candidates;
}
