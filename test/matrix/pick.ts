/**
 * Picks values for the elements of a matrix. The values look random but are the same in every run, and no two rows or
 * columns are alike.
 */
export function pick<T>(values: readonly T[], matrix: number, row: number, column: number): T {
  const mixed = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca6b) ^ Math.imul(matrix + 1, 0xc2b2ae35);
  const index = (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 8) % values.length;
  const found = values[index];
  if (found === undefined) throw new Error('there are no values');
  return found;
}

/** Values that every floating-point format can represent. */
export const floats = [0, 0.5, 1, 1.5, 2, -0.5, -1, -1.5];
