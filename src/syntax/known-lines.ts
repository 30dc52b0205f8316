/**
 * Recognizes lines that have the same shape as an earlier line (see line-shapes.ts), and skips them instead of parsing
 * them.
 */
import type { LineShape, LineShapes, ReadShape, ShapeName } from './line-shapes.ts';
import type { LineReader, Reader } from './reader.ts';
import type { Instruction, KnownLines, LocationDirective, Operand, Statement } from './tree.ts';
import { codeAt, signedAt } from '../base/typed-reads.ts';

type Parse = (r: Reader) => Statement | null;

/** Skips lines with known shapes while one text is parsed. */
export class TextLines implements LineReader {
  readonly shapes: LineShapes;
  limit: number = Number.POSITIVE_INFINITY;
  private readonly r: Reader;
  private findingsBefore = 0;
  private parse: Parse | null = null;

  constructor(r: Reader, shapes: LineShapes) {
    this.r = r;
    this.shapes = shapes;
  }

  /** Begins an item. */
  begin(): void {
    this.shapes.begin();
    this.findingsBefore = this.r.findings;
  }

  /**
   * Skips lines whose shapes are known. The first of these lines begins at the current token, which must be the first
   * token of a statement. `parse` is called later if one of the skipped lines has to be parsed after all.
   */
  read(parse: Parse): KnownLines | null {
    this.parse = parse;
    const { r, shapes } = this;
    const { start } = r;
    const from = shapes.length;
    const end = shapes.readLines(r.bytes, start, this.limit);
    if (end < 0) return null;
    r.goOn(end);
    return { kind: 'known', start, end, from, to: shapes.length, source: this };
  }

  statementAt(start: number): Instruction | LocationDirective {
    const { r } = this;
    const { start: back, previousEnd } = r;
    r.rewind(start, start);
    const statement = this.parse?.(r) ?? null;
    r.rewind(back, previousEnd);
    if (statement?.kind === 'instruction' || statement?.kind === 'loc') return statement;
    throw new Error(`no statement at offset ${start}, although the shape of its line is known`);
  }

  learn(node: Instruction | LocationDirective): LineShape | null {
    // Some mistakes are reported although parsing succeeds. Therefore, no shapes are learned from an item in which
    // anything was reported.
    if (this.r.findings > this.findingsBefore) return null;
    return this.shapes.learn(this.r.bytes, node.start, (read) =>
      node.kind === 'loc' ? isLocation(node, read) : isInstruction(node, read),
    );
  }
}

/** True if the shape was read from exactly the text that was parsed as this `.loc` directive. */
function isLocation({ inlined, end }: LocationDirective, read: ReadShape): boolean {
  const parts = read.names.map(({ kind }) => kind).join(' ');
  const isComplete = inlined === null ? parts === '' : parts === 'kept folded kept';
  return read.end === end && isComplete && read.slots.length === (inlined === null ? 3 : 8);
}

/**
 * True if the shape was read from exactly the text that was parsed as this instruction, and if names were found at the
 * same offsets.
 */
function isInstruction(node: Instruction, { end, names }: ReadShape): boolean {
  const places = namesIn(node);
  const isName = (name: ShapeName, i: number): boolean =>
    name.start === places[i * 2] && name.end === places[i * 2 + 1];
  // In a shape, a bank number could not be distinguished from the constants among the operands.
  const hasBank = node.mnemonic.includes('[');
  return !hasBank && end === node.end && names.length * 2 === places.length && names.every(isName);
}

/** Parses known lines. */
export function statementsOf({ from, to, source }: KnownLines): readonly (Instruction | LocationDirective)[] {
  const { words, slotCounts } = source.shapes;
  const statements: (Instruction | LocationDirective)[] = [];
  for (let at = from; at < to; at += 2 + codeAt(slotCounts, signedAt(words, at))) {
    statements.push(source.statementAt(signedAt(words, at + 1)));
  }
  return statements;
}

/** The start and end offsets of all names in an instruction, in the order of the text. */
function namesIn({ guard, operands }: Instruction): readonly number[] {
  const places: number[] = [];
  if (guard !== null) addNames(guard.predicate, places);
  for (const operand of operands) addNames(operand, places);
  return places;
}

function addNames(operand: Operand, places: number[]): void {
  switch (operand.kind) {
    case 'name':
      places.push(operand.start, operand.end);
      return;
    case 'member':
      places.push(operand.start, operand.start + operand.base.length);
      return;
    case 'offset':
      addNames(operand.base, places);
      if (operand.index !== null) addNames(operand.index, places);
      return;
    case 'address':
      if (operand.base !== null) addNames(operand.base, places);
      for (const part of operand.rest) addNames(part, places);
      return;
    case 'unary':
      addNames(operand.operand, places);
      return;
    case 'pair':
      addNames(operand.first, places);
      addNames(operand.second, places);
      return;
    case 'vector':
    case 'list':
      for (const element of operand.elements) addNames(element, places);
      return;
    case 'integer':
    case 'float':
    case 'sink':
      return;
  }
}
