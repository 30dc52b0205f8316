/** The functions of a document, and their places in its text. */
import type { Span } from '../base/span.ts';
import type { Chunk } from './chunk.ts';

export interface FunctionPlace extends Span {
  readonly name: string;
  readonly entry: boolean;
  /** The position of the function's name. */
  readonly selection: Span;
  /** The offset at which the header of the function ends and its body begins. */
  readonly headerEnd: number;
}

/** The functions with a body, in the order of the text. */
export function functionsIn(chunks: readonly Chunk[]): readonly FunctionPlace[] {
  const found: FunctionPlace[] = [];
  let open: FunctionPlace | null = null;
  for (const { outline, start } of chunks) {
    for (const part of outline) {
      if (part.kind === 'function') {
        const { name, entry, nameStart, nameEnd, start: own, end } = part.header;
        const selection = { start: start + nameStart, end: start + nameEnd };
        open = { name, entry, start: start + own, end: start + end, selection, headerEnd: start + end };
      } else if (part.kind === 'close' && part.ends === 'function' && open !== null) {
        found.push({ ...open, end: start + part.end });
        open = null;
      }
    }
  }
  return found;
}
