import type { SourceText } from '../../base/source-text.ts';
import type { Span } from '../../base/span.ts';
import { type Cells, toCells } from './printable.ts';

/**
 * The line on which a span begins, shortened to the available width, and the position of the span in the shortened
 * line.
 */
export interface Frame {
  /** The line number, counted as in `SourceText.position`. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** The number of columns before the first marked column. At least one column is always marked. */
  readonly caretStart: number;
  readonly caretWidth: number;
}

const ellipsis = '\u2026';

/**
 * Extracts the frame of a span. Only the part of the line that can be shown is examined, so that very long lines take
 * no extra time.
 */
export function frameOf(source: SourceText, span: Span, width: number): Frame {
  const { line, column } = source.position(span.start);
  const lineStart = span.start - column + 1;
  const from = Math.max(lineStart, span.start - 2 * width);
  const to = lineEnd(source.text, span.start, span.start + 2 * width);
  const before = toCells(source.text.slice(from, span.start));
  const marked = toCells(source.text.slice(span.start, Math.min(span.end, to)), before.length);
  const after = toCells(
    source.text.slice(Math.max(span.start, Math.min(span.end, to)), to),
    before.length + marked.length,
  );
  const cells = [...before, ...marked, ...after];
  const caretWidth = Math.max(marked.length, 1);
  const isWhole = from === lineStart && to < span.start + 2 * width && cells.length <= width;
  if (isWhole) return { line, column, text: cells.join(''), caretStart: before.length, caretWidth };
  return { line, column, ...cut(cells, before.length, caretWidth, width) };
}

function lineEnd(text: string, start: number, limit: number): number {
  let end = start;
  const last = Math.min(limit, text.length);
  while (end < last && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end++;
  return end;
}

/** Cuts the line to `width` columns around the caret, and puts an ellipsis wherever text was removed. */
function cut(cells: Cells, caretStart: number, caretWidth: number, width: number): Omit<Frame, 'line' | 'column'> {
  const margin = Math.max(2, (width - caretWidth) >> 1);
  // The caret may be at the position after the last character, which therefore needs a column of its own.
  const end = Math.max(cells.length, caretStart + 1);
  const left = Math.max(0, Math.min(caretStart - margin, end - width));
  const right = Math.min(cells.length, left + width);
  const shown = cells.slice(left, right);
  if (left > 0) shown[0] = ellipsis;
  if (right < cells.length) shown[shown.length - 1] = ellipsis;
  const start = caretStart - left;
  return { text: shown.join(''), caretStart: start, caretWidth: Math.min(caretWidth, width - start) };
}
