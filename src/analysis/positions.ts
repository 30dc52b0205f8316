/** Lines and columns of a text that is divided into chunks. */
import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import type { Position } from '../base/span.ts';
import type { ChunkList } from './chunk-list.ts';

/** Line and column of an offset, both counted from 1. */
export function positionOf(offset: number, list: ChunkList): Position {
  const chunk = list.at(offset);
  const { line, column } = chunk.lines.position(Math.max(offset - chunk.start, 0));
  return { line: chunk.line + line, column: line > 1 ? column : chunk.openLine + column };
}

/**
 * Returns the offset that corresponds to a line and column. If the column is past the end of the line, the result is
 * the end of the line; if the text has too few lines, it is the end of the text.
 */
export function offsetOf({ line, column }: Position, list: ChunkList): number {
  const start = lineStart(line, list);
  const text = list.slice(start, lineStart(line + 1, list)).replace(/[\r\n]+$/, '');
  return start + Math.min(column - 1, text.length);
}

/** The offset at which a line starts; the end of the text if there is no such line. */
function lineStart(line: number, { chunks, length }: ChunkList): number {
  const count = leadingCount(chunks.length, (i) => elementAt(chunks, i).line < line - 1);
  const chunk = chunks[count - 1];
  if (chunk === undefined) return 0;
  const ends = line - 1 - chunk.line;
  return ends > chunk.lineEnds ? length : chunk.start + chunk.lines.lineStart(ends + 1);
}
