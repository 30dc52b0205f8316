/** Parses `.attribute(…)` on variables and functions. Source: sections 5.4.8 and 11.4 of the PTX ISA. */
import { joinWords } from '../base/join-words.ts';
import { attributesOf } from './directives.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import { integerTokenValue } from './values.ts';

/**
 * Parses `.attribute(.managed, .unified(19, 95))` and adds its entries to `attributes`, with all white space removed.
 */
export function parseAttributes(r: Reader, attributes: string[], owner: 'func' | 'variable'): boolean {
  const known = attributesOf(owner);
  r.next();
  if (!r.expect(Token.LeftParen, "'('")) return false;
  do {
    const name = r.kind === Token.Dotted ? r.text() : '';
    const row = known.find((attribute) => attribute.name === name);
    if (row === undefined) {
      const names = known.map((attribute) => `'${attribute.name}'`);
      r.unexpected(joinWords(names, 'or'));
      return false;
    }
    r.next();
    const values = row.values === 0 ? '' : parseValues(r, row.values);
    if (values === null) return false;
    attributes.push(name + values);
  } while (r.accept(Token.Comma));
  return r.expect(Token.RightParen, "',' or ')'");
}

/** `(19,95)`, without white space. */
function parseValues(r: Reader, count: number): string | null {
  const values: string[] = [];
  for (let i = 0; i < count; i++) {
    if (!(i === 0 ? r.expect(Token.LeftParen, "'('") : r.expect(Token.Comma, "','"))) return null;
    const value = readInteger(r);
    if (value === null) return null;
    values.push(value);
  }
  return r.expect(Token.RightParen, "')'") ? `(${values.join(',')})` : null;
}

function readInteger(r: Reader): string | null {
  if (r.kind !== Token.Integer) return r.unexpected('an integer');
  const value = integerTokenValue(r);
  r.next();
  return String(value);
}
