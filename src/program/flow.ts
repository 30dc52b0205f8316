/** The control-flow graph of a function: basic blocks, and what follows each. */
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';

/** How a block ends. Where its last instruction is guarded, `next` follows if the guard does not hold. */
export type BlockExit =
  /** No control instruction: on to the next block. */
  | { readonly kind: 'next'; readonly next: number }
  | { readonly kind: 'branch'; readonly target: number; readonly next: number | null }
  /** `brx.idx`: on to one of `targets`, by its number; the same may occur several times. */
  | { readonly kind: 'switch'; readonly targets: readonly number[]; readonly next: number | null }
  /** The thread ends, or in a function returns to its caller. */
  | { readonly kind: 'end'; readonly next: number | null }
  /** The thread waits for others, and goes on at `resume` in its own time. */
  | { readonly kind: 'park'; readonly resume: number; readonly next: number | null };

export interface BasicBlock {
  /** Index of its first instruction, and of the one behind its last. */
  readonly start: number;
  readonly end: number;
  readonly exit: BlockExit;
}

type ControlKind = 'branch' | 'switch' | 'end' | 'park';

/** What an instruction does to the flow; null for one that goes on to the next. */
export function controlOf({ steps }: ProgramInstruction): ControlKind | null {
  for (const { kind } of steps) {
    if (kind === 'branch' || kind === 'switch') return kind;
    if (kind === 'return' || kind === 'exit') return 'end';
    if (kind === 'barrier' || kind === 'collective') return 'park';
  }
  return null;
}

/** Cuts a function into blocks, in the order of its text. The last one is empty: the end of the text. */
export function blocksOf({ instructions }: FunctionProgram): readonly BasicBlock[] {
  const leaders = new Set([0, instructions.length]);
  instructions.forEach((instruction, i) => {
    const control = controlOf(instruction);
    if (control !== null) leaders.add(i + 1);
    if (control === 'branch') leaders.add(instruction.target);
    for (const target of instruction.targets) leaders.add(target);
  });
  const starts = [...leaders].sort((a, b) => a - b);
  const blockAt = new Map(starts.map((start, block) => [start, block] as const));
  return starts.map((start, block): BasicBlock => {
    const end = starts[block + 1] ?? start;
    return { start, end, exit: exitOf(instructions[end - 1], block, end > start, blockAt) };
  });
}

function exitOf(
  last: ProgramInstruction | undefined,
  block: number,
  filled: boolean,
  blockAt: ReadonlyMap<number, number>,
): BlockExit {
  if (last === undefined || !filled) return { kind: 'end', next: null };
  const next = last.guard === null ? null : block + 1;
  switch (controlOf(last)) {
    case null:
      return { kind: 'next', next: block + 1 };
    case 'branch':
      return { kind: 'branch', target: blockAt.get(last.target) as number, next };
    case 'switch':
      return { kind: 'switch', targets: last.targets.map((target) => blockAt.get(target) as number), next };
    case 'end':
      return { kind: 'end', next };
    case 'park':
      return { kind: 'park', resume: block + 1, next };
  }
}

/** Blocks that the thread goes on to, having waited or not. */
export function followersOf(block: BasicBlock): readonly number[] {
  const { exit } = block;
  return exit.kind === 'park' ? [exit.resume, ...successorsOf(block)] : successorsOf(block);
}

/** Blocks that the thread itself goes on to, without having waited. */
export function successorsOf({ exit }: BasicBlock): readonly number[] {
  const next = exit.next === null ? [] : [exit.next];
  if (exit.kind === 'switch') return [...exit.targets, ...next];
  return exit.kind === 'branch' ? [exit.target, ...next] : next;
}
