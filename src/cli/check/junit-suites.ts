/** The findings of `check` as test cases: one suite for each file, and one case for each finding. */
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { FileReport } from '../../diagnostics/renderers/file-report.ts';
import type { JUnitCase, JUnitSuite } from '../../diagnostics/renderers/junit.ts';

/**
 * Errors become failed cases. Warnings and notes become passed cases whose output is the finding. A file without
 * findings has a single passed case.
 */
export function junitSuites(reports: readonly FileReport[]): readonly JUnitSuite[] {
  return reports.map((report) => {
    const { name } = report.source;
    const found = report.diagnostics.map((diagnostic) => caseOf(diagnostic, report));
    const none: JUnitCase = { name: 'no findings', classname: name, seconds: 0, problem: null, output: [] };
    return { name, cases: found.length === 0 ? [none] : found };
  });
}

function caseOf({ code, severity, message, help, span }: Diagnostic, { source }: FileReport): JUnitCase {
  const { line, column } = source.position(span.start);
  const place = `${source.name}:${line}:${column}`;
  const lines = [message, `${place}: ${code}`, ...(help === null ? [] : [`help: ${help}`])];
  return {
    name: `${code} at ${line}:${column}`,
    classname: source.name,
    seconds: 0,
    problem: severity === 'error' ? { kind: 'failed', lines } : null,
    output: severity === 'error' ? [] : [`${severity}: ${message}`, ...lines.slice(1)],
  };
}
