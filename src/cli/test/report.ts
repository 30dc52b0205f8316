/** Turns the results of all tests into the output of `ptxlab test`, and determines its exit code. */
import { type ExitCode, worse } from '../exit.ts';
import type { Session } from '../session.ts';
import { type ColorChoice, columnsOf, styleFor } from '../style.ts';
import { renderResults, renderTable, type TestFormat } from './render.ts';
import type { CaseResult } from './run-case.ts';

export interface ReportFlags {
  readonly format: TestFormat;
  readonly color: ColorChoice;
}

export async function reportText(
  results: readonly CaseResult[],
  { format, color }: ReportFlags,
  { stdout, env }: Pick<Session, 'stdout' | 'env'>,
): Promise<string> {
  if (format !== 'table') return renderResults(results, format);
  return renderTable(results, await styleFor(color, stdout, env), columnsOf(stdout));
}

export function exitOf(results: readonly CaseResult[]): ExitCode {
  return results.reduce<ExitCode>((exit, { status }) => worse(exit, exits[status.kind]), 0);
}

const exits: Readonly<Record<CaseResult['status']['kind'], ExitCode>> = { passed: 0, failed: 1, error: 2 };
