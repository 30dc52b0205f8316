/** Formats the results of kernel tests for display and for other programs. */
import { type JUnitSuite, renderJUnit } from '../../diagnostics/renderers/junit.ts';
import { printable, toCells } from '../../diagnostics/renderers/printable.ts';
import type { Style } from '../../diagnostics/renderers/style.ts';
import { wrap } from '../../diagnostics/renderers/wrap.ts';
import { displayName } from '../io.ts';
import { plural } from '../number-text.ts';
import type { CaseResult, CaseStatus } from './run-case.ts';
import { caseName } from './suite.ts';

export type TestFormat = 'table' | 'junit' | 'tap' | 'json';

const words: Readonly<Record<CaseStatus['kind'], string>> = { passed: 'pass', failed: 'FAIL', error: 'ERROR' };

/** The lines of all findings; empty for a test that passed. */
function linesOf(status: CaseStatus): readonly string[] {
  switch (status.kind) {
    case 'passed':
      return [];
    case 'failed':
      return status.findings.flat();
    case 'error':
      return [status.message];
  }
}

// --- table ----------------------------------------------------------------------------------------------------------

export function renderTable(results: readonly CaseResult[], style: Style, width: number): string {
  const names = results.map(({ one }) => printable(caseName(one)));
  const widest = Math.min(Math.max(...names.map((name) => toCells(name).length)), width - 22);
  const lines: string[] = [];
  let suite: string | null = null;
  for (const [i, result] of results.entries()) {
    if (result.one.suite !== suite) lines.push(style.strong(displayName((suite = result.one.suite))));
    lines.push(...resultLines(result, names[i] ?? '', widest, style, width));
  }
  return `${[...lines, '', summary(results)].join('\n')}\n`;
}

function resultLines(
  { status, milliseconds, updated }: CaseResult,
  name: string,
  widest: number,
  style: Style,
  width: number,
): readonly string[] {
  const word = words[status.kind].padEnd(5);
  const shown = status.kind === 'passed' ? word : style.error(word);
  const time = `${milliseconds.toFixed(0)} ms`.padStart(9);
  const padding = ' '.repeat(Math.max(0, widest - toCells(name).length));
  const details = [...linesOf(status), ...updated.map((file) => `wrote ${file}`)];
  return [
    `  ${shown}  ${name}${padding}  ${time}`,
    ...details.flatMap((line) =>
      wrap(line, width - 9).map((part, i) => `${i === 0 ? '' : '  '}         ${printable(part)}`),
    ),
  ];
}

/** `11 passed, 1 failed`. */
function summary(results: readonly CaseResult[]): string {
  const count = (kind: CaseStatus['kind']): number => results.filter(({ status }) => status.kind === kind).length;
  const errors = count('error');
  const parts = [
    `${count('passed')} passed`,
    `${count('failed')} failed`,
    ...(errors === 0 ? [] : [plural(errors, 'error')]),
  ];
  return parts.join(', ');
}

// --- other formats --------------------------------------------------------------------------------------------------

export function renderResults(results: readonly CaseResult[], format: 'junit' | 'tap' | 'json'): string {
  switch (format) {
    case 'junit':
      return renderJUnit(suitesOf(results));
    case 'tap':
      return tapOf(results);
    case 'json':
      return `${JSON.stringify(recordOf(results), null, 2)}\n`;
  }
}

function suitesOf(results: readonly CaseResult[]): readonly JUnitSuite[] {
  const suites = [...new Set(results.map(({ one }) => one.suite))];
  return suites.map((suite) => ({
    name: displayName(suite),
    cases: results
      .filter(({ one }) => one.suite === suite)
      .map(({ one, status, milliseconds }) => ({
        name: caseName(one),
        classname: displayName(suite),
        seconds: milliseconds / 1000,
        problem: status.kind === 'passed' ? null : { kind: status.kind, lines: linesOf(status) },
        output: [],
      })),
  }));
}

/** Formats the results according to the Test Anything Protocol, version 14. */
function tapOf(results: readonly CaseResult[]): string {
  const lines = results.flatMap(({ one, status }, i) => {
    const name = `${displayName(one.suite)}: ${printable(caseName(one))}`.replace(/[\\#]/g, '\\$&');
    if (status.kind === 'passed') return [`ok ${i + 1} - ${name}`];
    const texts = linesOf(status).map((line) => `    - ${JSON.stringify(line)}`);
    return [
      `not ok ${i + 1} - ${name}`,
      '  ---',
      `  severity: ${status.kind === 'error' ? 'error' : 'fail'}`,
      '  findings:',
      ...texts,
      '  ...',
    ];
  });
  return `${['TAP version 14', `1..${results.length}`, ...lines].join('\n')}\n`;
}

function recordOf(results: readonly CaseResult[]): object {
  return {
    ok: results.every(({ status }) => status.kind === 'passed'),
    tests: results.map(({ one, status, milliseconds, updated }) => ({
      suite: displayName(one.suite),
      name: one.name,
      gpu: one.gpu,
      target: one.target,
      status: status.kind,
      milliseconds,
      findings: linesOf(status),
      updated,
    })),
  };
}
