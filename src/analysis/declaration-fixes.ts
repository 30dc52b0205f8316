/** Fixes that declare a register. */
import type { Span } from '../base/span.ts';
import { familyIndex } from '../check/symbols.ts';
import type { Fix } from '../diagnostics/fix.ts';
import type { TypeName } from '../isa/types.ts';
import type { ChunkList } from './chunk-list.ts';
import type { Declared, Names, PlacedScope } from './names.ts';
import type { References } from './references.ts';

/**
 * Declares the name at a position as a register of the given type, or extends the register family to which the name
 * belongs.
 */
export function declarationFix(
  place: Span,
  type: TypeName,
  list: ChunkList,
  names: Names,
  references: References,
): Fix | null {
  const name = list.slice(place.start, place.end);
  if (!/^%?[A-Za-z_$][\w$]*$/.test(name)) return null;
  let root = names.scopeAt(place.start);
  while (root?.parent != null) root = root.parent;
  if (root === null) return null;
  const digits = familyIndex(name);
  return largerRange(name, digits, list, root) ?? ownDeclaration(name, type, list, root, references);
}

const mostRegisters = 100_000;

function largerRange(name: string, digits: number, list: ChunkList, root: PlacedScope): Fix | null {
  const stem = name.slice(0, digits);
  const family = digits === 0 ? undefined : root.families.find(({ symbol }) => symbol.name === stem);
  const number = Number(name.slice(digits));
  if (family === undefined || number >= mostRegisters) return null;
  const { end } = family;
  const written = /^(\s*<\s*)(\d+)/.exec(list.slice(end, Math.min(list.length, end + 40)));
  if (written === null) return null;
  const start = end + (written[1] ?? '').length;
  const span = { start, end: start + (written[2] ?? '').length };
  const title = `Declare ${stem}0 to ${name}`;
  return { title, applicability: 'possible', edits: [{ span, text: String(number + 1) }] };
}

/**
 * Declares the register separately, after the other registers of the function or at the start of the function's body.
 */
function ownDeclaration(
  name: string,
  type: TypeName,
  list: ChunkList,
  root: PlacedScope,
  references: References,
): Fix | null {
  const last = lastRegister(root);
  const at = last === null ? references.bodyStart(root.start) : references.endOfStatement(last.start);
  if (at === null || at > list.length) return null;
  const edits = [{ span: { start: at, end: at }, text: `\n\t.reg ${type} \t${name};` }];
  return { title: `Declare ${name} as ${type}`, applicability: 'possible', edits };
}

function lastRegister({ families, names }: PlacedScope): Declared | null {
  let last: Declared | null = null;
  for (const declared of [...families, ...names.values()]) {
    if (declared.symbol.kind === 'register' && (last === null || declared.start > last.start)) last = declared;
  }
  return last;
}
