/**
 * A section of a document that starts and ends between two statements or items. All positions in a chunk are relative
 * to its start, so the chunk remains valid when the text before it changes.
 */
import { SourceText } from '../base/source-text.ts';
import type { Span } from '../base/span.ts';
import type { FormalSpace, LabelSymbol, DeclaredSymbol, VariableSymbol } from '../check/symbols.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { AvailabilityRow } from '../isa/conditions.ts';
import type { ChunkState } from '../syntax/chunks.ts';
import type { FunctionItem } from '../syntax/tree.ts';
import { ChunkNames } from './chunk-names.ts';
import type { ChunkPlaces } from './chunk-places.ts';

/**
 * The name and position of a function, and whether it is a kernel. Unlike the node of the syntax tree, this object does
 * not keep the function's statements and the source text in memory.
 */
export type FunctionHeader = Pick<FunctionItem, 'name' | 'nameStart' | 'nameEnd' | 'start' | 'end' | 'entry'>;

export function headerOf({ name, nameStart, nameEnd, start, end, entry }: FunctionItem): FunctionHeader {
  return { name, nameStart, nameEnd, start, end, entry };
}

/** Scopes and labels of a chunk, in the order of the text. */
export type OutlinePart =
  /** The header of a function, whose body follows. */
  | { readonly kind: 'function'; readonly header: FunctionHeader }
  | { readonly kind: 'label'; readonly symbol: LabelSymbol }
  | { readonly kind: 'open'; readonly start: number }
  | { readonly kind: 'close'; readonly ends: 'block' | 'function'; readonly end: number };

/** A function whose header was checked. */
export interface BegunFunction {
  readonly header: FunctionHeader;
  /** The parameters and return values of the function, as symbols in the scope of its body. */
  readonly formals: readonly DeclaredSymbol[];
  readonly formalSpaces: ReadonlyMap<string, FormalSpace>;
}

/** A declaration that is visible in the text after it, or the start or end of a scope. */
export type Declared =
  | { readonly kind: 'alias'; readonly name: string; readonly target: string }
  | ({ readonly kind: 'function' } & BegunFunction)
  | { readonly kind: 'symbol'; readonly symbol: DeclaredSymbol }
  | { readonly kind: 'open' }
  | { readonly kind: 'close'; readonly ends: 'block' | 'function' };

/** The variables and functions that a function uses in this chunk. */
export interface FunctionUse {
  readonly name: string;
  readonly entry: boolean;
  /** The position of the function's name in this chunk; null if the function began in an earlier chunk. */
  readonly span: Span | null;
  /** Variables that the function declares in this chunk. */
  readonly own: readonly VariableSymbol[];
  /** Names of the module-scope variables that the function uses. */
  readonly named: readonly string[];
  readonly calls: readonly string[];
  readonly ctaGroups: readonly string[];
}

/** The results of checking a chunk. */
export interface CheckedChunk {
  /** In the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Maps each finding about an unchecked opcode to that opcode. Within a module, only the first finding for each opcode
   * is reported.
   */
  readonly unchecked: ReadonlyMap<Diagnostic, string>;
  /** The declarations at module scope. */
  readonly module: readonly Declared[];
  /** The declarations within functions. */
  readonly body: readonly Declared[];
  /** Like `body`, but without any scopes that the chunk both opens and closes, and without the declarations in them. */
  readonly open: readonly Declared[];
  readonly rows: ReadonlySet<AvailabilityRow>;
  readonly places: ChunkPlaces;
  readonly uses: readonly FunctionUse[];
  /** Functions without a body. */
  readonly announced: readonly FunctionHeader[];
  /** The number of searches for similar names, including those that were skipped. */
  readonly searches: number;
  /** Whether some searches were skipped because the module as a whole had used up the allowed number of searches. */
  readonly isCut: boolean;
}

export class Chunk {
  readonly text: string;
  readonly from: ChunkState;
  readonly to: ChunkState;
  /** As in `ParsedChunk`. */
  readonly reach: number;
  readonly outline: readonly OutlinePart[];
  /** The outline without the scopes that are both opened and closed in the chunk. */
  readonly openOutline: readonly OutlinePart[];
  /** Findings of the parser, in the order of the text. */
  readonly syntax: readonly Diagnostic[];
  /** Whether the chunk contains a misplaced header directive, that is, one that follows an item of another kind. */
  readonly hasLateHeader: boolean;
  /** Whether the chunk contains a character that is an error wherever it occurs, even in a comment. */
  readonly isForeign: boolean;
  /** Number of line ends. */
  readonly lineEnds: number;
  /** Number of characters after the last line end. */
  readonly lastLine: number;
  private foundNames: ChunkNames | null = null;
  private indexed: SourceText | null = null;
  /** The results of checking the chunk; null if a change since the last check may affect them. */
  checked: CheckedChunk | null = null;
  /** The place of the chunk in the document: its index, its offset, and the number of lines before it. */
  index = 0;
  start = 0;
  line = 0;
  /** The number of characters in the chunk's first line that belong to earlier chunks. */
  openLine = 0;

  constructor(parts: Omit<Chunk, 'names' | 'lines' | 'checked' | 'index' | 'start' | 'line' | 'openLine'>) {
    this.text = parts.text;
    this.from = parts.from;
    this.to = parts.to;
    this.reach = parts.reach;
    this.outline = parts.outline;
    this.openOutline = parts.openOutline;
    this.syntax = parts.syntax;
    this.hasLateHeader = parts.hasLateHeader;
    this.isForeign = parts.isForeign;
    this.lineEnds = parts.lineEnds;
    this.lastLine = parts.lastLine;
  }

  /** The names in the chunk. They are collected on first use, because they are never needed for most chunks. */
  get names(): ChunkNames {
    this.foundNames ??= ChunkNames.of(this.text);
    return this.foundNames;
  }

  /** The text with an index of its lines. */
  get lines(): SourceText {
    this.indexed ??= new SourceText(this.text);
    return this.indexed;
  }
}

/** Removes every scope that is both opened and closed within the list, together with the parts inside it. */
export function withoutClosed<T extends { readonly kind: string }>(parts: readonly T[]): readonly T[] {
  const kept: T[] = [];
  /** For each scope that is still open, the index in `kept` of the part that opened it. */
  const opened: number[] = [];
  for (const part of parts) {
    if (part.kind === 'close') {
      const start = opened.pop();
      if (start === undefined) kept.push(part);
      else kept.length = start;
    } else {
      if (part.kind === 'open' || part.kind === 'function') opened.push(kept.length);
      kept.push(part);
    }
  }
  return kept;
}
