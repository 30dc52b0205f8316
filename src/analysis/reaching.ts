/**
 * Follows the values of registers through a function: backward to the instructions that wrote them, and forward to the
 * instructions that read them.
 */
import { append } from '../base/append.ts';
import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import { followersOf, predecessorsOf } from '../program/flow.ts';
import type { FunctionBody } from './function-body.ts';
import type { Occurrence } from './occurrences.ts';

/** The reads and writes of one register, in the order of the text. */
type History = readonly Occurrence[];

export class Reaching {
  private readonly body: FunctionBody;
  private readonly blockOf: Int32Array;
  private readonly predecessors: readonly (readonly number[])[];
  private readonly histories: ReadonlyMap<number, History>;
  /** For each register, the indices of the instructions that write it, in ascending order. */
  private readonly writersOf: ReadonlyMap<number, readonly number[]>;

  constructor(body: FunctionBody) {
    this.body = body;
    this.histories = historiesOf(body);
    this.writersOf = new Map([...this.histories].map(([place, history]) => [place, writersIn(history)]));
    this.blockOf = new Int32Array(body.instructions.length);
    body.blocks.forEach(({ start, end }, i) => {
      this.blockOf.fill(i, start, end);
    });
    this.predecessors = predecessorsOf(body.blocks);
  }

  /** Every read and write of the register in the given slot. */
  history(place: number): History {
    return this.histories.get(place) ?? [];
  }

  /**
   * The instructions whose writes to a register may reach the given instruction, in ascending order. `fromStart` is
   * true if the value from the start of the function may reach it as well.
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

  /**
   * Adds to `found` the instructions between `start` and `end` that write the register, starting with the last one.
   * Stops and returns true when it finds an instruction that is always executed.
   */
  private searchBack(start: number, end: number, place: number, found: Set<number>): boolean {
    const writers = this.writersOf.get(place) ?? [];
    for (let at = leadingCount(writers.length, (i) => elementAt(writers, i) < end) - 1; at >= 0; at--) {
      const writer = elementAt(writers, at);
      if (writer < start) return false;
      found.add(writer);
      if (this.alwaysRuns(writer)) return true;
    }
    return false;
  }

  /**
   * The reads of a register that may return a value written by one of these instructions, in the order of the text.
   */
  after(writers: readonly number[], place: number): readonly Occurrence[] {
    const { blocks } = this.body;
    const history = this.history(place);
    const seen = new Set<number>();
    const entered = new Set<number>();
    const indexFrom = (instruction: number): number =>
      leadingCount(history.length, (i) => elementAt(history, i).instruction < instruction);
    const open = writers.map((writer) => [elementAt(this.blockOf, writer), indexFrom(writer + 1)] as const);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [block, from] = next;
      if (!this.searchAhead(history, from, elementAt(blocks, block).end, seen)) continue;
      for (const after of followersOf(elementAt(blocks, block))) {
        if (entered.has(after)) continue;
        entered.add(after);
        open.push([after, indexFrom(elementAt(blocks, after).start)]);
      }
    }
    return history.filter(({ role }, i) => role === 'read' && seen.has(i));
  }

  /**
   * Marks the reads and writes that a value can reach. The search goes through the history of the register, from index
   * `from` up to the instruction `end`. Returns false if the value need not be followed any further, either because it
   * is overwritten or because an earlier search already continued from here.
   */
  private searchAhead(history: History, from: number, end: number, seen: Set<number>): boolean {
    let overwritten: number | null = null;
    for (let at = from; at < history.length; at++) {
      const { role, instruction } = elementAt(history, at);
      if (instruction >= end || (overwritten !== null && instruction > overwritten)) break;
      if (seen.has(at)) return false;
      seen.add(at);
      // An instruction reads all its sources before it writes, regardless of the order of its operands.
      if (role === 'write' && this.alwaysRuns(instruction)) overwritten = instruction;
    }
    return overwritten === null;
  }

  private alwaysRuns(instruction: number): boolean {
    return elementAt(this.body.program.instructions, instruction).guard === null;
  }
}

function historiesOf({ occurrences }: FunctionBody): ReadonlyMap<number, History> {
  const histories = new Map<number, Occurrence[]>();
  for (const one of occurrences) {
    append(histories, one.place, one);
  }
  return histories;
}

function writersIn(history: History): readonly number[] {
  return [...new Set(history.filter(({ role }) => role === 'write').map(({ instruction }) => instruction))];
}
