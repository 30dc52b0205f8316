/** Moves findings when the text that they refer to becomes part of another text. */
import type { Span } from '../base/span.ts';
import type { Diagnostic } from './diagnostic.ts';

export function shiftedSpan({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}

/** Returns the finding with its span and the spans of its fixes moved by a number of characters. */
export function shifted(finding: Diagnostic, by: number): Diagnostic {
  const { span, fixes } = finding;
  const moved = fixes.map((fix) => ({
    ...fix,
    edits: fix.edits.map((edit) => ({ ...edit, span: shiftedSpan(edit.span, by) })),
  }));
  return { ...finding, span: shiftedSpan(span, by), fixes: moved };
}
