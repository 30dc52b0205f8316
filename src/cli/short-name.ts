/** Shortens the names of tensors. */
import { toCells } from '../diagnostics/renderers/printable.ts';

/**
 * Shortens a name to at most `room` columns. Words are shortened one after the other from the left, each down to its
 * first letter if necessary. Numbers and the last word are not shortened: `m.l.12.s.q_proj.weight`. If the result is
 * still too long, its middle is replaced by an ellipsis.
 */
export function shortName(name: string, room: number, isAscii: boolean): string {
  const parts = name.split('.');
  let excess = toCells(name).length - room;
  const short = parts.map((part, i) => {
    const letters = Array.from(part);
    if (excess <= 0 || i === parts.length - 1 || /^\d+$/.test(part)) return part;
    const kept = letters.slice(0, Math.max(1, letters.length - excess)).join('');
    excess -= toCells(part).length - toCells(kept).length;
    return kept;
  });
  return withoutMiddle(short.join('.'), room, isAscii ? '...' : '\u2026');
}

/** Keeps more of the end than of the start, because the end of a name is more informative. */
function withoutMiddle(text: string, room: number, ellipsis: string): string {
  const cells = toCells(text);
  if (cells.length <= room) return text;
  const start = Math.max(0, Math.floor((room - ellipsis.length) / 3));
  const end = Math.max(0, room - ellipsis.length - start);
  return cells.slice(0, start).join('') + ellipsis + cells.slice(cells.length - end).join('');
}
