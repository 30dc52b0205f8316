/**
 * Divides a document into chunks and keeps track of their positions. After an edit, only the affected chunks are parsed
 * again.
 */
import { requireArgument } from '../base/require.ts';
import { number } from '../base/rules.ts';
import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import type { LabelSymbol } from '../check/symbols.ts';
import { toAscii } from '../syntax/ascii.ts';
import {
  type ChunkOptions,
  type ChunkPart,
  type ChunkState,
  isSameState,
  moduleStart,
  readChunk,
} from '../syntax/chunks.ts';
import { isHeaderItem, type ReadChunk } from './check-chunk.ts';
import { Chunk, headerOf, type OutlinePart, withoutClosed } from './chunk.ts';
import type { LineShapes } from '../syntax/line-shapes.ts';
import type { Item } from '../syntax/tree.ts';

/**
 * The number of characters that are read in the first attempt to parse a chunk. Most chunks are slightly shorter than
 * this.
 */
const usualWindow = 12_288;
/** The parser usually finds the end of a chunk without reading more than this many characters beyond it. */
const usualReach = 1024;

/** The chunks that an edit removed, and the chunks that replaced them. */
export interface Replaced {
  /** The index of the first chunk that was replaced. */
  readonly at: number;
  readonly old: readonly Chunk[];
  readonly fresh: readonly Chunk[];
}

/**
 * The text that is waiting to be divided into chunks. When more text is needed, the text of the next existing chunks is
 * appended.
 */
class Pending {
  private text: string;
  private readonly chunks: readonly Chunk[];
  /** The index of the first chunk whose text has not yet been appended. */
  private next: number;

  constructor(text: string, chunks: readonly Chunk[], next: number) {
    this.text = text;
    this.chunks = chunks;
    this.next = next;
  }

  /**
   * Reads the chunk that starts at offset `at`. At first, only `length` characters of the text are parsed. If these do
   * not include the end of the chunk, four times as many are parsed, and so on.
   */
  read(at: number, from: ChunkState, options: ChunkOptions, length = usualWindow): ReadChunk {
    for (; ; length *= 4) {
      this.extendTo(at + length);
      const isAll = this.next === this.chunks.length && at + length >= this.text.length;
      const source = this.text.slice(at, isAll ? undefined : at + length);
      const parsed = readChunk(source, from, options);
      if (isAll || Number.isFinite(parsed.reach)) return { source, parsed };
    }
  }

  private extendTo(length: number): void {
    const parts = [this.text];
    for (let total = this.text.length; total < length && this.next < this.chunks.length; this.next++) {
      const { text } = elementAt(this.chunks, this.next);
      parts.push(text);
      total += text.length;
    }
    if (parts.length > 1) this.text = parts.join('');
  }
}

/** @throws PtxlabError `argument-type` if the offset is not a number */
export function requireOffset(offset: number): void {
  requireArgument('an offset', offset, number);
}

export class ChunkList {
  readonly chunks: Chunk[] = [];
  length = 0;
  private readonly shapes: LineShapes;

  constructor(text: string, shapes: LineShapes) {
    this.shapes = shapes;
    const pending = new Pending(text, [], 0);
    let from: ChunkState = moduleStart;
    let at = 0;
    do {
      const { source, parsed } = pending.read(at, from, { shapes, isStart: at === 0, stops: [] });
      this.chunks.push(makeChunk(source.slice(0, parsed.end), from, parsed));
      at += parsed.end;
      from = parsed.to;
    } while (at < text.length);
    this.place();
  }

  text(): string {
    return this.chunks.map((chunk) => chunk.text).join('');
  }

  /** The text between two offsets. */
  slice(start: number, end: number): string {
    requireOffset(end);
    const first = this.at(start);
    const parts: string[] = [];
    for (let i = first.index; i < this.chunks.length; i++) {
      const chunk = elementAt(this.chunks, i);
      if (chunk.start >= end) break;
      parts.push(chunk.text.slice(Math.max(0, start - chunk.start), end - chunk.start));
    }
    return parts.join('');
  }

  /** The chunk that contains an offset. For the offset at the end of the text, this is the last chunk. */
  at(offset: number): Chunk {
    requireOffset(offset);
    const { chunks } = this;
    const count = leadingCount(chunks.length, (i) => elementAt(chunks, i).start <= offset);
    return elementAt(chunks, Math.max(count - 1, 0));
  }

  /**
   * The chunk that contains the character before an offset. A statement that is being written ends at the offset, and
   * it may be the last statement of its chunk.
   */
  before(offset: number): Chunk {
    requireOffset(offset);
    return this.at(Math.max(offset - 1, 0));
  }

  /**
   * Parses a chunk again, because chunks do not keep the statements that they contain. If `whole` is true, every
   * statement is parsed; otherwise, lines of a known shape are skipped.
   */
  reread({ text, index, from }: Chunk, whole: boolean): ReadChunk {
    const pending = new Pending(text, this.chunks, index + 1);
    const shapes = whole ? null : this.shapes;
    return pending.read(0, from, { shapes, isStart: index === 0, stops: [text.length] }, text.length + usualReach);
  }

  /** The items of the first chunk, which contains the header. */
  firstItems(): readonly Item[] {
    const { parsed } = this.reread(elementAt(this.chunks, 0), true);
    return parsed.parts.flatMap((part) => (part.kind === 'item' ? [part.item] : []));
  }

  /** Replaces the text between two offsets, and rereads whatever the edit may have changed. */
  edit(start: number, end: number, text: string): Replaced {
    const { chunks } = this;
    const at = chunks.findIndex((chunk) => chunk.start + chunk.reach > start);
    const first = elementAt(chunks, at);
    // The first chunk that is not affected by the edit.
    const kept = chunks.findIndex((chunk) => chunk.index > at && chunk.start >= end);
    const next = kept < 0 ? chunks.length : kept;
    const nextStart = chunks[next]?.start ?? this.length;
    const before = this.slice(first.start, start);
    const after = this.slice(end, nextStart);
    const edited = before + text + after;
    const { fresh, consumed } = this.readUntilSame(edited, at, next);
    const old = chunks.splice(at, consumed - at, ...fresh);
    this.place();
    return { at, old, fresh };
  }

  /**
   * Divides the edited text into new chunks, which replace the chunks from index `at` on. Stops where an existing chunk
   * with index `next` or higher begins in the same state as before.
   */
  private readUntilSame(
    edited: string,
    at: number,
    next: number,
  ): { readonly fresh: readonly Chunk[]; readonly consumed: number } {
    const { chunks } = this;
    const { shapes } = this;
    const pending = new Pending(edited, chunks, next);
    const fresh: Chunk[] = [];
    let consumed = next;
    // The offset at which chunk `consumed` begins.
    let consumedStart = edited.length;
    let read = 0;
    let { from } = elementAt(chunks, at);
    for (;;) {
      while (consumed < chunks.length && consumedStart < read)
        consumedStart += elementAt(chunks, consumed++).text.length;
      const following = chunks[consumed];
      const isThere = consumedStart === read && (read > 0 || at > 0);
      if (isThere && following !== undefined && isSameState(following.from, from)) break;
      if (following === undefined && consumedStart === read && fresh.length > 0) break;
      const stops = this.stopsAfter(consumed, consumedStart - read);
      const { source, parsed } = pending.read(read, from, { shapes, isStart: at === 0 && read === 0, stops });
      fresh.push(makeChunk(source.slice(0, parsed.end), from, parsed));
      read += parsed.end;
      from = parsed.to;
    }
    return { fresh, consumed };
  }

  /**
   * The offsets of chunk `next` and of the existing chunks after it, given that chunk `next` begins at offset `start`.
   * Only offsets below `usualWindow` are returned, because chunks are usually shorter than that.
   */
  private stopsAfter(next: number, start: number): readonly number[] {
    const stops: number[] = [];
    let stop = start;
    for (let i = next; i < this.chunks.length && stop < usualWindow; i++) {
      if (stop > 0) stops.push(stop);
      stop += elementAt(this.chunks, i).text.length;
    }
    return stops;
  }

  private place(): void {
    let start = 0;
    let line = 0;
    let openLine = 0;
    for (const [index, chunk] of this.chunks.entries()) {
      chunk.index = index;
      chunk.start = start;
      chunk.line = line;
      chunk.openLine = openLine;
      start += chunk.text.length;
      line += chunk.lineEnds;
      openLine = chunk.lastLine + (chunk.lineEnds === 0 ? openLine : 0);
    }
    this.length = start;
  }
}

function makeChunk(text: string, from: ChunkState, parsed: ReadChunk['parsed']): Chunk {
  const outline = outlineOf(parsed.parts, from);
  return new Chunk({
    text,
    from,
    to: parsed.to,
    reach: parsed.reach,
    outline,
    openOutline: withoutClosed(outline),
    syntax: parsed.diagnostics.toSorted((a, b) => a.span.start - b.span.start),
    hasLateHeader: hasLateHeader(parsed.parts, from),
    isForeign: toAscii(text).foreign >= 0,
    lineEnds: countLineEnds(text),
    lastLine: text.length - (Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1),
  });
}

function hasLateHeader(parts: readonly ChunkPart[], { stage }: ChunkState): boolean {
  let isLate = stage === 'body' || stage === 'unknown';
  for (const part of parts) {
    const isHeader = part.kind === 'item' && isHeaderItem(part.item);
    if (isHeader && isLate) return true;
    if (!isHeader) isLate = true;
  }
  return false;
}

function outlineOf(parts: readonly ChunkPart[], { body }: ChunkState): readonly OutlinePart[] {
  const outline: OutlinePart[] = [];
  let isNamed = body?.named === true;
  for (const part of parts) {
    if (part.kind === 'item' && part.opensBody && part.item.kind === 'function') {
      outline.push({ kind: 'function', header: headerOf(part.item) });
      isNamed = true;
    } else if (!isNamed) continue;
    else if (part.kind === 'statement' && part.statement.kind === 'label') {
      outline.push({ kind: 'label', symbol: labelSymbol(part.statement) });
    } else if (part.kind === 'open') outline.push({ kind: 'open', start: part.start });
    else if (part.kind === 'close') {
      outline.push({ kind: 'close', ends: part.ends, end: part.end });
      if (part.ends === 'function') isNamed = false;
    }
  }
  return outline;
}

function labelSymbol({ name, start, end }: { name: string; start: number; end: number }): LabelSymbol {
  return { kind: 'label', name, declared: { start, end } };
}

/** `\n`, `\r\n` and a lone `\r` each end a line. */
function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) if (text[at + 1] !== '\n') count++;
  return count;
}
