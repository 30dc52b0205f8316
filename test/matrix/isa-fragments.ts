/**
 * Computes which matrix elements a lane holds, with the formulas of PTX ISA 9.1, sections 9.7.14.5.1 to 9.7.14.5.13.
 * This file was written independently of src/isa/fragments.ts. In all functions, `i` is the index of an element among
 * the elements of a lane, and `p` is the number of elements in a register.
 */

export interface Place {
  readonly row: number;
  readonly column: number;
}

const groupId = (lane: number): number => lane >> 2;
const inGroup = (lane: number): number => lane % 4;

/**
 * Returns the row and the column of an element of A. If A has 16 rows, the registers alternate: one holds elements of
 * rows 0 to 7, and the next holds elements of rows 8 to 15. If A has 8 rows, there is only one register.
 */
export function placeOfA(rows: number, p: number): (lane: number, i: number) => Place {
  if (rows === 8) return (lane, i) => ({ row: groupId(lane), column: inGroup(lane) * p + (i % p) });
  return (lane, i) => {
    const register = Math.floor(i / p);
    return {
      row: register % 2 === 0 ? groupId(lane) : groupId(lane) + 8,
      column: inGroup(lane) * p + (i % p) + 4 * p * Math.floor(register / 2),
    };
  };
}

export function placeOfB(p: number): (lane: number, i: number) => Place {
  return (lane, i) => ({ row: inGroup(lane) * p + (i % p) + 4 * p * Math.floor(i / p), column: groupId(lane) });
}

/**
 * Returns the row and the column of an element of C or D. Elements 0 and 1 are in rows 0 to 7, and elements 2 and 3 are
 * in rows 8 to 15.
 */
export function placeOfC(lane: number, i: number): Place {
  return { row: i < 2 ? groupId(lane) : groupId(lane) + 8, column: inGroup(lane) * 2 + (i & 1) };
}

/**
 * For m8n8k4 with f16, the warp computes four products. Each product belongs to a pair of quads: 0 and 4, 1 and 5, 2
 * and 6, or 3 and 7.
 */
export const quadPair = {
  matrix: (lane: number): number => (lane % 16) >> 2,
  a: (layout: 'row' | 'col', lane: number, i: number): Place =>
    layout === 'row'
      ? { row: lane < 16 ? lane % 4 : (lane % 4) + 4, column: i }
      : { row: lane < 16 ? i % 4 : (i % 4) + 4, column: lane % 4 },
  b: (layout: 'row' | 'col', lane: number, i: number): Place =>
    layout === 'row'
      ? { row: lane % 4, column: lane < 16 ? i % 4 : (i % 4) + 4 }
      : { row: i, column: lane < 16 ? lane % 4 : (lane % 4) + 4 },
  c16: (lane: number, i: number): Place => ({ row: lane < 16 ? lane % 4 : (lane % 4) + 4, column: i }),
  c32: (lane: number, i: number): Place => {
    const x = (lane & 1) + (i & 2);
    return { row: lane < 16 ? x : x + 4, column: (i & 4) + (lane & 2) + (i & 1) };
  },
} as const;
