/** Which registers a block may still read: what a thread must carry from one region to the next. */
import { type BasicBlock, followersOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';
import { usesOf } from './uses.ts';

/** Places of the registers that are live at the start of each block, ascending. */
export function liveness(program: FunctionProgram, blocks: readonly BasicBlock[]): readonly (readonly number[])[] {
  const places = program.registers.map(({ place }) => place);
  const indexOf = new Map(places.map((place, i) => [place, i] as const));
  const words = Math.ceil(places.length / 32);
  const live = blocks.map((block) => blockUses(program, block, indexOf, words));
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = blocks.length - 1; i >= 0; i--) {
      const block = blocks[i] as BasicBlock;
      const { before, kills } = live[i] as BlockUses;
      for (const successor of followersOf(block)) {
        const after = (live[successor] as BlockUses).before;
        for (let word = 0; word < words; word++) {
          const present = before[word] as number;
          const joined = (present | ((after[word] as number) & ~(kills[word] as number))) >>> 0;
          if (joined === present) continue;
          before[word] = joined;
          changed = true;
        }
      }
    }
  }
  return live.map(({ before }) => places.filter((_, i) => has(before, i)));
}

interface BlockUses {
  /** Live at its start; at first what it reads before writing. */
  readonly before: Uint32Array;
  /** What it writes whatever happens. */
  readonly kills: Uint32Array;
}

function blockUses(
  { instructions }: FunctionProgram,
  { start, end }: BasicBlock,
  indexOf: ReadonlyMap<number, number>,
  words: number,
): BlockUses {
  const before = new Uint32Array(words);
  const kills = new Uint32Array(words);
  for (const instruction of instructions.slice(start, end)) {
    const { reads, writes } = usesOf(instruction);
    for (const place of reads) {
      const index = indexOf.get(place);
      if (index !== undefined && !has(kills, index)) add(before, index);
    }
    if (instruction.guard !== null) continue;
    for (const place of writes) {
      const index = indexOf.get(place);
      if (index !== undefined) add(kills, index);
    }
  }
  return { before, kills };
}

function has(set: Uint32Array, index: number): boolean {
  return (((set[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
}

function add(set: Uint32Array, index: number): void {
  const word = index >>> 5;
  set[word] = (set[word] as number) | (1 << (index & 31));
}
