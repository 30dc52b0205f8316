/** What stands for a character beyond ASCII. It belongs to no class. */
const beyond = 0x7f;

const encoder = new TextEncoder();

/** NULs behind the text, so that a reader may look that many characters ahead without asking where the end is. */
const lookahead = 4;

/**
 * The character codes of a text as bytes, which read several times faster than a string, with NULs behind the last.
 * A character beyond ASCII becomes DEL, so offsets stay those of the string.
 */
export function toAscii(source: string): Uint8Array {
  const bytes = new Uint8Array(source.length + lookahead);
  // Only where every character is ASCII does UTF-8 have as many bytes as the string has units.
  const { read, written } = encoder.encodeInto(source, bytes);
  if (read === source.length && written === source.length) return bytes;
  bytes.fill(0);
  for (let i = 0; i < source.length; i++) bytes[i] = Math.min(source.charCodeAt(i), beyond);
  return bytes;
}

/** The first character that ptxas refuses even in a comment: NUL, DEL, anything beyond ASCII; -1 if there is none. */
export function firstForeign(bytes: Uint8Array): number {
  const end = bytes.length - lookahead;
  const nul = bytes.indexOf(0);
  const other = bytes.indexOf(beyond);
  if (nul === end) return other;
  return other < 0 ? nul : Math.min(nul, other);
}
