/** Parts of a region's function that are the same whether it runs one thread or four at a time. */
import { append } from '../../base/append.ts';
import { elementAt } from '../../base/element-at.ts';
import type { BasicBlock } from '../../program/flow.ts';
import type { Region } from '../../program/regions.ts';
import { isCounted, type ProgramInstruction } from '../../program/function-program.ts';
import type { RegisterTraffic } from '../../program/register-traffic.ts';
import { usesOf } from '../../program/uses.ts';
import type { Code } from '../../wasm/code.ts';
import { recorder } from '../engine-call.ts';
import type { Stop } from '../groups/stop.ts';
import type { RegionLocals } from '../lowering.ts';
import type { FunctionShape } from './function-shape.ts';
import type { KernelShape } from './kernel-shape.ts';

/** The parts of a block whose code differs between one thread and four threads. */
export interface BlockParts {
  /** Writes code that counts `count` instructions. Every thread executes these instructions. */
  readonly spend: (count: number) => void;
  /** Writes the code of `body` so that it runs only if the instruction's guard is true. */
  readonly guarded: (instruction: ProgramInstruction, body: () => void) => void;
  readonly lower: (instruction: ProgramInstruction) => void;
  /** Writes the last instruction of a basic block, and the code that continues after the block. */
  readonly leave: (instruction: ProgramInstruction) => void;
  readonly end: () => void;
  readonly goTo: (block: number) => void;
  /**
   * Whether a register is live at the start of at least one block, and must therefore keep its value from one block to
   * the next.
   */
  readonly crosses: (place: number) => boolean;
  /** Called when a register that is used only in this block is no longer needed. */
  readonly release: (place: number) => void;
}

/** Number of instructions in a region. */
export function lengthOf({ blocks }: FunctionShape, { order }: Region): number {
  return order.reduce((sum, number) => {
    const { start, end } = elementAt(blocks, number);
    return sum + end - start;
  }, 0);
}

export function writeBlock(
  instructions: readonly ProgramInstruction[],
  exit: BasicBlock['exit'],
  parts: BlockParts,
): void {
  const last = exit.kind === 'next' ? undefined : instructions.at(-1);
  const ending = lastUses(instructions, parts.crosses);
  let spent = 0;
  instructions.forEach((instruction, i) => {
    if (i === spent) spent = spendToClock(instructions, i, parts);
    if (instruction === last) return;
    parts.guarded(instruction, () => parts.lower(instruction));
    for (const place of ending.get(instruction) ?? []) parts.release(place);
  });
  if (last !== undefined) parts.guarded(last, () => parts.leave(last));
  if (exit.next !== null) parts.goTo(exit.next);
  else if (last === undefined) parts.end();
}

/**
 * Counts the instructions from `start` to the end of the block or, if there is one, to the next instruction that reads
 * the clock. That instruction then reads the number of instructions that have been executed before it. Returns the
 * position after the last instruction that was counted.
 */
function spendToClock(instructions: readonly ProgramInstruction[], start: number, { spend }: BlockParts): number {
  let end = start;
  while (end < instructions.length && !readsClock(elementAt(instructions, end))) end++;
  end = Math.min(end + 1, instructions.length);
  const counted = instructions.slice(start, end);
  spend(counted.filter((instruction) => instruction.guard === null && isCounted(instruction)).length);
  return end;
}

function readsClock({ specials }: ProgramInstruction): boolean {
  return specials.some(({ register: { value } }) => value === 'clock' || value === 'clockHigh');
}

/**
 * Returns, for each instruction of a basic block, the registers that no later instruction uses. Only registers that are
 * used in no other block are included.
 */
function lastUses(
  instructions: readonly ProgramInstruction[],
  crosses: (place: number) => boolean,
): ReadonlyMap<ProgramInstruction, readonly number[]> {
  const ending = new Map<ProgramInstruction, number[]>();
  const seen = new Set<number>();
  for (const instruction of instructions.toReversed()) {
    const { reads, writes } = usesOf(instruction);
    for (const place of [...reads, ...writes]) {
      if (seen.has(place)) continue;
      seen.add(place);
      if (crosses(place)) continue;
      append(ending, instruction, place);
    }
  }
  return ending;
}

/** Writes the code for a back edge to a block. The code asks the engine for more fuel if none is left. */
export function refuel(code: Code, shape: KernelShape, fn: FunctionShape, locals: RegionLocals, block: number): void {
  const { fuel, thread } = locals;
  code.get(fuel).i32(0).op('i32.lt_s');
  code.unlikely().if(() => {
    const line = fn.program.instructions[elementAt(fn.blocks, block).start]?.line ?? 0;
    const call = recorder(shape.engineCalls, line)({ kind: 'loop' });
    code.i32(call).get(thread).get(fuel).call(shape.helpers.import('refuel')).set(fuel);
  });
}

/** Returns the stop just before a block. After this stop, threads continue at the block. */
export function stopBefore(shape: KernelShape, fn: FunctionShape, block: number): { number: number; stop: Stop } {
  const number = fn.stopAt.get(block);
  if (number === undefined) throw new Error(`no stop comes before block ${block}`);
  return { number, stop: elementAt(shape.stops, number) };
}

/**
 * Returns the registers that a thread saves before it stops at an instruction. Registers that this instruction writes
 * do not have to be saved.
 */
export function savedAtStop(
  traffic: RegisterTraffic,
  instruction: ProgramInstruction,
  { block, resume }: { readonly block: number; readonly resume: number },
): readonly number[] {
  const written = usesOf(instruction).writes;
  return traffic.changedAfter(block, resume).filter((place) => !written.includes(place));
}
