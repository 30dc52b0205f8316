/**
 * Parses the initializer after `=` in a declaration. Source: PTX ISA 5.4.4 and 5.3. The parser accepts the same forms
 * of initializers as ptxas.
 */
import { rewrite } from '../diagnostics/fix.ts';
import { parseConstant, parseIntegerConstant } from './constants.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { Initializer } from './tree.ts';

/** Parses an initializer; null after an error. */
export function parseInitializer(r: Reader): Initializer | null {
  if (r.kind === Token.LeftBrace) return parseList(r);
  if (r.kind === Token.Name) return parseAddress(r, null);
  return parseScalar(r);
}

function parseList(r: Reader): Initializer | null {
  if (!r.enter()) return null;
  const start = r.start;
  const elements: Initializer[] = [];
  r.openBraces++;
  r.next();
  while (r.kind !== Token.RightBrace) {
    const element = parseElement(r);
    if (element === null) break;
    elements.push(element);
    if (!r.accept(Token.Comma)) break;
    if (r.kind === Token.RightBrace) r.unexpected('a value');
  }
  const end = r.end;
  const closed = !r.failed && r.expect(Token.RightBrace, "',' or '}'");
  r.leave();
  if (!closed) return null;
  r.openBraces--;
  return { kind: 'list', elements, span: { start, end } };
}

/** Parses a nested initializer, or a field such as `addr_mode_0 = wrap`. */
function parseElement(r: Reader): Initializer | null {
  const start = r.start;
  const name = r.kind === Token.Name ? r.text() : '';
  const initializer = parseInitializer(r);
  const isName = initializer?.kind === 'address' && initializer.span.end - start === name.length;
  if (!isName || r.kind !== Token.Equals) return initializer;
  r.next();
  const value = r.kind === Token.Name ? parseAddress(r, null) : parseScalar(r);
  return value === null ? null : { kind: 'field', name, value, span: { start, end: r.previousEnd } };
}

/** Parses `name`, `name+4`, `generic(name)+4`. */
function parseAddress(r: Reader, mask: bigint | null): Initializer | null {
  const start = r.start;
  let name = r.text();
  r.next();
  const generic = name === 'generic' && r.accept(Token.LeftParen);
  if (generic) {
    if (r.kind !== Token.Name) return r.unexpected('a name');
    name = r.text();
    r.next();
    if (!r.expect(Token.RightParen, "')'")) return null;
  }
  let offset = 0n;
  if (r.accept(Token.Plus)) {
    const constant = parseIntegerConstant(r, 'an offset');
    if (constant === null) return null;
    offset = constant.value;
  } else if (r.kind === Token.Minus) {
    const fixes = [rewrite(r.span(), '+-', 'certain')];
    return r.unexpected("'+'", { help: 'write a negative offset as name+-4', fixes });
  }
  return { kind: 'address', name, offset, generic, mask, span: { start, end: r.previousEnd } };
}

/**
 * Parses either a constant, or a mask followed by a value in parentheses. The mask selects one byte of the value, as in
 * `0xff00(name)` or `0xff00(0x1234)`.
 */
function parseScalar(r: Reader): Initializer | null {
  const start = r.start;
  const maskEnd = r.kind === Token.Integer || r.kind === Token.WarpSize ? r.end : -1;
  const constant = parseConstant(r);
  if (constant === null) return null;
  const span = { start, end: r.previousEnd };
  if (constant.kind === 'float') return { kind: 'float', form: constant.form, bits: constant.bits, span };
  if (span.end !== maskEnd || r.kind !== Token.LeftParen) {
    return { kind: 'integer', value: constant.value, masked: false, span };
  }
  return parseMasked(r, BigInt.asUintN(64, constant.value), span);
}

function parseMasked(r: Reader, mask: bigint, span: { start: number; end: number }): Initializer | null {
  const shift = shiftOfMask(mask);
  if (shift === null) r.report('PTX1016', span, { mask: `0x${mask.toString(16)}` });
  r.next();
  const { start } = span;
  if (r.kind === Token.Name) {
    const address = parseAddress(r, mask);
    if (address === null || !r.expect(Token.RightParen, "'+' or ')'")) return null;
    return { ...address, span: { start, end: r.previousEnd } };
  }
  const constant = parseIntegerConstant(r, 'a masked value');
  if (constant === null || !r.expect(Token.RightParen, "an operator or ')'")) return null;
  const value = (BigInt.asUintN(64, constant.value) >> (shift ?? 0n)) & 0xffn;
  return { kind: 'integer', value, masked: true, span: { start, end: r.previousEnd } };
}

/** Returns the bit position of the byte that `mask` selects; null if the mask does not select exactly one byte. */
function shiftOfMask(mask: bigint): bigint | null {
  for (let shift = 0n; shift < 64n; shift += 8n) if (mask === 0xffn << shift) return shift;
  return null;
}
