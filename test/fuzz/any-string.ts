import * as fc from 'fast-check';

/**
 * Strings of any code points, lone surrogates included. fast-check has such strings too, but takes most of a second to
 * list every code point.
 */
export function anyString(maxLength: number): fc.Arbitrary<string> {
  const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0xffff), fc.nat(0x10ffff));
  return fc.array(codePoint, { maxLength }).map((points) => String.fromCodePoint(...points));
}
