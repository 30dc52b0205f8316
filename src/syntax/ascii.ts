const encoder = new TextEncoder();

/** The code that replaces every character outside ASCII. It belongs to no character class. */
const beyond = 0x7f;

/**
 * The number of NULs that follow the text. Because of them, the lexer can look this many characters ahead without
 * checking for the end of the text.
 */
const lookahead = 4;

/** Text that has been encoded as bytes for the lexer. */
export interface AsciiText {
  /**
   * The character codes of the text, followed by some NULs. Each character outside ASCII is replaced by DEL, so that
   * offsets are the same as in the string.
   */
  readonly bytes: Uint8Array;
  /**
   * The offset of the first character that ptxas rejects even in a comment (NUL, DEL, or anything outside ASCII), or
   * -1.
   */
  readonly foreign: number;
}

/** Encodes text as bytes, which can be read several times faster than the characters of a string. */
export function toAscii(source: string): AsciiText {
  const bytes = new Uint8Array(source.length + lookahead);
  // If any character is not ASCII, the UTF-8 text has more bytes than the string has UTF-16 units.
  const { read, written } = encoder.encodeInto(source, bytes);
  const isAscii = read === source.length && written === source.length;
  if (!isAscii) {
    bytes.fill(0);
    for (let i = 0; i < source.length; i++) bytes[i] = Math.min(source.charCodeAt(i), beyond);
  }
  const other = isAscii ? source.indexOf('\x7f') : bytes.indexOf(beyond);
  const nul = source.indexOf('\0');
  return { bytes, foreign: nul < 0 || other < 0 ? Math.max(nul, other) : Math.min(nul, other) };
}
