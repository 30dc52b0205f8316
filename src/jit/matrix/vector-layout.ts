/**
 * Decides which fragments allow four columns of a product to be computed at a time, and where decoded factors are
 * placed in the scratch memory. Decoded factors are stored in words, which are called entries. An entry contains one
 * element, or several elements that are adjacent along k. A is stored row by row. B is stored in blocks of eight
 * columns: for each entry along k, a block contains the entries of its even columns, followed by those of its odd
 * columns.
 */
import { elementsOf, type Fragment, placeOf, transposed } from '../../isa/fragments.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import type { Carriers } from '../groups/stop.ts';

/**
 * Number of rows of A or C, or columns of B, whose elements the 32 lanes hold in one register. Each row or column is
 * shared by four lanes.
 */
export const across = 8;

/** Number of elements in an entry. */
export function entryElements({ kind }: MatrixProduct): number {
  return kind === 'bits' ? 32 : kind === 'integer' ? 2 : 1;
}

/** The positions of decoded factors in the scratch memory, in bytes from its start. Only floats have exponents. */
export interface VectorRooms {
  /** Number of entries along k. */
  readonly entries: number;
  readonly a: number;
  readonly b: number;
  readonly exponentsA: number;
  readonly exponentsB: number;
  readonly size: number;
}

export function vectorRooms(product: MatrixProduct): VectorRooms {
  const { m, n, k, kind } = product;
  const entries = k / entryElements(product);
  const b = 4 * m * entries;
  const exponentsA = b + 4 * n * entries;
  const exponentsB = exponentsA + 2 * m * entries;
  return {
    entries,
    a: 0,
    b,
    exponentsA,
    exponentsB,
    size: kind === 'float' ? exponentsB + 2 * n * entries : exponentsA,
  };
}

/** A product, and the arrays that contain its operands. */
interface Placed {
  readonly product: MatrixProduct;
  readonly carriers: Carriers;
}

/**
 * If each lane holds adjacent elements of a column of D instead of a row, returns the product that computes the
 * transpose of D. Its first factor is the transpose of B, and its second factor is the transpose of A.
 */
export function upright(product: MatrixProduct, carriers: Carriers): Placed {
  const isTransposed = product.sparsity === null && liesInPairs(transposed(product.d.fragment));
  if (!isTransposed) return { product, carriers };
  const { sends } = carriers;
  const ofB = product.a.fragment.registers;
  const ofC = ofB + product.b.fragment.registers;
  return {
    product: transposedProduct(product),
    carriers: { ...carriers, sends: [...sends.slice(ofB, ofC), ...sends.slice(0, ofB), ...sends.slice(ofC)] },
  };
}

function transposedProduct<Product extends MatrixProduct>(product: Product): Product {
  const { m, n, a, b, c, d } = product;
  return {
    ...product,
    m: n,
    n: m,
    a: { ...b, fragment: transposed(b.fragment) },
    b: { ...a, fragment: transposed(a.fragment) },
    c: { ...c, fragment: transposed(c.fragment) },
    d: { ...d, fragment: transposed(d.fragment) },
  };
}

/** Whether a product can be computed four columns at a time. */
export function hasVectors(product: MatrixProduct): boolean {
  if (product.sparsity !== null || product.kind === 'double' || product.kind === 'stepwise') return false;
  if (product.kind === 'float' && product.scaling !== null) return false;
  const { a, b, c, d } = product;
  if (c.format !== d.format || !liesInPairs(d.fragment)) return false;
  if (product.kind === 'float' && d.format === 'f16' && product.arithmetic.order === 'halves') return false;
  return registerPlaces(a.fragment, 'a') !== null && registerPlaces(b.fragment, 'b') !== null;
}

/** Whether each lane holds two adjacent elements of a row. Four consecutive lanes then hold eight adjacent elements. */
function liesInPairs({ row, column, matrices, bits }: Fragment): boolean {
  const isUsual = column.slice(0, 3).join() === 'i0,l0,l1' && row.slice(0, 3).join() === 'l2,l3,l4';
  return isUsual && matrices === 1 && bits <= 32;
}

/** Returns the index of the register in which lane 0 holds the element of C or D at the given row and column. */
export function registerAt(fragment: Fragment, row: number, column: number): number {
  const places = Array.from({ length: elementsOf(fragment) }, (_, element) => placeOf(fragment, 0, element));
  const element = places.findIndex((place) => place.row === row && place.column === column);
  return Math.floor(element / perRegister(fragment));
}

/**
 * The index of a register of A or B, and the elements that it holds. `group` is the index of a group of eight rows of A
 * or eight columns of B, and `firstK` is the position of the first element along k.
 */
interface RegisterPlace {
  readonly register: number;
  readonly group: number;
  readonly firstK: number;
}

/** Returns the number of matrix elements in one register. */
export function perRegister({ registerBits, bits }: Fragment): number {
  return registerBits / bits;
}

/**
 * Returns the registers of A or B if the elements have the usual arrangement: in each register, every group of four
 * lanes holds elements of one row of A or one column of B, and these elements are adjacent along k. Returns null for
 * any other arrangement.
 */
export function registerPlaces(fragment: Fragment, side: 'a' | 'b'): readonly RegisterPlace[] | null {
  const [alongDigits, acrossDigits] = side === 'a' ? [fragment.column, fragment.row] : [fragment.row, fragment.column];
  const along = side === 'a' ? fragment.columns : fragment.rows;
  const together = Math.log2(perRegister(fragment));
  const usual = [...Array.from({ length: together }, (_, i) => `i${i}`), 'l0', 'l1'];
  const inOrder = alongDigits.slice(0, together + 2).join() === usual.join() && 2 ** alongDigits.length === along;
  if (!inOrder || acrossDigits.slice(0, 3).join() !== 'l2,l3,l4' || fragment.matrices !== 1) return null;
  const valueOf = (digits: readonly string[], register: number): number =>
    digits.reduce((sum, digit, i) => sum + (((register << together) >> Number(digit.slice(1))) & 1) * 2 ** i, 0);
  const places = Array.from({ length: fragment.registers }, (_, register) => ({
    register,
    group: valueOf(acrossDigits.slice(3), register),
    firstK: valueOf(alongDigits.slice(together + 2), register) * 4 * perRegister(fragment),
  }));
  // Registers that hold copies of the same elements are left out.
  return places.filter((one, i) => places.findIndex((other) => isSame(one, other)) === i);
}

function isSame(one: RegisterPlace, other: RegisterPlace): boolean {
  return one.group === other.group && one.firstK === other.firstK;
}

/**
 * Returns the position along k at which the element with index k is stored. Four lanes hold elements that are adjacent
 * along k. The first element of each lane's register is stored first, then the second element of each lane's register,
 * and so on.
 */
export function entryOf(k: number, fragment: Fragment): number {
  const count = perRegister(fragment);
  const within = k % (4 * count);
  return k - within + 4 * (within % count) + Math.floor(within / count);
}
