/** `.file`, `.loc` and the labels they name (PTX ISA 9.1, 11.5; verdicts as measured with ptxas 13.0). */
import type { Span } from '../base/span.ts';
import { diagnose } from '../diagnostics/diagnostic.ts';
import type { DebugItem, InlinedAt, LocationDirective } from '../syntax/tree.ts';
import type { Report } from './declarations.ts';

type Place = Pick<LocationDirective, 'file' | 'line' | 'column'>;

/** What the directives of a module say of its sources. */
export class DebugPlaces {
  /** Names of source files by their number. */
  readonly files: Map<number, string> = new Map();
  private readonly report: Report;
  /** Lines and columns that some `.loc` gave, by file. */
  private readonly given = new Map<number, Set<number>>();
  /** The sections as written. */
  private readonly sections: string[] = [];
  private first: Span | null = null;
  /** Where functions are named that were inlined. */
  private readonly named = new Map<string, Span>();

  constructor(report: Report) {
    this.report = report;
  }

  readFile(index: number, name: string, { start, end }: Span): void {
    if (this.files.has(index)) this.report(diagnose('PTX5028', { start, end }, { index: String(index) }));
    else this.files.set(index, name);
  }

  readSection({ text }: DebugItem): void {
    this.sections.push(text);
  }

  /** The place that inlined code stands at is one that was given before. */
  readLocation(location: LocationDirective): void {
    const { inlined, start, end } = location;
    this.first ??= { start, end };
    if (inlined !== null) this.readInlined(inlined, location);
    const known = this.given.get(location.file);
    if (known === undefined) this.given.set(location.file, new Set([keyOf(location)]));
    else known.add(keyOf(location));
  }

  private readInlined(inlined: InlinedAt, { start, end }: Span): void {
    const { file, line, column, functionName } = inlined;
    if (!this.named.has(functionName)) this.named.set(functionName, { start, end });
    if (this.given.get(file)?.has(keyOf(inlined)) === true) return;
    this.report(diagnose('PTX5029', { start, end }, { place: `${file} ${line} ${column}` }));
  }

  /** At the end of the module: a section may stand behind the functions that name its labels. */
  finish(): void {
    if (this.files.size === 0 && this.first !== null) this.report(diagnose('PTX5031', this.first, {}));
    if (this.named.size === 0) return;
    for (const [name, span] of this.named) {
      if (!this.sections.some((text) => declares(text, name))) this.report(diagnose('PTX5030', span, { name }));
    }
  }
}

/** One number for a line and a column; columns of real files are small. */
function keyOf({ line, column }: Place): number {
  return line * 0x10_0000 + column;
}

/** True for a section of that name, and for one with such a label. */
function declares(section: string, name: string): boolean {
  const [, own] = /^\.section\s+(\.\w+)/.exec(section) ?? [];
  if (own === name) return true;
  for (let at = section.indexOf(name); at >= 0; at = section.indexOf(name, at + 1)) {
    const isWord = /[\s{]/.test(section[at - 1] ?? '');
    if (isWord && /^\s*:/.test(section.slice(at + name.length, at + name.length + 20))) return true;
  }
  return false;
}
