/** The classes into which characters are divided when the shape of a line is computed. */

/**
 * The class of a character, which determines how the character is represented in a shape. A line that contains a
 * character of the class `refused` has no shape, so it is always parsed.
 */
export const Kind = {
  refused: 0,
  kept: 1,
  semicolon: 2,
  register: 3,
  label: 4,
  name: 5,
  digit: 6,
  dot: 7,
  lineEnd: 8,
} as const;

export const kinds: Uint8Array = makeKinds();

function makeKinds(): Uint8Array {
  const table = new Uint8Array(128);
  const fill = (characters: string, kind: number): void => {
    for (const c of characters) table[c.charCodeAt(0)] = kind;
  };
  fill(' \t,[]{}()+-|!@', Kind.kept);
  fill(';', Kind.semicolon);
  fill('%', Kind.register);
  fill('$', Kind.label);
  fill('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_', Kind.name);
  fill('0123456789', Kind.digit);
  fill('.', Kind.dot);
  fill('\n', Kind.lineEnd);
  return table;
}
