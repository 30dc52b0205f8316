import type { Span } from '../base/span.ts';

/** A replacement of the text of one span. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/**
 * How certain a fix is. `certain`: it keeps what the author meant, and no other change would make the program legal.
 * `possible`: it is a guess, or one of several ways.
 */
export type Applicability = 'certain' | 'possible';

/** Edits that make a program legal in at least one respect. */
export interface Fix {
  /** What the edits do, in the imperative: `Write mad.lo.u32`. */
  readonly title: string;
  readonly applicability: Applicability;
  /** They do not overlap, and are in the order of the text. */
  readonly edits: readonly Edit[];
}

/** A change to a module's header; null for a directive that stays the same. */
export interface HeaderChange {
  readonly version: string | null;
  readonly target: string | null;
}

/** A fix by one replacement. */
export function rewrite({ start, end }: Span, text: string, applicability: Applicability = 'possible'): Fix {
  const title = text === '' ? 'Remove this' : start === end ? `Insert '${text}'` : `Write ${text.trim()}`;
  return { title, applicability, edits: [{ span: { start, end }, text }] };
}

/** The text after some edits, which do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.span.start - a.span.start)
    .reduce((made, { span, text: fresh }) => made.slice(0, span.start) + fresh + made.slice(span.end), text);
}
