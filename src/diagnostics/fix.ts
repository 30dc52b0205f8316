import type { Span } from '../base/span.ts';

/** Replaces the text of one span with new text. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/**
 * How certain a fix is. `certain`: the fix preserves what the author meant, and no other change would make the program
 * legal. `possible`: the fix is a guess, or one of several possible fixes.
 */
export type Applicability = 'certain' | 'possible';

/** A set of edits that corrects at least one mistake in a program. */
export interface Fix {
  /** What the edits do, phrased as an instruction to the user, such as `Write mad.lo.u32`. */
  readonly title: string;
  readonly applicability: Applicability;
  /** The edits do not overlap and are sorted by position. */
  readonly edits: readonly Edit[];
}

/** A change to a module's header. A field is null if its directive does not change. */
export interface HeaderChange {
  readonly version: string | null;
  readonly target: string | null;
}

/** Creates a fix that replaces the text of one span. */
export function rewrite({ start, end }: Span, text: string, applicability: Applicability = 'possible'): Fix {
  const title = text === '' ? 'Remove this' : start === end ? `Insert '${text}'` : `Write ${text.trim()}`;
  return { title, applicability, edits: [{ span: { start, end }, text }] };
}

/** Applies edits to the text and returns the edited text. The edits must not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.span.start - a.span.start)
    .reduce((made, { span, text: fresh }) => made.slice(0, span.start) + fresh + made.slice(span.end), text);
}
