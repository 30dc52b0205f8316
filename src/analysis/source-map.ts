/** Finds the source lines that a document was compiled from, using `.loc`, `.file` and the names in debug sections. */
import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import type { SourcePlace } from '../base/source-place.ts';
import type { Span } from '../base/span.ts';
import { SourcePlaces } from '../check/source-places.ts';
import { statementsOf } from '../syntax/known-lines.ts';
import type { ChunkPart } from '../syntax/chunks.ts';
import type { Instruction, LocationDirective, Statement } from '../syntax/tree.ts';
import type { Chunk } from './chunk.ts';
import type { ChunkList } from './chunk-list.ts';

/** Consecutive instructions with the same source position. Their offsets are relative to the chunk. */
interface Run extends Span {
  /**
   * Null for the instructions before the first `.loc` of the chunk. Their position is the one that applies at the end
   * of the previous chunk.
   */
  readonly location: LocationDirective | null;
  readonly instructions: number;
  /** True for the first run of instructions in a function that begins in the chunk. */
  readonly isFirst: boolean;
}

/** Consecutive instructions that come from the same source line. */
export interface MappedRange extends Span {
  readonly place: SourcePlace;
  readonly instructions: number;
}

/** A source line and the instructions that come from it. */
export interface SourceLine {
  /** The path of the file, as written in `.file`. */
  readonly file: string;
  readonly line: number;
  readonly instructions: number;
  readonly ranges: readonly Span[];
}

/**
 * Maps instructions to source lines. The runs of instructions in each chunk are cached, so that only new chunks have to
 * be read after an edit.
 */
export class SourceMap {
  private readonly list: ChunkList;
  private readonly runs = new WeakMap<Chunk, readonly Run[]>();

  constructor(list: ChunkList) {
    this.list = list;
  }

  /**
   * The ranges of consecutive instructions that have the same source position, in the order of the text. Instructions
   * without a source position are left out.
   */
  ranges(): readonly MappedRange[] {
    const { chunks } = this.list;
    const places = new SourcePlaces(this.debugNames());
    const found: MappedRange[] = [];
    let place: SourcePlace | null = null;
    for (const chunk of chunks) {
      for (const run of this.runsOf(chunk)) {
        if (run.isFirst) place = null;
        if (run.location !== null) place = places.read(run.location);
        if (place === null || run.instructions === 0) continue;
        const { instructions } = run;
        found.push({ start: chunk.start + run.start, end: chunk.start + run.end, place, instructions });
      }
    }
    return found;
  }

  private debugNames(): { readonly files: ReadonlyMap<number, string>; readonly sections: readonly string[] } {
    const files = new Map<number, string>();
    const sections: string[] = [];
    for (const { checked, start } of this.list.chunks) {
      for (const { index, name } of checked?.places.fileNames ?? []) if (!files.has(index)) files.set(index, name);
      for (const span of checked?.places.sections ?? [])
        sections.push(this.list.slice(start + span.start, start + span.end));
    }
    return { files, sections };
  }

  private runsOf(chunk: Chunk): readonly Run[] {
    const known = this.runs.get(chunk);
    if (known !== undefined) return known;
    const made = runsIn(this.list.reread(chunk, false).parsed.parts);
    this.runs.set(chunk, made);
    return made;
  }
}

function runsIn(parts: readonly ChunkPart[]): readonly Run[] {
  const runs: Run[] = [];
  let location: LocationDirective | null = null;
  let isFirst = false;
  let own: Instruction[] = [];
  const finish = (): void => {
    if (own.length > 0 || location !== null || isFirst) {
      const start = own[0]?.start ?? location?.start ?? 0;
      runs.push({ start, end: own.at(-1)?.end ?? start, location, instructions: own.length, isFirst });
    }
    own = [];
    isFirst = false;
  };
  for (const part of parts) {
    if (part.kind === 'item' && part.opensBody) {
      finish();
      location = null;
      isFirst = true;
    }
    if (part.kind !== 'statement') continue;
    for (const statement of plainStatements(part.statement)) {
      if (statement.kind === 'loc') {
        finish();
        location = statement;
      } else if (statement.kind === 'instruction') own.push(statement);
    }
  }
  finish();
  return runs;
}

function plainStatements(statement: Statement): readonly Statement[] {
  return statement.kind === 'known' ? statementsOf(statement) : [statement];
}

/**
 * The innermost source position that applies at an offset: the position of the last instruction that begins at or
 * before the offset.
 */
export function placeAt(ranges: readonly MappedRange[], offset: number): SourcePlace | null {
  const count = leadingCount(ranges.length, (i) => elementAt(ranges, i).start <= offset);
  const found = ranges[count - 1];
  return found !== undefined && offset <= found.end ? found.place : null;
}

/**
 * The source lines of each file, in ascending order. Instructions of inlined code count toward each line that they come
 * from.
 */
export function sourceLinesOf(ranges: readonly MappedRange[]): readonly SourceLine[] {
  const lines = new Map<string, { file: string; line: number; instructions: number; ranges: Span[] }>();
  for (const { start, end, place, instructions } of ranges) {
    const { file, line } = place;
    const key = `${line} ${file}`;
    const known = lines.get(key) ?? { file, line, instructions: 0, ranges: [] };
    known.instructions += instructions;
    known.ranges.push({ start, end });
    lines.set(key, known);
  }
  return [...lines.values()].toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}
