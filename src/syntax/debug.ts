/** Parses a module's debugging directives, which are kept as text. Source: PTX ISA 11.5. */
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { DebugItem } from './tree.ts';
import { integerTokenValue, readCount, readString } from './values.ts';

/** Parses `.file 1 "a.cu"`, optionally followed by a time stamp and a size. */
export function parseFile(r: Reader): DebugItem | null {
  const start = r.start;
  r.next();
  const index = readCount(r, 'the file number');
  if (index === null) return null;
  if (r.kind !== Token.String) return r.unexpected('the file name in quotes');
  const name = readString(r);
  const stamped = r.kind === Token.Comma;
  for (let extra = 0; extra < 2 && r.accept(Token.Comma); extra++) {
    if (r.kind !== Token.Integer) return r.unexpected('an integer');
    integerTokenValue(r);
    r.next();
  }
  return debugItem(r, start, { directive: '.file', file: { index, name, stamped } });
}

/** Parses `@@DWARF …`, the notation used before PTX 2.0. The rest of the line is not interpreted. */
export function parseDwarf(r: Reader): DebugItem | null {
  const start = r.start;
  r.next();
  if (r.startsLine() || !opensAssembly(r)) return r.unexpected('an assembler directive or a label');
  while (r.kind !== Token.End && !r.startsLine()) {
    if (r.kind === Token.OpenComment || r.kind === Token.OpenString) return r.unexpected('the rest of a line');
    r.next();
  }
  return debugItem(r, start, { directive: '@@DWARF' });
}

/**
 * Whether the current token starts a line of assembly code: a label, or a word that starts with a dot (including words
 * such as `.4byte`).
 */
function opensAssembly(r: Reader): boolean {
  if (r.source[r.start] === '.') return true;
  return r.accept(Token.Name) && r.kind === Token.Colon;
}

type DebugParts = Pick<DebugItem, 'directive'> & Partial<Pick<DebugItem, 'file' | 'misfits' | 'parts' | 'labels'>>;

export function debugItem(
  r: Reader,
  start: number,
  { directive, file = null, misfits = [], parts = [], labels = [] }: DebugParts,
): DebugItem {
  const end = r.previousEnd;
  const text = r.source.slice(start, end);
  return { kind: 'debug', start, end, directive, text, file, misfits, parts, labels };
}
