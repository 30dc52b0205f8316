/** What a module needs of version and target: everything it was seen to use. */
import type { Span } from '../base/span.ts';
import type { AvailabilityRow } from '../isa/form.ts';
import { attributeName, type Report } from './declarations.ts';
import { checkRow, type Feature, features, rowOfDirective } from './features.ts';
import type { Header } from './header.ts';
import type { Verdict } from './judge.ts';
import type { Declaration, FunctionItem } from '../syntax/tree.ts';

export class Needs {
  readonly rows: Set<AvailabilityRow> = new Set();
  private readonly verdicts = new Set<Verdict>();
  private readonly header: Header;
  private readonly report: Report;

  constructor(header: Header, report: Report) {
    this.header = header;
    this.report = report;
  }

  /** Remembers what a verdict needs; what it lacks it says itself. */
  met(verdict: Verdict): void {
    if (this.verdicts.has(verdict)) return;
    this.verdicts.add(verdict);
    for (const row of verdict.rows) this.rows.add(row);
  }

  feature(feature: Feature, span: Span): void {
    this.uses(features[feature], span);
  }

  /** A directive, linkage or attribute by its name; none for null. */
  directive(name: string | null, { start, end }: Span): void {
    const row = name === null ? null : rowOfDirective(name);
    if (row !== null) this.uses(row, { start, end });
  }

  /** What stands in the header of a function. */
  functionHeader(item: FunctionItem): void {
    const span: Span = { start: item.nameStart, end: item.nameEnd };
    this.directive(item.linkage, span);
    for (const attribute of item.attributes) this.attribute(attribute, span);
    for (const directive of item.tuning) {
      if (directive.strings.length > 0) this.pragmas(directive);
      else this.directive(directive.name, directive);
    }
    for (const { pointer, nameStart, nameEnd } of item.parameters) {
      if (pointer !== null) this.directive('.ptr', { start: nameStart, end: nameEnd });
    }
  }

  declaration({ linkage, attributes, spaceStart, spaceEnd }: Declaration): void {
    const span: Span = { start: spaceStart, end: spaceEnd };
    this.directive(linkage, span);
    for (const attribute of attributes) this.attribute(attribute, span);
  }

  private attribute(text: string, span: Span): void {
    this.directive(attributeName(text), span);
  }

  private uses(row: AvailabilityRow, span: Span): void {
    this.rows.add(row);
    checkRow(row, this.header.environment(span), span, this.report);
  }

  /** `.pragma` with its strings; what nobody dated is for whoever knows it. */
  pragmas({ strings, start, end }: Span & { readonly strings: readonly string[] }): void {
    this.directive('.pragma', { start, end });
    for (const text of strings) this.directive(`pragma '${text.trim().split(/\s/, 1)[0]}'`, { start, end });
  }
}
