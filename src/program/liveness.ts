/**
 * Finds the registers that may still be read at or after a block: these are the values that a thread must keep from one
 * region to the next.
 */
import { elementAt } from '../base/element-at.ts';
import type { BitSet } from './bit-set.ts';
import { type BasicBlock, followersOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';
import { Numbering } from './numbering.ts';
import { usesOf } from './uses.ts';

/**
 * The registers that are live at the start of each block. A list is computed only when it is requested, because all
 * lists together would take up a lot of memory.
 */
export interface Liveness {
  /** Slots of the registers that are live, ascending. */
  readonly at: (block: number) => readonly number[];
  /** Returns a function that finds out which of the given registers are live at the start of a block. */
  readonly among: (kept: Numbering) => (block: number) => BitSet;
  /** Slots of the registers that are live at the start of at least one of the blocks, ascending. */
  readonly atAny: (blocks: Iterable<number>) => readonly number[];
  /**
   * Whether a slot may be live at the start of any block. If not, the register in this slot never carries a value from
   * one block to another. The result is always true for a slot that does not hold a whole register.
   */
  readonly crosses: (place: number) => boolean;
}

export function liveness(program: FunctionProgram, blocks: readonly BasicBlock[]): Liveness {
  const { numbers, uses } = liveSets(program, blocks);
  const crossing = numbers.set();
  for (const { before } of uses) crossing.join(before);
  const none = numbers.set();
  const before = (block: number): BitSet => uses[block]?.before ?? none;
  return {
    crosses: (place) => numbers.of(place) === null || numbers.has(crossing, place),
    at: (block) => numbers.placesOf(before(block)),
    among: (kept) => {
      const own = kept.places.map((place) => numbers.numberOf(place));
      return (block) => before(block).select(own);
    },
    atAny: (some) => {
      const found = numbers.set();
      for (const block of some) found.join(before(block));
      return numbers.placesOf(found);
    },
  };
}

/** For each instruction, the number of registers that are live just before it. */
export function liveCounts(program: FunctionProgram, blocks: readonly BasicBlock[]): Uint32Array {
  const { numbers, uses } = liveSets(program, blocks);
  const counts = new Uint32Array(program.instructions.length);
  for (const block of blocks) {
    const live = numbers.set();
    for (const next of followersOf(block)) live.join(elementAt(uses, next).before);
    let count = live.size;
    const read = (place: number): void => {
      const number = numbers.of(place);
      if (number !== null && live.insert(number)) count++;
    };
    const write = (place: number): void => {
      const number = numbers.of(place);
      if (number !== null && live.delete(number)) count--;
    };
    if (block.exit.kind === 'end') for (const { place } of program.registerResults) read(place);
    for (let at = block.end - 1; at >= block.start; at--) {
      const instruction = elementAt(program.instructions, at);
      const { reads, writes } = usesOf(instruction);
      if (instruction.guard === null) writes.forEach(write);
      reads.forEach(read);
      counts[at] = count;
    }
  }
  return counts;
}

interface LiveSets {
  /** The numbers of all registers. */
  readonly numbers: Numbering;
  /** How each block uses the registers. */
  readonly uses: readonly BlockUses[];
}

function liveSets(program: FunctionProgram, blocks: readonly BasicBlock[]): LiveSets {
  const numbers = new Numbering(program.registers.map(({ place }) => place));
  const uses = blocks.map((block) => blockUses(program, block, numbers));
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = blocks.length - 1; i >= 0; i--) {
      const { before, kills } = elementAt(uses, i);
      for (const successor of followersOf(elementAt(blocks, i))) {
        if (before.join(elementAt(uses, successor).before, kills)) changed = true;
      }
    }
  }
  return { numbers, uses };
}

/** The numbers of the registers that a block reads and writes. */
interface BlockUses {
  /**
   * Registers that are live at the start of the block. Initially, the set contains only the registers that the block
   * reads before it writes them.
   */
  readonly before: BitSet;
  /** Registers that the block writes whenever it is executed. */
  readonly kills: BitSet;
}

function blockUses(program: FunctionProgram, { start, end, exit }: BasicBlock, numbers: Numbering): BlockUses {
  const [before, kills] = [numbers.set(), numbers.set()];
  const read = (place: number): void => {
    const number = numbers.of(place);
    if (number !== null && !kills.has(number)) before.add(number);
  };
  for (let at = start; at < end; at++) {
    const instruction = elementAt(program.instructions, at);
    const { reads, writes } = usesOf(instruction);
    for (const place of reads) read(place);
    if (instruction.guard !== null) continue;
    for (const place of writes) numbers.add(kills, place);
  }
  // When a function ends, the registers that hold its return values are read.
  if (exit.kind === 'end') for (const { place } of program.registerResults) read(place);
  return { before, kills };
}
