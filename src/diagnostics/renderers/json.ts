import type { SourceText } from '../../base/source-text.ts';
import { requireReport } from './file-report.ts';
import type { Code } from '../catalog.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Severity } from '../severity.ts';

/**
 * A finding as it appears in JSON. Lines and columns are counted from 1, columns are counted in UTF-16 units, and ends
 * are exclusive.
 */
export interface DiagnosticRecord {
  readonly code: Code;
  readonly severity: Severity;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
  readonly help: string | null;
}

/** Converts a finding to its JSON form, with positions instead of offsets. */
export function diagnosticRecord(source: SourceText, diagnostic: Diagnostic): DiagnosticRecord {
  requireReport({ source, diagnostics: [diagnostic] });
  const { code, severity, message, help, span } = diagnostic;
  const { line, column } = source.position(span.start);
  const end = source.position(span.end);
  return { code, severity, line, column, endLine: end.line, endColumn: end.column, message, help };
}
