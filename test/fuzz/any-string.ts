import * as fc from 'fast-check';

/**
 * Strings of arbitrary code points, including lone surrogates. fast-check can generate such strings, too, but needs
 * almost a second to list all code points.
 */
export function anyString(maxLength: number): fc.Arbitrary<string> {
  const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0xffff), fc.nat(0x10ffff));
  return fc.array(codePoint, { maxLength }).map((points) => String.fromCodePoint(...points));
}
