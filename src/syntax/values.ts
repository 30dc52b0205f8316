import { readInteger } from './literals.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';

const maximum: bigint = 0xffffffffn;

/**
 * Skips an integer literal or `WARP_SZ`, and returns its value. Directives that take such a number allow neither
 * expressions nor signs, and the value must fit in 32 bits. Null after an error. `what` describes the number in error
 * messages.
 */
export function readCount(r: Reader, what: string): number | null {
  const small = r.smallInteger();
  if (small >= 0) {
    r.next();
    return small;
  }
  if (r.kind !== Token.Integer && r.kind !== Token.WarpSize) return r.unexpected(`${what} (an integer)`);
  const value = integerTokenValue(r);
  if (value > maximum) r.report('PTX1010', r.span(), { constant: r.describe(), bits: '32' });
  r.next();
  return Number(BigInt.asUintN(32, value));
}

/** Skips the current directive and the strings after it, as in `"…", "…"`. Returns the strings without their quotes. */
/** Skips the current token, which must be a string, and returns its text without the quotes. */
export function readString(r: Reader): string {
  const text = r.source.slice(r.start + 1, r.end - 1);
  r.next();
  return text;
}

export function parseStrings(r: Reader): readonly string[] | null {
  const strings: string[] = [];
  do {
    r.next();
    if (r.kind !== Token.String) return r.unexpected('a string');
    strings.push(readString(r));
  } while (r.kind === Token.Comma);
  return strings;
}

/**
 * The value of the current integer or `WARP_SZ` token. If it needs more than 64 bits, reports an error and returns 0.
 */
export function integerTokenValue(r: Reader): bigint {
  if (r.kind === Token.WarpSize) return 32n;
  const { value, fit } = readInteger(r.text());
  if (fit === 'overflow') r.report('PTX1010', r.span(), { constant: r.describe(), bits: '64' });
  return value;
}
