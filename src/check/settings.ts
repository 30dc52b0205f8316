/** The settings of a workspace, which are read from `ptxlab.json`. */
import { joinWords } from '../base/join-words.ts';
import { at, isObject, type Json, textAt } from '../base/json-values.ts';
import { nearestWord } from '../base/nearest-word.ts';
import { isCode } from '../diagnostics/catalog.ts';
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

/**
 * Reads `{"target": "sm_90a", "isa": "8.6", "severities": {"PTX1022": "off"}}`. Whatever `problemInSettings` reports is
 * ignored.
 */
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
    if (isChoice(severity)) severities.set(code, severity);
  }
  const options = { ...(isTargetName(target) ? { target } : {}), ...(isVersionName(isa) ? { isa } : {}) };
  const pages = textAt(parsed, 'pages').replace(/\/+$/, '');
  return { options, severities, pages: /^https?:/.test(pages) ? pages : null };
}

const choices = ['error', 'warning', 'note', 'off'] as const;

function isChoice(value: unknown): value is Severity | 'off' {
  return choices.some((choice) => choice === value);
}

/** Returns what is wrong with the text of a `ptxlab.json`; null if it is valid. */
export function problemInSettings(text: string): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isObject(parsed)) return 'must contain an object';
  for (const [field, value] of Object.entries(parsed)) {
    const problem = problemInField(field, value);
    if (problem !== null) return problem;
  }
  return null;
}

const fields = ['target', 'isa', 'severities', 'pages'];

function problemInField(field: string, value: unknown): string | null {
  const shown = JSON.stringify(value).slice(0, 80);
  switch (field) {
    case '$schema':
      return null;
    case 'target':
      return typeof value === 'string' && isTargetName(value)
        ? null
        : `'target' must be a target such as "sm_90a"; found ${shown}`;
    case 'isa':
      return typeof value === 'string' && isVersionName(value)
        ? null
        : `'isa' must be a version of PTX, such as "8.6"; found ${shown}`;
    case 'pages':
      return typeof value === 'string' && /^https?:/.test(value)
        ? null
        : `'pages' must be a web address; found ${shown}`;
    case 'severities':
      return isObject(value) ? problemInSeverities(value) : `'severities' must be an object; found ${shown}`;
    default: {
      const near = nearestWord(field, fields);
      return `'${field.slice(0, 80)}' is unknown; ${near === null ? `known are ${fields.join(', ')}` : `did you mean '${near}'?`}`;
    }
  }
}

function problemInSeverities(severities: Json): string | null {
  for (const [code, severity] of Object.entries(severities)) {
    if (!isCode(code)) return `'${code.slice(0, 80)}' is not the code of a finding`;
    if (isChoice(severity)) continue;
    return `the severity of ${code} must be ${joinWords(choices, 'or')}; found ${JSON.stringify(severity).slice(0, 80)}`;
  }
  return null;
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
