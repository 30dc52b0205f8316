const encoder = new TextEncoder();

/** What stands for a character beyond ASCII. It belongs to no class. */
const beyond = 0x7f;

/** NULs behind the text, so that a reader may look that many characters ahead without asking where the end is. */
const lookahead = 4;

/** A text in the form that is read. */
export interface AsciiText {
  /** The character codes, then some NULs; DEL for what is beyond ASCII, so that offsets are those of the string. */
  readonly bytes: Uint8Array;
  /** The first character that ptxas refuses even in a comment: NUL, DEL, anything beyond ASCII; -1 if there is none. */
  readonly foreign: number;
}

/** Bytes read several times faster than the characters of a string. */
export function toAscii(source: string): AsciiText {
  const bytes = new Uint8Array(source.length + lookahead);
  // Only where every character is ASCII does UTF-8 have as many bytes as the string has units.
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
