/** `.file`, `.loc` and the labels to which they refer (PTX ISA 9.1, section 11.5, as implemented by ptxas 13.0). */
import type { Span } from '../../base/span.ts';
import { diagnose, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { isDeclarable } from '../../isa/types.ts';
import type { DebugItem, DebugMisfit, InlinedAt, LocationDirective, SectionLabel } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';

export type SourcePosition = Pick<LocationDirective, 'file' | 'line' | 'column'>;

/** Records the source files and positions that are given in a module's debugging directives. */
export interface Places {
  readFile(index: number, name: string, span: Span): void;
  readSection(item: DebugItem): void;
  readLocation(location: LocationDirective): void;
  /** Checks a `.loc` on a line whose shape is known. If it is valid, records its position and returns true. */
  repeats(place: SourcePosition): boolean;
  /**
   * Like `repeats`, but for a `.loc` in inlined code. `functionName` is the label of the inlined function's name, and
   * `at` is the position of the call.
   */
  repeatsInlined(place: SourcePosition, functionName: string, at: SourcePosition): boolean;
}

/**
 * Returns the finding for an invalid data directive in a debug section: either its type or one of its values is wrong.
 */
export function misfitOf({ type, value, start, end }: DebugMisfit): Diagnostic {
  const span: Span = { start, end };
  if (value !== null) return diagnose('PTX5034', span, { type, value });
  return diagnose(isDeclarable(type) ? 'PTX5033' : 'PTX5002', span, { type });
}

/** The section that holds the names of inlined functions. ptxas knows it even if the module does not contain it. */
export const stringSection = '.debug_str';

/**
 * Adds the labels of a section to the names that sections have defined so far, and returns the labels that had been
 * defined before.
 */
export function addLabels(names: Set<string>, labels: readonly SectionLabel[]): readonly SectionLabel[] {
  return labels.filter(({ name }) => {
    const isKnown = names.has(name);
    names.add(name);
    return isKnown;
  });
}

/** The finding for a label that a section has already defined. */
export function repeatedLabel({ name }: SectionLabel, { start, end }: Span): Diagnostic {
  return diagnose('PTX5005', { start, end }, { name, what: 'label' });
}

/** The information about source files in the directives of a module. */
export class DebugPlaces implements Places {
  /** The names of source files, by number. */
  readonly files: Map<number, string> = new Map();
  private readonly report: Report;
  /** Lines and columns given by earlier `.loc` directives, by file. */
  private readonly given = new Map<number, Set<number>>();
  /** The names of sections and of their labels. */
  private readonly sectionNames = new Set([stringSection]);
  private first: Span | null = null;
  /** The first position at which the name of each inlined function occurs. */
  private readonly named = new Map<string, Span>();

  constructor(report: Report) {
    this.report = report;
  }

  readFile(index: number, name: string, { start, end }: Span): void {
    if (this.files.has(index)) this.report(diagnose('PTX5028', { start, end }, { index: String(index) }));
    else this.files.set(index, name);
  }

  readSection(item: DebugItem): void {
    this.sectionNames.add(sectionName(item));
    for (const label of addLabels(this.sectionNames, item.labels)) this.report(repeatedLabel(label, label));
  }

  /** If a `.loc` is in inlined code, an earlier `.loc` must specify the position of the call. */
  readLocation(location: LocationDirective): void {
    const { inlined, start, end } = location;
    this.first ??= { start, end };
    if (inlined !== null) this.readInlined(inlined, location);
    const known = this.given.get(location.file);
    if (known === undefined) this.given.set(location.file, new Set([placeInFile(location)]));
    else known.add(placeInFile(location));
  }

  repeats(place: SourcePosition): boolean {
    const known = this.given.get(place.file);
    if (known === undefined || !isSmall(place)) return false;
    known.add(placeInFile(place));
    return true;
  }

  repeatsInlined(place: SourcePosition, functionName: string, at: SourcePosition): boolean {
    if (!this.named.has(functionName) || this.given.get(at.file)?.has(placeInFile(at)) !== true) return false;
    return isSmall(at) && this.repeats(place);
  }

  private readInlined(inlined: InlinedAt, { start, end }: Span): void {
    const { file, line, column, functionName } = inlined;
    if (!this.named.has(functionName)) this.named.set(functionName, { start, end });
    if (this.given.get(file)?.has(placeInFile(inlined)) === true) return;
    this.report(diagnose('PTX5029', { start, end }, { place: `${file} ${line} ${column}` }));
  }

  /**
   * Called at the end of the module, because the section that defines a label may come after the functions that refer
   * to the label.
   */
  finish(): void {
    if (this.files.size === 0 && this.first !== null) this.report(diagnose('PTX5031', this.first, {}));
    if (this.named.size === 0) return;
    for (const [name, span] of this.named) {
      if (!this.sectionNames.has(name)) this.report(diagnose('PTX5030', span, { name }));
    }
  }
}

/**
 * Packs a line and a column into one number. The result is unique for columns below 2^20, which is enough for real
 * files.
 */
function placeInFile({ line, column }: SourcePosition): number {
  return line * 0x10_0000 + column;
}

/**
 * Whether the file number, line and column are small enough to be stored. A negative value means that the actual number
 * is too large.
 */
export function isSmall({ file, line, column }: SourcePosition): boolean {
  return file >= 0 && line >= 0 && column >= 0;
}

/** The name of a section, with its dot. */
export function sectionName({ text }: DebugItem): string {
  return /^\.section\s+(\.\w+)/.exec(text)?.[1] ?? '';
}

/** A key that is the same for equal positions. */
export function keyOf({ file, line, column }: SourcePosition): string {
  return `${file} ${line} ${column}`;
}
