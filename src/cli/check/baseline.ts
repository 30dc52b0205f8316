/**
 * Findings that were accepted earlier, so that `check` fails on new ones only. A finding is identified by its file,
 * target and code, and by the text of the line in which it occurs. It is therefore still recognized if lines move, or
 * if a compiler numbers registers and labels differently.
 */
import { listOf, objectOf, type Rule, text, whole } from '../../base/rules.ts';
import type { SourceText } from '../../base/source-text.ts';
import type { CheckReport } from '../../check/check.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { parseFile, requireRule } from '../json-file.ts';

/** One or more findings of the same kind. */
interface AcceptedFindings {
  readonly file?: string;
  readonly target?: string;
  readonly code?: string;
  /**
   * The line of code. In names that start with `%` or `$`, each number is replaced by `#`, because compilers assign
   * these numbers.
   */
  readonly text?: string;
  readonly count?: number;
}

interface BaselineFile {
  readonly version?: number;
  readonly findings?: readonly AcceptedFindings[];
}

const baselineRule: Rule<BaselineFile> = objectOf<BaselineFile>({
  version: whole(1, '1', 1),
  findings: listOf(
    objectOf<AcceptedFindings>({ file: text, target: text, code: text, text, count: whole(2 ** 31, '2^31') }),
    'a list of findings',
  ),
});

/** A report, together with the file and the source text in which its findings occur. */
export interface FindingPlace {
  /** The name of the file in the baseline. */
  readonly file: string;
  readonly source: SourceText;
  readonly report: CheckReport;
}

export class Baseline {
  /** The number of findings of each kind that can still be accepted. */
  private readonly left = new Map<string, number>();

  /** @param contents the text of a baseline file; messages refer to the file as `name` */
  constructor(contents: string, name: string) {
    const parsed = parseFile(contents, name);
    requireRule(parsed, baselineRule, name);
    for (const { file = '', target = '', code = '', text: line = '', count = 1 } of parsed.findings ?? []) {
      const key = keyOf({ file, target, code, text: line });
      this.left.set(key, (this.left.get(key) ?? 0) + count);
    }
  }

  /**
   * Returns the findings in a report, except for those that the baseline accepts. If the same finding occurs more often
   * than in the baseline, the additional findings are new.
   */
  newFindings(place: FindingPlace): readonly Diagnostic[] {
    return place.report.diagnostics.filter((found) => {
      const key = keyOf(kindOf(found, place));
      const left = this.left.get(key) ?? 0;
      if (left > 0) this.left.set(key, left - 1);
      return left === 0;
    });
  }
}

/** The text of a baseline file that accepts all findings of these reports. */
export function baselineText(places: readonly FindingPlace[]): string {
  const kinds = new Map<string, { readonly kind: Kind; count: number }>();
  for (const place of places) {
    for (const found of place.report.diagnostics) {
      const kind = kindOf(found, place);
      const key = keyOf(kind);
      const known = kinds.get(key);
      if (known === undefined) kinds.set(key, { kind, count: 1 });
      else known.count++;
    }
  }
  const sorted = [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const findings = sorted.map(([, { kind, count }]) => ({ ...kind, count }));
  return `${JSON.stringify({ version: 1, findings }, null, 2)}\n`;
}

type Kind = Required<Omit<AcceptedFindings, 'count'>>;

function kindOf({ code, span }: Diagnostic, { file, source, report }: FindingPlace): Kind {
  const start = source.text.lastIndexOf('\n', span.start - 1) + 1;
  const end = source.text.indexOf('\n', span.start);
  const line = source.text.slice(start, end < 0 ? undefined : end);
  const bare = line
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[%$][\w$]*/g, (name) => name.replace(/\d+/g, '#'));
  return { file, target: report.requirements.target, code, text: bare };
}

function keyOf({ file, target, code, text: line }: Kind): string {
  return JSON.stringify([file, target, code, line]);
}
