/** Finds the instructions that may have written the value that another one reads. */
import { elementAt } from '../base/element-at.ts';
import { followersOf } from '../program/flow.ts';
import { usesOf } from '../program/uses.ts';
import type { FunctionBody } from './function-body.ts';

/** The instructions of a function, indexed by what they write, and its control flow. */
export class Reaching {
  private readonly body: FunctionBody;
  private readonly blockOf: Int32Array;
  private readonly predecessors: readonly (readonly number[])[];
  private readonly writersOf: ReadonlyMap<number, readonly number[]>;

  /** `writers` are the instructions that write each register, by its slot, in ascending order. */
  constructor(body: FunctionBody, writers: ReadonlyMap<number, readonly number[]>) {
    this.body = body;
    this.writersOf = writers;
    this.blockOf = new Int32Array(body.instructions.length);
    const predecessors: number[][] = body.blocks.map(() => []);
    for (const [i, block] of body.blocks.entries()) {
      this.blockOf.fill(i, block.start, block.end);
      for (const next of followersOf(block)) predecessors[next]?.push(i);
    }
    this.predecessors = predecessors;
  }

  /**
   * The instructions whose value of a register may reach an instruction, ascending; `fromStart` if it may also be the
   * value at the start of the function.
   */
  before(instruction: number, place: number): { readonly writers: readonly number[]; readonly fromStart: boolean } {
    const { blocks } = this.body;
    const found = new Set<number>();
    const seen = new Set<number>();
    const home = elementAt(this.blockOf, instruction);
    let fromStart = false;
    const open: (readonly [block: number, end: number])[] = [[home, instruction]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [block, end] = next;
      if (this.searchBack(elementAt(blocks, block).start, end, place, found)) continue;
      if (block === 0) fromStart = true;
      for (const before of elementAt(this.predecessors, block)) {
        if (seen.has(before)) continue;
        seen.add(before);
        open.push([before, elementAt(blocks, before).end]);
      }
    }
    return { writers: [...found].sort((a, b) => a - b), fromStart };
  }

  /** Looks for writes from `start` up to `end`; true if one of them always happens. */
  private searchBack(start: number, end: number, place: number, found: Set<number>): boolean {
    const { instructions } = this.body.program;
    const writers = this.writersOf.get(place) ?? [];
    let at = writers.length;
    while (at > 0 && elementAt(writers, at - 1) >= end) at--;
    for (at--; at >= 0; at--) {
      const writer = elementAt(writers, at);
      if (writer < start) return false;
      found.add(writer);
      if (elementAt(instructions, writer).guard === null) return true;
    }
    return false;
  }
}

/** How many registers hold a value that is still needed, before each instruction. */
export function liveCounts(body: FunctionBody, liveAtStart: (block: number) => readonly number[]): Uint32Array {
  const { program, blocks } = body;
  const registers = new Set(program.registers.map(({ place }) => place));
  const counts = new Uint32Array(program.instructions.length);
  for (const [, block] of blocks.entries()) {
    const live = new Set(followersOf(block).flatMap(liveAtStart));
    if (block.exit.kind === 'end') for (const { place } of program.registerResults) live.add(place);
    for (let i = block.end - 1; i >= block.start; i--) {
      const instruction = elementAt(program.instructions, i);
      const { reads, writes } = usesOf(instruction);
      if (instruction.guard === null) for (const place of writes) live.delete(place);
      for (const place of reads) if (registers.has(place)) live.add(place);
      counts[i] = live.size;
    }
  }
  return counts;
}
