/** The settings of a workspace, which are read from `ptxlab.json`. */
import { anything, mapOf, mistakeIn, objectOf, oneOf, type Rule, textThat, validPart } from '../base/rules.ts';
import { isCode } from '../diagnostics/catalog.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isTargetName, isVersionName, type TargetName, type VersionName } from '../isa/targets.ts';
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

/** The contents of a `ptxlab.json`. */
interface SettingsFile {
  /** Only for editors; ptxlab ignores it. */
  readonly $schema?: unknown;
  readonly target?: TargetName;
  readonly isa?: VersionName;
  readonly severities?: Readonly<Record<string, Severity | 'off'>>;
  readonly pages?: string;
}

const settingsRule: Rule<SettingsFile> = objectOf<SettingsFile>({
  target: textThat('a target such as "sm_90a"', isTargetName),
  isa: textThat('a version of PTX, such as "8.6"', isVersionName),
  severities: mapOf(oneOf('error', 'warning', 'note', 'off'), textThat('the code of a finding', isCode)),
  pages: textThat('a web address', (value) => /^https?:/.test(value)),
  $schema: anything(),
});

export interface SettingsReading {
  /** The valid settings in the text. */
  readonly settings: Settings;
  /** The first mistake in the text; null if there is none. */
  readonly problem: string | null;
}

/** Reads the text of a `ptxlab.json`, such as `{"target": "sm_90a", "severities": {"PTX1022": "off"}}`. */
export function readSettings(text: string): SettingsReading {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { settings: noSettings, problem: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const mistake = mistakeIn(parsed, settingsRule);
  return {
    settings: settingsOf(validPart(parsed, settingsRule) ?? {}),
    problem: mistake === null ? null : `${mistake.path} ${mistake.words}`.trimStart(),
  };
}

function settingsOf({ target, isa, severities, pages }: SettingsFile): Settings {
  return {
    options: { ...(target === undefined ? {} : { target }), ...(isa === undefined ? {} : { isa }) },
    severities: new Map(Object.entries(severities ?? {})),
    pages: pages?.replace(/\/+$/, '') ?? null,
  };
}

/**
 * The findings in a text, with the severities that the settings assign. Leaves out findings that are turned off by the
 * settings or suppressed by comments in the text.
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
