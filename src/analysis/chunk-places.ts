import type { Span } from '../base/span.ts';
import { isSmall, keyOf, type Places, sectionName, type SourcePosition } from '../check/declarations/debug-places.ts';
import type { DebugItem, LocationDirective, SectionLabel } from '../syntax/tree.ts';

/**
 * The source position of a call whose code was inlined, if no earlier `.loc` directive in the chunk specifies this
 * position.
 */
export interface MissingPlace {
  readonly key: string;
  readonly place: string;
  readonly span: Span;
}

export interface FileName {
  readonly index: number;
  readonly name: string;
  readonly span: Span;
}

/**
 * The source files, positions and function names that the directives of one chunk specify. They are later compared with
 * the ones that earlier chunks specify.
 */
export class ChunkPlaces implements Places {
  readonly fileNames: FileName[] = [];
  /** Positions that are specified by `.loc` directives. */
  readonly given: Set<string> = new Set();
  readonly missing: MissingPlace[] = [];
  /** The names of functions whose code was inlined, and where each name first occurs. */
  readonly named: Map<string, Span> = new Map();
  /** The names of debug sections. */
  readonly sectionNames: string[] = [];
  /** The positions of the debug sections. */
  readonly sections: Span[] = [];
  /** The labels in debug sections. */
  readonly labels: SectionLabel[] = [];
  first: Span | null = null;

  readFile(index: number, name: string, { start, end }: Span): void {
    this.fileNames.push({ index, name, span: { start, end } });
  }

  readSection(item: DebugItem): void {
    this.sections.push({ start: item.start, end: item.end });
    this.sectionNames.push(sectionName(item));
    for (const label of item.labels) this.labels.push(label);
  }

  readLocation(location: LocationDirective): void {
    const { inlined, start, end } = location;
    const span = { start, end };
    this.first ??= span;
    if (inlined !== null) {
      if (!this.named.has(inlined.functionName)) this.named.set(inlined.functionName, span);
      const { file, line, column } = inlined;
      const key = keyOf(inlined);
      if (!this.given.has(key)) this.missing.push({ key, place: `${file} ${line} ${column}`, span });
    }
    this.given.add(keyOf(location));
  }

  repeats(place: SourcePosition): boolean {
    if (this.first === null || !isSmall(place)) return false;
    this.given.add(keyOf(place));
    return true;
  }

  repeatsInlined(place: SourcePosition, functionName: string, at: SourcePosition): boolean {
    return this.named.has(functionName) && isSmall(at) && this.given.has(keyOf(at)) && this.repeats(place);
  }
}
