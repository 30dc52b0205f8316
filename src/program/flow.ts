/** The control-flow graph of a function: basic blocks and their successors. */
import { valueAt } from '../base/element-at.ts';
import { flowOf, isGroupStep } from '../isa/steps/effects.ts';
import type { Flow } from '../isa/steps/facts.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';

/** How a block ends. If the block's last instruction is guarded and the guard is false, control continues at `next`. */
export type BlockExit =
  /** The last instruction does not affect control flow, so control continues with the next block. */
  | { readonly kind: 'next'; readonly next: number }
  | { readonly kind: 'branch'; readonly target: number; readonly next: number | null }
  /**
   * `brx.idx`: control continues with the block that the index selects from `targets`, which may contain the same block
   * several times.
   */
  | { readonly kind: 'switch'; readonly targets: readonly number[]; readonly next: number | null }
  /** Calls a function; after it returns, the thread continues at `resume`. */
  | { readonly kind: 'call'; readonly resume: number; readonly next: number | null }
  /** Ends the thread, or returns to the function's caller. */
  | { readonly kind: 'end'; readonly next: number | null }
  /** Makes the thread wait for other threads; it continues at `resume`. */
  | { readonly kind: 'park'; readonly resume: number; readonly next: number | null };

export interface BasicBlock {
  /** Index of the block's first instruction. `end` is the index of the instruction after its last one. */
  readonly start: number;
  readonly end: number;
  readonly exit: BlockExit;
}

type ControlKind = 'branch' | 'switch' | 'call' | 'end' | 'park';

const controls: Readonly<Record<Flow, ControlKind | null>> = {
  next: null,
  branch: 'branch',
  switch: 'switch',
  call: 'call',
  return: 'end',
  exit: 'end',
  fault: null,
};

/**
 * Returns the effect of an instruction on control flow. The result is null if control simply continues with the next
 * instruction. Calls to built-in functions are treated this way, too.
 */
function controlOf(instruction: ProgramInstruction, builtins: ReadonlySet<number>): ControlKind | null {
  for (const step of instruction.steps) {
    const control = isGroupStep(step) ? 'park' : controls[flowOf(step)];
    if (control === null) continue;
    return control === 'call' && callsBuiltin(instruction, builtins) ? null : control;
  }
  return null;
}

/** Whether an instruction calls a built-in function; `builtins` contains the indices of these functions. */
export function callsBuiltin({ call }: ProgramInstruction, builtins: ReadonlySet<number>): boolean {
  return call?.callee.kind === 'direct' && builtins.has(call.callee.function);
}

/**
 * Splits a function into blocks, in the order of the text. The last block is empty and represents the end of the text.
 * If threads begin or resume at an instruction that is also a branch target, an additional empty block is placed before
 * it. `builtins` contains the indices of built-in functions in the kernel's list of functions; `cuts` contains the
 * indices of instructions that must begin a block.
 */
export function blocksOf(
  { instructions }: FunctionProgram,
  builtins: ReadonlySet<number> = new Set(),
  cuts: ReadonlySet<number> = new Set(),
): readonly BasicBlock[] {
  const leaders = new Set([0, instructions.length]);
  const targets = new Set<number>();
  /**
   * Instructions at which threads begin or resume. Extra work has to be done when a thread begins or resumes at such an
   * instruction, but not when it reaches the instruction by a branch.
   */
  const entries = new Set([0]);
  instructions.forEach((instruction, i) => {
    const control = controlOf(instruction, builtins);
    if (control !== null) leaders.add(i + 1);
    if (control === 'park' || control === 'call') entries.add(i + 1);
    for (const target of control === 'branch' ? [instruction.target] : instruction.targets) targets.add(target);
  });
  for (const cut of cuts) targets.add(cut);
  for (const target of targets) leaders.add(target);
  const starts = [...leaders]
    .sort((a, b) => a - b)
    .flatMap((start) => (entries.has(start) && targets.has(start) ? [start, start] : [start]));
  const blockAt = new Map(starts.map((start, block) => [start, block] as const));
  return starts.map((start, block): BasicBlock => {
    const end = starts[block + 1];
    if (end === undefined) return { start, end: start, exit: { kind: 'end', next: null } };
    const last = end > start ? instructions[end - 1] : undefined;
    const exit: BlockExit =
      last === undefined ? { kind: 'next', next: block + 1 } : exitOf(last, block, blockAt, builtins);
    return { start, end, exit };
  });
}

function exitOf(
  last: ProgramInstruction,
  block: number,
  blockAt: ReadonlyMap<number, number>,
  builtins: ReadonlySet<number>,
): BlockExit {
  const next = last.guard === null ? null : block + 1;
  const control = controlOf(last, builtins);
  switch (control) {
    case null:
      return { kind: 'next', next: block + 1 };
    case 'branch':
      return { kind: 'branch', target: valueAt(blockAt, last.target), next };
    case 'switch':
      return { kind: 'switch', targets: last.targets.map((target) => valueAt(blockAt, target)), next };
    case 'end':
      return { kind: 'end', next };
    case 'park':
    case 'call':
      return { kind: control, resume: block + 1, next };
  }
}

/** Returns the blocks that a thread may run next, whether or not it has to wait first. */
export function followersOf(block: BasicBlock): readonly number[] {
  const { exit } = block;
  return exit.kind === 'park' || exit.kind === 'call' ? [exit.resume, ...successorsOf(block)] : successorsOf(block);
}

/** Returns the blocks that a thread may run next without waiting. */
export function successorsOf({ exit }: BasicBlock): readonly number[] {
  const next = exit.next === null ? [] : [exit.next];
  if (exit.kind === 'switch') return [...exit.targets, ...next];
  return exit.kind === 'branch' ? [exit.target, ...next] : next;
}

/** Returns, for each block, the blocks that it may follow, whether or not a thread has to wait in between. */
export function predecessorsOf(blocks: readonly BasicBlock[]): readonly (readonly number[])[] {
  const before: number[][] = blocks.map(() => []);
  blocks.forEach((block, source) => {
    for (const target of followersOf(block)) before[target]?.push(source);
  });
  return before;
}
