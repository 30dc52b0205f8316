import type { Severity } from '../severity.ts';
import { catalogue } from '../catalogue.ts';
import type { FileReport } from './file-report.ts';

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** Renders findings as workflow commands, which GitHub Actions turns into annotations on the changed files. */
export function renderGithub(report: FileReport): string {
  const file = escapeProperty(report.source.name);
  let text = '';
  for (const { code, severity, message, help, span } of report.diagnostics) {
    const { line, column } = report.source.position(span.start);
    const end = report.source.position(span.end);
    const title = escapeProperty(`${code} ${catalogue[code].title}`);
    // GitHub accepts columns only if the annotation lies within one line.
    const columns = end.line === line ? `,col=${column},endColumn=${end.column}` : '';
    const place = `file=${file},line=${line},endLine=${end.line}${columns},title=${title}`;
    text += `::${commands[severity]} ${place}::${escapeData(help === null ? message : `${message}\n${help}`)}\n`;
  }
  return text;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
