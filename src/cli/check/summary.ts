/** The summary of `ptxlab check`, for stderr. */
import { joinWords } from '../../base/join-words.ts';
import type { CheckReport } from '../../check/check.ts';
import type { Severity } from '../../diagnostics/severity.ts';
import { printable } from '../../diagnostics/renderers/printable.ts';
import { wrap } from '../../diagnostics/renderers/wrap.ts';
import { groupAcceptance } from '../../explain/targets.ts';
import { plural } from '../number-text.ts';
import { isAcceptedSomewhere, type Judged } from './report.ts';

/**
 * Summarizes the findings for each target that a file was checked for, and lists the versions and targets that accept
 * the file.
 */
export function summarize(judged: readonly Judged[], width: number): string {
  const lines = judged.flatMap(({ source, report }) => {
    const { version, target } = report.requirements;
    const heading = `${printable(source.name)}: ${countFindings(report)} for ${target} at PTX ${version}`;
    return isAcceptedSomewhere(report) ? [heading, `  ${lowestVersion(report)}`] : [heading];
  });
  // The list of targets that accept a file is the same in all reports on this file, no matter which target the file was
  // checked for.
  const accepted = judged.find(({ report }) => isAcceptedSomewhere(report));
  if (accepted !== undefined) lines.push(...acceptedBy(accepted.report, width));
  return `${lines.join('\n')}\n`;
}

function lowestVersion({ requirements }: CheckReport): string {
  const { minimumVersion, target, unchecked } = requirements;
  if (minimumVersion === null) return `no .version accepts it on ${target}`;
  return `lowest .version on ${target}: ${minimumVersion}${unchecked.length > 0 ? ' or later' : ''}`;
}

/** Warnings about 32-bit addresses. ptxas accepts such addresses only if it does not generate code. */
const shortAddresses: ReadonlySet<string> = new Set(['PTX3027', 'PTX3030', 'PTX4021']);

function acceptedBy({ requirements, diagnostics }: CheckReport, width: number): readonly string[] {
  const { unchecked } = requirements;
  if (unchecked.length > 0) {
    const text = `accepted by: unknown, because ${joinWords(unchecked, 'and')} ${unchecked.length === 1 ? 'is' : 'are'} not checked`;
    return wrap(text, width - 2).map((line) => `  ${line}`);
  }
  const groups = groupAcceptance(requirements.targets).map(({ since, words }) => `${words} from ${since}`);
  const isShort = diagnostics.some(({ code }) => shortAddresses.has(code));
  const but = isShort ? '; ptxas generates no code for 32-bit addresses' : '';
  return wrap(`accepted by: ${groups.join('; ') || 'no target'}${but}`, width - 2).map((line) => `  ${line}`);
}

const severities: readonly Severity[] = ['error', 'warning', 'note'];

/** `2 errors, 1 warning`, or `no findings`. */
export function countFindings(report: CheckReport): string {
  const counts = severities.flatMap((severity) => {
    const count = report.diagnostics.filter((found) => found.severity === severity).length;
    return count === 0 ? [] : [plural(count, severity)];
  });
  return counts.join(', ') || 'no findings';
}
