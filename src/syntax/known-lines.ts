/** Lines of known shape between statements that are parsed: the way past the parser, and back to it. */
import { parseInstruction } from './instructions.ts';
import type { LineShape, LineShapes } from './line-shapes.ts';
import type { Reader } from './reader.ts';
import type { Instruction, KnownLines, LineSource } from './tree.ts';

/** The known lines of one text. */
export class TextLines implements LineSource {
  readonly shapes: LineShapes;
  private readonly r: Reader;
  private findingsBefore = 0;

  constructor(r: Reader, shapes: LineShapes) {
    this.r = r;
    this.shapes = shapes;
  }

  /** Begins an item. */
  begin(): void {
    this.shapes.begin();
    this.findingsBefore = this.r.findings;
  }

  /** With the first token of a statement as the current one: steps over the lines of known shape that begin with it. */
  read(): KnownLines | null {
    const { r, shapes } = this;
    const { start } = r;
    const from = shapes.length;
    const end = shapes.readLines(r.bytes, start);
    if (end < 0) return null;
    r.goOn(end);
    return { kind: 'known', start, end, from, to: shapes.length, source: this };
  }

  instructionAt(start: number): Instruction {
    const { r } = this;
    const { start: back, previousEnd } = r;
    r.rewind(start, start);
    const instruction = parseInstruction(r);
    if (instruction === null) throw new Error(`no instruction at ${start}, where one was known by its shape`);
    r.rewind(back, previousEnd);
    return instruction;
  }

  learn(start: number): LineShape | null {
    // Some mistakes leave a tree behind: nothing is learned from an item that has any.
    if (this.r.findings > this.findingsBefore) return null;
    return this.shapes.learn(this.r.bytes, start);
  }
}

/** The instructions of known lines, parsed. */
export function instructionsOf({ from, to, source }: KnownLines): readonly Instruction[] {
  const { words, slotCounts } = source.shapes;
  const instructions: Instruction[] = [];
  for (let at = from; at < to; at += 2 + (slotCounts[words[at] as number] as number)) {
    instructions.push(source.instructionAt(words[at + 1] as number));
  }
  return instructions;
}
