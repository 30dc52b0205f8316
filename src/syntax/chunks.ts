/**
 * Parses a module in chunks. Each chunk is a piece of text that ends between two statements or between two items of the
 * module. The result for a chunk depends only on three things: the text of the chunk, the text after it that the parser
 * looked at, and the state of the parser at its start. If these three are unchanged for a chunk after an edit, its
 * result can therefore be reused. The statements themselves are parsed by the same functions that parse whole modules.
 */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { closeBlock, closeScope, readPart } from './statements.ts';
import { TextLines } from './known-lines.ts';
import type { LineShapes } from './line-shapes.ts';
import { HeaderOrder, type HeaderStage, parseItem, recoverItem } from './parser.ts';
import { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { Block, FunctionItem, Item, LineSource, Statement } from './tree.ts';

/** The state of the parser between two parts of a module. */
export interface ChunkState {
  readonly stage: HeaderStage;
  /** Null outside functions. */
  readonly body: {
    /** Open blocks. */
    readonly depth: number;
    /**
     * False in the body of a function whose name could not be parsed. Such a body is still parsed, but the result is
     * discarded.
     */
    readonly named: boolean;
  } | null;
}

export const moduleStart: ChunkState = { stage: 'version', body: null };

export function isSameState(a: ChunkState, b: ChunkState): boolean {
  return a.stage === b.stage && a.body?.depth === b.body?.depth && a.body?.named === b.body?.named;
}

/** One part of a chunk. Offsets are relative to the text that was read. */
export type ChunkPart =
  /**
   * An item of the module. If the item is a function with a body, the part contains only the header of the function;
   * the body follows in further parts.
   */
  | { readonly kind: 'item'; readonly item: Item; readonly opensBody: boolean }
  | { readonly kind: 'statement'; readonly statement: Exclude<Statement, Block> }
  /** The `{` of a block. */
  | { readonly kind: 'open'; readonly start: number }
  /** The `}` of a block, or of a function's body. */
  | { readonly kind: 'close'; readonly end: number; readonly ends: 'block' | 'function' };

/** All offsets are relative to the start of the text that was read, which is also the start of the chunk. */
export interface ParsedChunk {
  readonly end: number;
  readonly to: ChunkState;
  /** The offset up to which the parser has examined the text; infinite if it has examined the whole text. */
  readonly reach: number;
  readonly parts: readonly ChunkPart[];
  readonly diagnostics: readonly Diagnostic[];
  /** The chunk's lines that were skipped because their shapes are known; null if there are none. */
  readonly lines: LineSource | null;
}

/**
 * A chunk usually ends once it has `usualLength` characters. If a function ends before that, and the chunk already has
 * at least `leastLength` characters, the chunk ends there.
 */
const usualLength = 8192;
const leastLength = 4096;

/** To decide how to read a part, the parser may look ahead at most this number of tokens beyond the end of the part. */
const lookahead = 4;

/**
 * The parser may look ahead at most this number of characters beyond the last token of a line. A line's shape has at
 * most half this length.
 */
const longestLine = 4096;

export interface ChunkOptions {
  /** Whether the text is the start of a module. */
  readonly isStart: boolean;
  /**
   * The known shapes of earlier lines. If this is given, lines with one of these shapes are skipped instead of being
   * parsed.
   */
  readonly shapes: LineShapes | null;
  /** Offsets in ascending order. If a part ends at one of these offsets, the chunk ends there, too. */
  readonly stops: readonly number[];
}

/**
 * Reads the chunk at the start of `source`. `source` must contain more text than the chunk, unless the chunk is the
 * last one of the module.
 */
export function readChunk(source: string, from: ChunkState, options: ChunkOptions): ParsedChunk {
  return new ChunkReader(source, from, options).read(options.stops);
}

class ChunkReader {
  private readonly source: string;
  private readonly r: Reader;
  private readonly order: HeaderOrder;
  private state: ChunkState;
  private readonly diagnostics: Diagnostic[] = [];
  private readonly parts: ChunkPart[] = [];
  /** True if the header of a function has just been read. */
  private opened = false;

  constructor(source: string, from: ChunkState, { shapes, isStart }: ChunkOptions) {
    this.source = source;
    this.r = new Reader(source, (diagnostic) => this.diagnostics.push(diagnostic), isStart);
    if (shapes !== null) this.r.lines = new TextLines(this.r, shapes);
    this.r.lines?.begin();
    this.order = new HeaderOrder(from.stage);
    this.state = from;
    if (from.body !== null) this.r.beginInside(from.body.depth);
  }

  read(stops: readonly number[]): ParsedChunk {
    const { r, source, parts, diagnostics } = this;
    let next = 0;
    while (r.kind !== Token.End || this.state.body !== null) {
      const before = r.previousEnd;
      while ((stops[next] ?? Number.POSITIVE_INFINITY) <= before) next++;
      if (r.lines !== null) r.lines.limit = Math.min(stops[next] ?? usualLength, usualLength);
      this.readPart();
      if (r.previousEnd > before && this.mayEnd() && this.shouldEnd(stops[next])) break;
    }
    const isOver = r.kind === Token.End && this.state.body === null;
    if (isOver) this.order.finish(r);
    const end = isOver ? source.length : r.previousEnd;
    return { end, to: this.state, reach: this.reach(), parts, diagnostics, lines: r.lines };
  }

  /**
   * Whether the chunk may end here. It must not end exactly where the whole text ends: there, all scopes that lack a
   * closing brace are closed together. Nor may it end between the two characters of a CR LF.
   */
  private mayEnd(): boolean {
    const { r, source } = this;
    const isInHeader = this.state.body === null && this.state.stage !== 'body' && this.state.stage !== 'unknown';
    return r.kind !== Token.End && !isInHeader && source[r.previousEnd - 1] !== '\r';
  }

  private shouldEnd(stop: number | undefined): boolean {
    const { previousEnd } = this.r;
    const isBetweenItems = this.state.body === null && previousEnd >= leastLength;
    return previousEnd === stop || previousEnd >= usualLength || isBetweenItems;
  }

  private readPart(): void {
    const { stage, body } = this.state;
    if (body === null) this.readItem();
    else {
      const { r } = this;
      const { start } = r;
      const part = readPart(r);
      if (part === 'open') {
        this.parts.push({ kind: 'open', start });
        this.state = { stage, body: { ...body, depth: body.depth + 1 } };
      } else if (part === 'close') this.close(stage, body);
      else if (part !== null) {
        this.parts.push({ kind: 'statement', statement: part });
        if (part.kind === 'instruction' || part.kind === 'loc') r.lines?.learn(part);
      }
    }
  }

  private close(stage: HeaderStage, body: NonNullable<ChunkState['body']>): void {
    const { r } = this;
    if (body.depth > 0) {
      const end = closeBlock(r);
      this.parts.push({ kind: 'close', end, ends: 'block' });
      this.state = { stage, body: { ...body, depth: body.depth - 1 } };
      return;
    }
    closeScope(r);
    this.parts.push({ kind: 'close', end: r.previousEnd, ends: 'function' });
    this.state = { stage, body: null };
  }

  private readItem(): void {
    const { r } = this;
    const { start } = r;
    this.order.check(r);
    this.opened = false;
    const item = r.failed ? null : parseItem(r, () => this.openBody());
    if (item !== null) this.parts.push({ kind: 'item', item, opensBody: this.opened });
    const body = this.opened ? { depth: 0, named: item !== null } : null;
    this.state = { stage: this.order.stage, body };
    if (r.failed && body === null) recoverItem(r, start);
  }

  /** Leaves the statements of a body to be read later as separate parts. */
  private openBody(): FunctionItem['body'] & object {
    this.opened = true;
    return [];
  }

  private reach(): number {
    const { r } = this;
    const { start, previousEnd } = r;
    for (let i = 0; i < lookahead; i++) r.next();
    const { end } = r;
    const isBounded = r.kind !== Token.End && !r.metOpenEnd;
    r.rewind(start, previousEnd);
    const lineLength = this.source.slice(end, end + longestLine).indexOf('\n') + 1;
    const reach = end + (lineLength > 0 ? lineLength : longestLine);
    return isBounded && reach <= this.source.length ? reach : Number.POSITIVE_INFINITY;
  }
}
