/**
 * Limits how many errors are listed for one source text. Syntax errors have their own limit, at which the parser stops.
 */
import type { Span } from '../base/span.ts';
import { type Code, catalog } from '../diagnostics/catalog.ts';
import { type Diagnostic, diagnose } from '../diagnostics/diagnostic.ts';
import type { Report } from './report.ts';

/** Number of errors listed for one module, not counting syntax errors. */
export const errorLimit = 1000;

export class ErrorCap {
  private readonly sink: Report;
  private errors = 0;
  /** The first error that was not listed. */
  private after: Span | null = null;

  constructor(sink: Report) {
    this.sink = sink;
  }

  readonly report: Report = (diagnostic: Diagnostic) => {
    if (diagnostic.severity === 'error' && ++this.errors > errorLimit) this.after ??= diagnostic.span;
    else this.sink(diagnostic);
  };

  /**
   * Called before a diagnostic with this code is created. Returns true if the diagnostic is an error that is only
   * counted, because the limit on listed errors has been reached. If the result is false, the caller must create and
   * report the diagnostic.
   */
  readonly countsOnly = (code: Code): boolean => {
    if (this.after === null || catalog[code].severity !== 'error') return false;
    this.errors++;
    return true;
  };

  /** Reports how many errors were not listed, if any. */
  finish(): void {
    if (this.after === null) return;
    const parameters = { count: String(this.errors - errorLimit), limit: String(errorLimit) };
    this.sink(diagnose('PTX1022', this.after, parameters));
  }
}
