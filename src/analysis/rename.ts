/** Renames a register, label, variable or function. */
import type { Edit } from '../diagnostics/fix.ts';
import { findRegister } from '../isa/find-register.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Names } from './names.ts';
import { type Entity, exactly, numbered, type References } from './references.ts';

/** The edits that rename an entity, or the reason why it cannot be renamed. */
export type Renaming = Result<readonly Edit[], string>;

const identifier: RegExp = /^(?:[A-Za-z][\w$]*|[_$%][\w$]+)$/;

/** The reason why an entity cannot be renamed at all; null if it can be renamed. */
export function whyFixed({ declared: { symbol } }: Entity): string | null {
  const isElsewhere = (symbol.kind === 'function' || symbol.kind === 'variable') && symbol.linkage === '.extern';
  return isElsewhere ? `'${symbol.name}' is defined in another module` : null;
}

/**
 * Renames an entity. If the entity is a member of a register family, a separate declaration is added for it after the
 * declaration of the family.
 */
export function rename(entity: Entity, name: string, references: References, names: Names): Renaming {
  const why = whyFixed(entity) ?? whyTaken(entity, name, references, names);
  if (why !== null) return err(why);
  const { symbol, start } = entity.declared;
  const places = references.placesOf(entity);
  if (places.some((place) => names.resolve(name, place.start) !== null)) return err(`'${name}' is already used here`);
  if (symbol.kind !== 'register' || symbol.count === null || entity.isFamily) {
    const stem = entity.isFamily ? entity.name.length : null;
    const edits = places.map((span) => ({
      span: { start: span.start, end: stem === null ? span.end : span.start + stem },
      text: name,
    }));
    return ok(edits);
  }
  const vector = symbol.lanes === 1 ? '' : ` .v${symbol.lanes}`;
  const end = references.endOfStatement(start);
  const declaration = { span: { start: end, end }, text: ` .reg${vector} ${symbol.type.name} ${name};` };
  const uses = places
    .filter((span) => span.start !== start)
    .map(({ start: from, end: to }) => ({ span: { start: from, end: to }, text: name }));
  return ok([...uses, declaration].toSorted((a, b) => a.span.start - b.span.start));
}

function whyTaken(entity: Entity, name: string, references: References, names: Names): string | null {
  if (!identifier.test(name))
    return `'${name}' is not a name: names begin with a letter, or with _, $ or % and another character`;
  if (name === 'WARP_SZ' || findRegister(name) !== undefined) return `'${name}' is a name that PTX defines`;
  if (entity.isFamily && /\d$/.test(name)) return 'the name of a range of registers cannot end in a digit';
  const { scope, declared } = entity;
  const within = scope ?? { start: 0, end: references.length };
  const spelling = entity.isFamily ? numbered(name) : exactly(name);
  const [taken] = references.find(spelling, within);
  const isTaken = taken !== undefined || names.resolve(name, declared.start) !== null;
  return isTaken ? `'${name}' is already used here` : null;
}
