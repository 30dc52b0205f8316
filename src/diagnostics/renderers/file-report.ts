import { requireArgument } from '../../base/require.ts';
import { listOf, oneOf, type Rule, shaped, text, whole } from '../../base/rules.ts';
import type { SourcePlace } from '../../base/source-place.ts';
import { SourceText } from '../../base/source-text.ts';
import type { Span } from '../../base/span.ts';
import type { Diagnostic } from '../diagnostic.ts';

/** The findings about one text, in the order in which they are to be shown. */
export interface FileReport {
  readonly source: SourceText;
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Maps an offset in the PTX to the corresponding position in the source from which the PTX was compiled. This
   * position is shown if it is known.
   */
  readonly placeOf?: (offset: number) => SourcePlace | null;
}

const offset = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1');

const findings = listOf(
  shaped<Diagnostic>('a finding of check', {
    code: text,
    severity: oneOf('error', 'warning', 'note'),
    message: text,
    span: shaped<Span>('a span', { start: offset, end: offset }),
    help: textOrNull(),
    fixes: listOf(shaped('a fix', {})),
    accepted: listOf(shaped('a change of the header', {})),
    section: textOrNull(),
    ptxas: text,
  }),
);

const source: Rule<SourceText> = { takes: 'a SourceText', accepts: (value) => value instanceof SourceText };

function textOrNull(): Rule<string | null> {
  return { takes: 'a string or null', accepts: (value) => value === null || typeof value === 'string' };
}

/** @throws PtxlabError `argument-type` if the argument is not a list of findings like those that `check` returns */
export function requireFindings(found: readonly Diagnostic[]): void {
  requireArgument('the findings', found, findings);
}

/** @throws PtxlabError `argument-type` if the argument is not an object with a source text and its findings */
export function requireReport(report: FileReport): void {
  requireArgument('the report', report, shaped('an object with source and diagnostics', {}));
  requireArgument('the source of the report', report.source, source);
  requireFindings(report.diagnostics);
}
