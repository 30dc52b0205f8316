/** `.attribute(…)` of variables and functions. Source: PTX ISA 5.4.8 and 11.4. */
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import { integerTokenValue } from './values.ts';

/** `.attribute(.managed, .unified(19, 95))`, added to `attributes` without white space. */
export function parseAttributes(r: Reader, attributes: string[], owner: 'func' | 'variable'): boolean {
  r.next();
  if (!r.expect(Token.LeftParen, "'('")) return false;
  do {
    const text = r.kind === Token.Dotted ? r.text() : '';
    if (text !== '.unified' && (text !== '.managed' || owner === 'func')) {
      r.unexpected(owner === 'func' ? "'.unified'" : "'.managed' or '.unified'");
      return false;
    }
    r.next();
    const suffix = text === '.unified' ? parseUnifiedNumbers(r) : '';
    if (suffix === null) return false;
    attributes.push(text + suffix);
  } while (r.accept(Token.Comma));
  return r.expect(Token.RightParen, "',' or ')'");
}

function parseUnifiedNumbers(r: Reader): string | null {
  if (!r.expect(Token.LeftParen, "'('")) return null;
  const first = readUnified(r);
  if (first === null || !r.expect(Token.Comma, "','")) return null;
  const second = readUnified(r);
  if (second === null || !r.expect(Token.RightParen, "')'")) return null;
  return `(${first},${second})`;
}

function readUnified(r: Reader): string | null {
  if (r.kind !== Token.Integer) return r.unexpected('an integer');
  const value = integerTokenValue(r);
  r.next();
  return String(value);
}
