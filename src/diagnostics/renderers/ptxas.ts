import type { Severity } from '../severity.ts';
import type { FileReport } from './file-report.ts';
import { printable } from './printable.ts';

const words: Readonly<Record<Severity, string>> = { error: 'error   ', warning: 'warning ', note: 'info    ' };

/** Renders findings as ptxas prints them, with its closing line if there is an error. */
export function renderPtxas(report: FileReport): string {
  const name = printable(report.source.name);
  let text = '';
  let failed = false;
  for (const { span, severity, ptxas } of report.diagnostics) {
    failed ||= severity === 'error';
    const { line } = report.source.position(span.start);
    text += `ptxas ${name}, line ${line}; ${severityWord(severity, ptxas)}: ${printable(ptxas)}\n`;
  }
  return failed ? `${text}ptxas fatal   : Ptx assembly aborted due to errors\n` : text;
}

/** ptxas stops at a syntax error and calls it fatal. */
function severityWord(severity: Severity, text: string): string {
  return text.startsWith('Parsing error') ? 'fatal   ' : words[severity];
}
