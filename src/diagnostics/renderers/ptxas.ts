import type { SourcePlace } from '../../base/source-place.ts';
import type { SourceText } from '../../base/source-text.ts';
import type { Span } from '../../base/span.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Severity } from '../severity.ts';
import { type FileReport, requireReport } from './file-report.ts';
import { printable } from './printable.ts';

const words: Readonly<Record<Severity, string>> = { error: 'error   ', warning: 'warning ', note: 'info    ' };

/**
 * Renders findings as ptxas prints them, followed by the closing line of ptxas if there is an error. By default,
 * positions in the PTX are printed. If the caller requested positions in the source file that the PTX was compiled
 * from, those positions are printed instead where they are known.
 */
export function renderPtxas(report: FileReport): string {
  requireReport(report);
  const { source, diagnostics, placeOf } = report;
  const text = diagnostics
    .map((found) => `${ptxasLine(source, found, placeOf?.(found.span.start) ?? null)}\n`)
    .join('');
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  return failed ? `${text}ptxas fatal   : Ptx assembly aborted due to errors\n` : text;
}

const noStorage = 'No variable storage specified';

/** Whether ptxas stops reading at this finding. */
export function isSyntaxError({ ptxas }: Diagnostic): boolean {
  return ptxas.startsWith('Parsing error') || ptxas === noStorage;
}

/**
 * Returns an offset in the line that ptxas reports for a finding. For a syntax error, this is the offset of the first
 * unexpected token, even if the finding points to the end of the preceding line because something is missing there. If
 * a state space is missing before a type, ptxas reports the error after it has read the name that follows the type. If
 * a name is declared twice, ptxas reports the error after it has read the second declaration.
 */
export function offsetOf(found: Diagnostic, { text }: SourceText): number {
  const { start, end } = found.span;
  const repeated = /^Duplicate definition of (function|label|variable)/.exec(found.ptxas)?.[1];
  if (repeated === 'function' || repeated === 'label' || repeated === 'variable')
    return repeatedAt(repeated, found.span, text);
  if (found.ptxas === noStorage) return text.length - text.slice(end).trimStart().length;
  const near = isSyntaxError(found) ? /near '([^']*)'/.exec(found.ptxas)?.[1] : undefined;
  if (near === undefined) return start;
  const index = near === '' ? text.length : text.indexOf(near, start);
  return index < 0 ? start : index;
}

/**
 * Returns an offset in the line that ptxas reports when a name is declared again. ptxas detects a repeated kernel at
 * the end of its parameters, a repeated function just before its body, and a repeated variable just before the token
 * after the name.
 *
 * @param span the name
 */
export function repeatedAt(what: 'function' | 'label' | 'variable', { start, end }: Span, text: string): number {
  const after = (wanted: RegExp): number => {
    const index = text.slice(end).search(wanted);
    return index < 0 ? start : end + index;
  };
  switch (what) {
    case 'label':
      return start;
    case 'function':
      return after(/\.entry\s+$/.test(text.slice(Math.max(0, start - 100), start)) ? /[){]/ : /[{;]/);
    case 'variable':
      return isInParentheses(text, start) ? start : after(/\S/);
  }
}

/** Whether an offset is in a list of parameters. */
function isInParentheses(text: string, offset: number): boolean {
  let at = offset - 1;
  while (at >= 0 && !'(){};'.includes(text.charAt(at))) at--;
  return text.charAt(at) === '(';
}

/**
 * One finding as ptxas prints it, without a line feed. If `place` is given, this position is printed instead of the
 * position in the PTX.
 */
export function ptxasLine(source: SourceText, found: Diagnostic, place: SourcePlace | null = null): string {
  const { severity, ptxas } = found;
  const line = place?.line ?? source.position(offsetOf(found, source)).line;
  const name = printable(place?.file ?? source.name);
  const text = ptxas.endsWith('at start of file') ? `${ptxas} '${source.name}'` : ptxas;
  return `ptxas ${name}, line ${line}; ${severityWord(severity, ptxas)}: ${printable(text)}`;
}

/** Matches errors after which ptxas does not continue. */
const fatal = /^(Parsing error|No variable storage|Unsupported \.|Missing \.)/;

function severityWord(severity: Severity, text: string): string {
  return severity === 'error' && fatal.test(text) ? 'fatal   ' : words[severity];
}
