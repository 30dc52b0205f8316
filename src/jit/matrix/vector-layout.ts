/**
 * Decides which fragments allow products of four columns at a time, and where decoded factors lie in the scratch
 * memory. Each word there is an entry: one element, or several adjacent elements along k. A is stored by rows. B is
 * stored by entries, each for eight columns, the even ones first.
 */
import { elementsOf, type Fragment, placeOf } from '../../isa/fragments.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';

/** Number of rows of A or C, or columns of B, that one register holds over all lanes: four lanes share each of them. */
export const across = 8;

/** Elements along k in an entry. */
export function entryElements({ kind }: MatrixProduct): number {
  return kind === 'bits' ? 32 : kind === 'integer' ? 2 : 1;
}

/** The positions of decoded factors in the scratch memory, in bytes from its start. Only floats have exponents. */
export interface VectorRooms {
  /** Entries along k. */
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

/** Whether four columns at a time can be computed. */
export function hasVectors(product: MatrixProduct): boolean {
  if (product.sparsity !== null || product.kind === 'double') return false;
  if (product.kind === 'float' && product.scaling !== null) return false;
  const { a, b, c, d } = product;
  if (c.format !== d.format || !liesInPairs(d.fragment)) return false;
  if (product.kind === 'float' && d.format === 'f16' && product.arithmetic.order === 'halves') return false;
  return registerPlaces(a.fragment, 'a') !== null && registerPlaces(b.fragment, 'b') !== null;
}

/** Whether a lane holds two adjacent elements of a row, and four lanes share eight. */
function liesInPairs({ row, column, matrices, bits }: Fragment): boolean {
  const isUsual = column.slice(0, 3).join() === 'i0,l0,l1' && row.slice(0, 3).join() === 'l2,l3,l4';
  return isUsual && matrices === 1 && bits <= 32;
}

/** The register of C or D that holds the element at a place in lane 0. */
export function registerAt(fragment: Fragment, row: number, column: number): number {
  const places = Array.from({ length: elementsOf(fragment) }, (_, element) => placeOf(fragment, 0, element));
  const element = places.findIndex((place) => place.row === row && place.column === column);
  return Math.floor(element / perRegister(fragment));
}

/** A register of a factor: its index, and the row or column and the k of its first element. */
interface RegisterPlace {
  readonly register: number;
  readonly group: number;
  readonly firstK: number;
}

/** The number of elements in a register. */
export function perRegister({ registerBits, bits }: Fragment): number {
  return registerBits / bits;
}

/**
 * The registers of a factor, if groups of four lanes hold adjacent elements along k and each of the eight groups holds
 * one row or column; otherwise null.
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
  // Other registers may hold copies.
  return places.filter((one, i) => places.findIndex((other) => isSame(one, other)) === i);
}

function isSame(one: RegisterPlace, other: RegisterPlace): boolean {
  return one.group === other.group && one.firstK === other.firstK;
}

/** The index of an element's entry along k. Entries that have the same index in their registers are consecutive. */
export function entryOf(k: number, fragment: Fragment): number {
  const count = perRegister(fragment);
  const within = k % (4 * count);
  return k - within + 4 * (within % count) + Math.floor(within / count);
}
