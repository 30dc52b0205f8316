import type { Span } from '../../base/span.ts';
import type { Severity } from '../severity.ts';
import { catalog } from '../catalog.ts';
import { type FileReport, requireReport } from './file-report.ts';

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** Renders findings as workflow commands, which GitHub Actions turns into annotations on the changed files. */
export function renderGithub(report: FileReport): string {
  requireReport(report);
  let text = '';
  for (const { code, severity, message, help, span } of report.diagnostics) {
    const title = escapeProperty(`${code} ${catalog[code].title}`);
    text += `::${commands[severity]} ${placeOf(report, span)},title=${title}::${escapeData(help === null ? message : `${message}\n${help}`)}\n`;
  }
  return text;
}

/**
 * If it was requested and is known, the position in the file that was compiled to PTX; otherwise, the position in the
 * PTX.
 */
function placeOf({ source, placeOf: sourceOf }: FileReport, span: Span): string {
  const place = sourceOf?.(span.start) ?? null;
  if (place !== null) {
    const { file, line, column } = place;
    return `file=${escapeProperty(file)},line=${line}${column === 0 ? '' : `,col=${column}`}`;
  }
  const { line, column } = source.position(span.start);
  const end = source.position(span.end);
  // GitHub accepts columns only if the annotation lies within one line.
  const columns = end.line === line ? `,col=${column},endColumn=${end.column}` : '';
  return `file=${escapeProperty(source.name)},line=${line},endLine=${end.line}${columns}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
