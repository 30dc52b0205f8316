/** Which registers a block may still read: the values that a thread must keep from one region to the next. */
import { BitSet } from './bit-set.ts';
import { type BasicBlock, followersOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';
import { usesOf } from './uses.ts';

/** Slots of the registers that are live at the start of each block, ascending. */
export function liveness(program: FunctionProgram, blocks: readonly BasicBlock[]): readonly (readonly number[])[] {
  const registers = BitSet.of(
    program.initialFrame.length,
    program.registers.map(({ place }) => place),
  );
  const uses = blocks.map((block) => blockUses(program, block, registers));
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = blocks.length - 1; i >= 0; i--) {
      const [block, use] = [blocks[i], uses[i]];
      if (block === undefined || use === undefined) continue;
      for (const successor of followersOf(block)) {
        const after = uses[successor];
        if (after !== undefined && use.before.join(after.before, use.kills)) changed = true;
      }
    }
  }
  return uses.map(({ before }) => before.numbers());
}

interface BlockUses {
  /** Live at its start; initially the registers that it reads before writing. */
  readonly before: BitSet;
  /** Registers that it always writes. */
  readonly kills: BitSet;
}

function blockUses(program: FunctionProgram, { start, end, exit }: BasicBlock, registers: BitSet): BlockUses {
  const limit = program.initialFrame.length;
  const before = new BitSet(limit);
  const kills = new BitSet(limit);
  const read = (place: number): void => {
    if (registers.has(place) && !kills.has(place)) before.add(place);
  };
  for (const instruction of program.instructions.slice(start, end)) {
    const { reads, writes } = usesOf(instruction);
    for (const place of reads) read(place);
    if (instruction.guard !== null) continue;
    for (const place of writes) if (registers.has(place)) kills.add(place);
  }
  // A function returns its results where it ends.
  if (exit.kind === 'end') for (const { place } of program.registerResults) read(place);
  return { before, kills };
}
