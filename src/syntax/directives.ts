/** The sets of PTX directives that the parser needs. */
import {
  attributeRows,
  type AttributeRow,
  directiveRows,
  linkageRows,
  spaceRows,
  type TuningRow,
  tuningRows,
  type DeclaredSpace,
  type Linkage,
} from '../isa/directives.ts';
import { keysOf } from '../base/records.ts';

/** The state spaces that can be named in a declaration. */
export const declaredSpaces: readonly DeclaredSpace[] = keysOf(spaceRows);

export function isDeclaredSpace(word: string): word is DeclaredSpace {
  return Object.hasOwn(spaceRows, word);
}

export function isLinkage(word: string): word is Linkage {
  return Object.hasOwn(linkageRows, word);
}

/**
 * Directives that can start an item of the module but not a statement. If such a directive occurs inside a body, the
 * `}` of the body is missing.
 */
export const moduleDirectives: ReadonlySet<string> = new Set([
  ...Object.keys(linkageRows),
  ...Object.entries(directiveRows)
    .filter(([, { stands }]) => !stands.includes('body'))
    .map(([name]) => name),
]);

/**
 * True for directives that always start a new item. If one of them directly follows a prototype, the `;` of the
 * prototype may be missing.
 */
export function startsItem(directive: string): boolean {
  if (directive === '.reg' || directive === '.local' || directive === '.param') return false;
  return moduleDirectives.has(directive) || isDeclaredSpace(directive) || storageWords.has(directive);
}

/** Words that may come before the state space at the start of a declaration. */
const storageWords: ReadonlySet<string> = new Set(['.align', '.attribute']);

/** Directives at which parsing may resume after a mistake. */
export const statementDirectives: ReadonlySet<string> = new Set([
  ...Object.keys(linkageRows),
  ...declaredSpaces,
  ...Object.entries(directiveRows)
    .filter(([, { labeled }]) => !labeled)
    .map(([name]) => name),
]);

/** The rules for directives between the header and the body of a function. */
export const tuningRules: ReadonlyMap<string, TuningRow> = new Map(tuningRows.map((row) => [row.name, row]));

/** Valid entries of `.attribute(…)` for functions or variables. */
export function attributesOf(owner: 'func' | 'variable'): readonly AttributeRow[] {
  return attributeRows.filter(({ on }) => on.includes(owner));
}
