/** What a module needs of version and target: everything it was seen to use. */
import type { Span } from '../base/span.ts';
import type { AvailabilityRow } from '../isa/form.ts';
import type { Report } from './declarations.ts';
import { checkFeature, type Feature, featureOfPragma, features } from './features.ts';
import type { Header } from './header.ts';
import type { Verdict } from './judge.ts';

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
    this.rows.add(features[feature]);
    checkFeature(feature, this.header.environment(span), span, this.report);
  }

  pragmas({ strings, start, end }: Span & { readonly strings: readonly string[] }): void {
    for (const text of strings) {
      const feature = featureOfPragma(text);
      if (feature !== null) this.feature(feature, { start, end });
    }
  }
}
