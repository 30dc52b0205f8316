/**
 * Removes the findings that are suppressed by comments in the text, such as
 * `// ptxlab-ignore PTX4002 the target is chosen later`.
 */
import type { Diagnostic } from './diagnostic.ts';

const mark = 'ptxlab-ignore';

/** A range of the text in which findings with the given code are not reported. */
interface Suppression {
  readonly code: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The findings that no comment suppresses. A comment applies to its own line, or to the next line if nothing else is on
 * its line. A comment may contain several codes in a row; the rest of its text is the reason.
 */
export function withoutSuppressed(text: string, findings: readonly Diagnostic[]): readonly Diagnostic[] {
  if (findings.length === 0 || !text.includes(mark)) return findings;
  const suppressions = suppressionsIn(text);
  return findings.filter(
    ({ code, span }) =>
      !suppressions.some((one) => one.code === code && one.start <= span.start && span.start <= one.end),
  );
}

function suppressionsIn(text: string): readonly Suppression[] {
  const found: Suppression[] = [];
  for (const { 0: comment, index } of text.matchAll(/\/\/[ \t]*ptxlab-ignore((?:[ \t,]+PTX\d{4})+)[^\n]*/g)) {
    const start = text.lastIndexOf('\n', index) + 1;
    const own = index + comment.length;
    const isAlone = /^\s*$/.test(text.slice(start, index));
    const next = text.indexOf('\n', own + 1);
    const end = isAlone ? (next < 0 ? text.length : next) : own;
    for (const [code] of comment.matchAll(/PTX\d{4}(?=[ \t,]|$)/g)) found.push({ code, start, end });
  }
  return found;
}
