/** The layouts of the frame and of the scratch memory that the code for all matrix products uses. */
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import type { Code } from '../../wasm/code.ts';
import type { Carriers } from '../groups/stop.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';

/** Size of a decoded float in bytes. The low word contains the signed significand, and the high word the exponent. */
export const decodedBytes = 8;

/** Parameters of `exchangeType`: the address of lane 0's words, and the index of the thread in lane 0. */
export const words = 0;
export const first = 1;

/** Offsets of arrays in the scratch memory, in bytes from its start. */
interface Room {
  readonly a: number;
  readonly b: number;
  readonly sums: number;
  readonly terms: number;
  /**
   * The array at `undecoded` holds the elements of B before they are decoded. At `mixed`, there is an element that
   * consists of halves of two elements; see `mixesHalves`.
   */
  readonly undecoded: number;
  readonly mixed: number;
  readonly size: number;
}

export interface ProductContext<Product extends MatrixProduct = MatrixProduct> {
  readonly code: Code;
  readonly shape: KernelShape;
  readonly product: Product;
  readonly carriers: Carriers;
  /** The local that holds the address of the scratch memory. */
  readonly room: number;
  readonly rooms: Room;
}

/** Number of bytes that an element of A or B occupies in the scratch memory. */
export function factorBytes({ kind }: MatrixProduct): number {
  return kind === 'float' || kind === 'double' ? decodedBytes : 4;
}

/** Number of bytes that an element of D occupies in the scratch memory. */
export const sumBytes = 8;

/** Number of terms in the longest dot product. */
const mostTerms = 256;

/** A is stored by rows and B by columns, so that both are contiguous along k. */
function roomOf(product: MatrixProduct): Room {
  const { matrices, rows, columns } = product.a.fragment;
  const bytes = factorBytes(product);
  const b = matrices * rows * columns * bytes;
  const sums = b + matrices * product.k * product.n * bytes;
  const terms = sums + matrices * product.m * product.n * sumBytes;
  const undecoded = terms + mostTerms * decodedBytes;
  const mixed = undecoded + (mixesHalves(product) ? sums - b : 0);
  return { a: 0, b, sums, terms, undecoded, mixed, size: mixed + decodedBytes };
}

/** Whether the metadata selects halves of elements of B. Two selected halves may belong to different elements. */
export function mixesHalves({ sparsity }: MatrixProduct): boolean {
  return sparsity?.unit === 0.5;
}

/**
 * Returns the context of a product. Also writes code that computes the address of its scratch memory, an area of
 * `bytes` bytes.
 */
export function productContext<Product extends MatrixProduct>(
  code: Code,
  shape: KernelShape,
  product: Product,
  carriers: Carriers,
  bytes: number = roomOf(product).size,
): ProductContext<Product> {
  const rooms = roomOf(product);
  const room = code.local('i32');
  const start = shape.frame.room(bytes);
  code.get(words).get(first).i32(2).op('i32.shl', 'i32.sub').i32(start).op('i32.add').set(room);
  return { code, shape, product, carriers, room, rooms };
}

/**
 * Number of registers that each lane contributes to A, B and C together. If lanes also contribute other values, these
 * come after the registers.
 */
export function registersOf({ a, b, c }: MatrixProduct): number {
  return a.fragment.registers + b.fragment.registers + c.fragment.registers;
}
