/** The settings of a workspace, which are read from `ptxlab.json`. */
import { at, isObject, textAt } from '../base/json-values.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isTargetName, isVersionName } from '../isa/targets.ts';
import { withoutSuppressed } from '../diagnostics/suppressed.ts';
import type { Severity } from '../diagnostics/severity.ts';
import type { JudgeOptions } from './judge-options.ts';

export interface Settings {
  readonly options: JudgeOptions;
  /** Maps the codes of findings to the severities that the settings assign to them. */
  readonly severities: ReadonlyMap<string, Severity | 'off'>;
  /**
   * The base address of the web pages that explain the codes of findings, such as `https://example.org/why`; null if
   * there are no such pages.
   */
  readonly pages: string | null;
}

export const noSettings: Settings = { options: {}, severities: new Map(), pages: null };

/** Reads `{"target": "sm_90a", "isa": "8.6", "severities": {"PTX1022": "off"}}`; unknown fields are ignored. */
export function readSettings(text: string): Settings {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return noSettings;
  }
  const target = textAt(parsed, 'target');
  const isa = textAt(parsed, 'isa');
  const severities = new Map<string, Severity | 'off'>();
  const named = at(parsed, 'severities');
  for (const [code, severity] of isObject(named) ? Object.entries(named) : []) {
    if (severity === 'error' || severity === 'warning' || severity === 'note' || severity === 'off') {
      severities.set(code, severity);
    }
  }
  const options = { ...(isTargetName(target) ? { target } : {}), ...(isVersionName(isa) ? { isa } : {}) };
  const pages = textAt(parsed, 'pages').replace(/\/+$/, '');
  return { options, severities, pages: /^https?:/.test(pages) ? pages : null };
}

/**
 * The findings in a text, with the severities that the settings assign. Findings that the settings turn off or that
 * comments in the text suppress are left out.
 */
export function withSettings(findings: readonly Diagnostic[], text: string, settings: Settings): readonly Diagnostic[] {
  return withoutSuppressed(text, withSeverities(findings, settings));
}

/** The findings, with the severity that the settings assign to each code. */
function withSeverities(findings: readonly Diagnostic[], { severities }: Settings): readonly Diagnostic[] {
  if (severities.size === 0) return findings;
  return findings.flatMap((finding) => {
    const severity = severities.get(finding.code) ?? finding.severity;
    return severity === 'off' ? [] : [{ ...finding, severity }];
  });
}
