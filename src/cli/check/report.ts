/** The result of `ptxlab check` for a file. */
import { append } from '../../base/append.ts';
import type { SourcePlace } from '../../base/source-place.ts';
import type { SourceText } from '../../base/source-text.ts';
import type { CheckReport } from '../../check/check.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { FileReport } from '../../diagnostics/renderers/file-report.ts';
import { diagnosticRecord } from '../../diagnostics/renderers/json.ts';

/** A file checked for one target. */
export interface Judged {
  readonly source: SourceText;
  readonly report: CheckReport;
}

/** Applies `-Werror`: turns warnings into errors, so that a module with warnings is rejected. */
export function withWarningsAsErrors(report: CheckReport): CheckReport {
  const raise = (found: Diagnostic): Diagnostic =>
    found.severity === 'warning' ? { ...found, severity: 'error' } : found;
  return { ...report, diagnostics: report.diagnostics.map(raise) };
}

/** True if there are no errors. */
export function isAccepted(report: CheckReport): boolean {
  return report.diagnostics.every(({ severity }) => severity !== 'error');
}

/**
 * One report per file. A finding that applies to all targets appears once; the message of any other finding lists its
 * targets.
 */
export function mergeAll(judged: readonly Judged[]): readonly FileReport[] {
  const bySource = new Map<SourceText, Judged[]>();
  for (const one of judged) {
    append(bySource, one.source, one);
  }
  return [...bySource].map(([source, reports]) => ({ source, diagnostics: mergeTargets(reports) }));
}

function mergeTargets(judged: readonly Judged[]): readonly Diagnostic[] {
  const [only] = judged;
  if (judged.length === 1 && only !== undefined) return only.report.diagnostics;
  const found = new Map<string, { readonly diagnostic: Diagnostic; readonly targets: string[] }>();
  for (const { report } of judged) {
    for (const diagnostic of report.diagnostics) {
      const { code, span, message } = diagnostic;
      const key = `${span.start} ${span.end} ${code} ${message}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { diagnostic, targets: [report.requirements.target] });
      else known.targets.push(report.requirements.target);
    }
  }
  const merged = [...found.values()].map(({ diagnostic, targets }) => nameTargets(diagnostic, targets, judged.length));
  return merged.sort((a, b) => a.span.start - b.span.start);
}

/**
 * Extends the message of a finding with the names of the targets to which the finding applies. Does nothing if the
 * finding applies to all targets, or if its message already mentions them.
 */
function nameTargets(diagnostic: Diagnostic, targets: readonly string[], all: number): Diagnostic {
  if (targets.length === all || targets.every((target) => diagnostic.message.includes(target))) return diagnostic;
  return { ...diagnostic, message: `${diagnostic.message} (for ${targets.join(', ')})` };
}

/** The output of `--format json` for a file and a target. If `placeOf` is given, findings include their source line. */
export function jsonRecord(
  { source, report }: Judged,
  placeOf: ((offset: number) => SourcePlace | null) | null,
): object {
  const { requirements } = report;
  const accepted = isAcceptedSomewhere(report);
  return {
    file: source.name,
    version: requirements.version,
    target: requirements.target,
    ok: isAccepted(report),
    diagnostics: report.diagnostics.map((diagnostic) => ({
      ...diagnosticRecord(source, diagnostic),
      ...(placeOf === null ? {} : { source: placeOf(diagnostic.span.start) }),
    })),
    minimumVersion: accepted ? requirements.minimumVersion : null,
    targets: accepted ? requirements.targets : [],
    unchecked: requirements.unchecked,
  };
}

/** True if all findings concern versions and targets, so that other versions or targets might accept the module. */
export function isAcceptedSomewhere(report: CheckReport): boolean {
  return report.diagnostics.every(({ severity, code }) => severity !== 'error' || code.startsWith('PTX4'));
}
