/**
 * Describes where the lanes of a warp hold the elements of a matrix (PTX ISA 9.1, section 9.7.14). Every layout maps
 * bits to bits: each bit of a row or column number is either a bit of the lane's number or a bit of the element's
 * number within the lane.
 */
import { elementAt } from '../base/element-at.ts';

/**
 * `l0` to `l4` stand for the bits of the lane's number, and `i0`, `i1` and so on for the bits of the element's number,
 * starting with the lowest.
 */
export type Digit = `l${number}` | `i${number}`;

/** One operand of a matrix instruction, spread over a warp. */
export interface Fragment {
  readonly rows: number;
  readonly columns: number;
  /** The number of matrices that a warp holds in this operand: 4 for m8n8k4 with f16, otherwise 1. */
  readonly matrices: number;
  /** The distance in bits between consecutive elements in a register. */
  readonly bits: number;
  readonly registers: number;
  readonly registerBits: 32 | 64;
  /** Where the bits of the row, column and matrix numbers come from, lowest bit first. */
  readonly row: readonly Digit[];
  readonly column: readonly Digit[];
  readonly matrix: readonly Digit[];
}

/** The position of an element: its row and column, and the number of the matrix that contains it. */
export interface Place {
  readonly matrix: number;
  readonly row: number;
  readonly column: number;
}

/** Number of elements that each lane holds. Some of these elements may be copies of elements in other lanes. */
export function elementsOf({ registers, registerBits, bits }: Fragment): number {
  return (registers * registerBits) / bits;
}

/** The position of a lane's element. */
export function placeOf(fragment: Fragment, lane: number, element: number): Place {
  const valueOf = (digits: readonly Digit[]): number =>
    digits.reduce((sum, digit, i) => sum | (digitOf(digit, lane, element) << i), 0);
  return { matrix: valueOf(fragment.matrix), row: valueOf(fragment.row), column: valueOf(fragment.column) };
}

function digitOf(digit: Digit, lane: number, element: number): number {
  const from = digit.startsWith('l') ? lane : element;
  return (from >>> Number(digit.slice(1))) & 1;
}

/** The matrix of a product to which a fragment belongs. D has the same layout as C, so both are called `c`. */
export type Side = 'a' | 'b' | 'c';

/** The numbers of rows, columns, bits per element, and registers per lane. */
export type FragmentSize = Pick<Fragment, 'rows' | 'columns' | 'bits' | 'registers'>;

/**
 * The layout of all shapes except m8n8k4 with f16. Each row of A, each column of B and each row of C is spread over
 * four lanes. In A and B, elements that are adjacent along k are in the same register. In C, pairs of elements that are
 * adjacent in a row are in the same lane.
 */
export function fragmentOf(side: Side, size: FragmentSize): Fragment {
  const { rows, columns, bits } = size;
  const registerBits = bits > 32 ? 64 : 32;
  const [along, across] = side === 'b' ? [rows, columns] : [columns, rows];
  const together = side === 'c' ? 1 : Math.log2(registerBits / bits);
  const [alongDigits, acrossDigits]: [Digit[], Digit[]] = [[], ['l2', 'l3', 'l4']];
  let next = 0;
  const add = (digits: Digit[], wanted: number): void => {
    while (2 ** digits.length < wanted) digits.push(`i${next++}`);
  };
  add(alongDigits, 2 ** together);
  alongDigits.push('l0', 'l1');
  if (side !== 'b') add(acrossDigits, Math.min(across, 16));
  add(alongDigits, along);
  add(acrossDigits, across);
  const [row, column] = side === 'b' ? [alongDigits, acrossDigits] : [acrossDigits, alongDigits];
  return { ...size, matrices: 1, registerBits, row, column, matrix: [] };
}

/** The layout of the transposed matrix. */
export function transposed({ rows, columns, row, column, ...rest }: Fragment): Fragment {
  return { ...rest, rows: columns, columns: rows, row: column, column: row };
}

/**
 * A single m8n8k4 instruction with f16 computes four products. Each product is held by eight lanes: four consecutive
 * lanes in the lower half of the warp, and the corresponding four lanes in the upper half. `quadPair` lists the two
 * bits of the lane number that form the number of the product.
 */
const quadPair: readonly Digit[] = ['l2', 'l3'];
const lanesAcross: readonly Digit[] = ['l0', 'l1', 'l4'];

/**
 * The fragment of A or B for m8n8k4. If `lanewise` is true, each lane holds a whole row of A or a whole column of B.
 */
export function quadPairFragment(side: 'a' | 'b', lanewise: boolean): Fragment {
  const [along, across]: readonly [readonly Digit[], readonly Digit[]] = lanewise
    ? [['i0', 'i1'], lanesAcross]
    : [
        ['l0', 'l1'],
        ['i0', 'i1', 'l4'],
      ];
  const [row, column] = side === 'a' ? [across, along] : [along, across];
  const [rows, columns] = side === 'a' ? [8, 4] : [4, 8];
  return { rows, columns, matrices: 4, bits: 16, registers: 2, registerBits: 32, row, column, matrix: quadPair };
}

/** C or D of m8n8k4, in f16 or f32. */
export function quadPairResult(bits: 16 | 32): Fragment {
  const size = {
    rows: 8,
    columns: 8,
    matrices: 4,
    bits,
    registers: bits / 4,
    registerBits: 32,
    matrix: quadPair,
  } as const;
  if (bits === 16) return { ...size, row: lanesAcross, column: ['i0', 'i1', 'i2'] };
  return { ...size, row: ['l0', 'i1', 'l4'], column: ['i0', 'l1', 'i2'] };
}

/**
 * The place of an element of a matrix: the lane and register that hold it. If several lanes hold a copy of the element,
 * this is the place of the first copy.
 */
export interface Holder {
  readonly lane: number;
  readonly register: number;
  /** The position of the element's lowest bit in the register. */
  readonly low: number;
}

/** The index of an element in the list that `holdersOf` returns. */
export function indexOf({ rows, columns }: Fragment, { matrix, row, column }: Place): number {
  return (matrix * rows + row) * columns + column;
}

const knownHolders = new WeakMap<Fragment, readonly Holder[]>();

/** The places of all elements, ordered by matrix, then by row, then by column. */
export function holdersOf(fragment: Fragment): readonly Holder[] {
  const known = knownHolders.get(fragment);
  if (known !== undefined) return known;
  const found = findHolders(fragment);
  knownHolders.set(fragment, found);
  return found;
}

function findHolders(fragment: Fragment): readonly Holder[] {
  const holders = new Array<Holder>(fragment.matrices * fragment.rows * fragment.columns);
  const perRegister = fragment.registerBits / fragment.bits;
  for (let element = elementsOf(fragment) - 1; element >= 0; element--) {
    for (let lane = 31; lane >= 0; lane--) {
      const low = (element % perRegister) * fragment.bits;
      const place = placeOf(fragment, lane, element);
      holders[indexOf(fragment, place)] = { lane, register: Math.floor(element / perRegister), low };
    }
  }
  return Array.from(holders, (_, i) => elementAt(holders, i));
}
