const encoder = new TextEncoder();

/** Stands for a character beyond ASCII. It belongs to no class. */
const beyond = 0x7f;

/** NULs after the text, so that a reader can look that many characters ahead without checking for the end. */
const lookahead = 4;

/** A text in the form that the lexer reads. */
export interface AsciiText {
  /** The character codes, then some NULs; DEL for characters beyond ASCII, so that offsets are those of the string. */
  readonly bytes: Uint8Array;
  /**
   * The first character that ptxas rejects even in a comment: NUL, DEL, or anything beyond ASCII; -1 if there is none.
   */
  readonly foreign: number;
}

/** Bytes can be read several times faster than the characters of a string. */
export function toAscii(source: string): AsciiText {
  const bytes = new Uint8Array(source.length + lookahead);
  // UTF-8 has as many bytes as the string has units only if every character is ASCII.
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
