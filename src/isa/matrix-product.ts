/**
 * Describes, as plain data, how the lanes of a warp compute D = A * B + C. Both engines, explain and the listing are
 * based on this description.
 */
import { type Conversion, plainConversion } from '../numerics/conversion.ts';
import {
  type Accumulator,
  accumulatorOf,
  type DotArithmetic,
  type FactorFormat,
  type StepwiseArithmetic,
} from '../numerics/dot-arithmetic.ts';
import type { IntegerName } from '../numerics/formats.ts';
import type { Fragment } from './fragments.ts';

/** A factor of a matrix product. */
export interface Factor<Format extends string> {
  readonly format: Format;
  readonly fragment: Fragment;
  /**
   * The position of the lowest bit of an element's value within the bits of the element: 2 for fp4 values in bytes,
   * otherwise 0.
   */
  readonly low: number;
}

/** C or D. */
export interface Sum<Format extends string> {
  readonly format: Format;
  readonly fragment: Fragment;
}

/** The format in which a sum is computed. C is converted to it, and the sum is converted to the format of D. */
export function sumFormatOf(product: ProductOf<'float' | 'stepwise'>): Accumulator {
  return product.kind === 'stepwise' ? 'f32' : accumulatorOf(product.arithmetic.end);
}

/** Converts an element of C to the format of the sum, or the sum to the format of D. */
export function sumConversion(from: Accumulator, to: Accumulator): Conversion {
  return { ...plainConversion(from, to), rounding: to === 'f16' ? 'rn' : null };
}

/**
 * In a sparse product, half of the elements of A are omitted. The columns of A are divided into chunks of four units,
 * and each unit consists of `unit` columns. For each row and chunk, the metadata contains two 2-bit indices: they
 * select the two units whose elements are not omitted. A register with metadata holds `rowBits` bits for each row. In
 * every group of four lanes, the number of lanes that provide metadata is `lanes`.
 */
export interface Sparsity {
  readonly unit: 0.5 | 1 | 2;
  readonly rowBits: 16 | 32;
  readonly lanes: 1 | 2 | 4;
}

/**
 * The column of A to which stored element number `at` of a row belongs. `indices` is a number whose lowest bits are the
 * metadata of the element's chunk.
 */
export function keptColumn(unit: Sparsity['unit'], at: number, indices: number): number {
  const perChunk = 2 * unit;
  const within = at % perChunk;
  const index = (indices >>> (2 * Math.floor(within / unit))) & 3;
  return Math.floor(at / perChunk) * 4 * unit + Math.floor(index * unit) + (unit === 2 ? within % 2 : 0);
}

/** A half of a 32-bit element of B: the column of A by which the element is multiplied, and the number of the half. */
export interface KeptHalf {
  readonly column: number;
  readonly half: number;
}

/**
 * For products in which each unit is half of a column: returns the two halves of elements of B by which stored element
 * number `at` is multiplied, low half first. Each index selects one half. Usually, both halves come from the same
 * element.
 */
export function keptHalves(at: number, indices: number): readonly [low: KeptHalf, high: KeptHalf] {
  const halfAt = (index: number): KeptHalf => ({ column: 2 * at + ((index >>> 1) & 1), half: index & 1 });
  return [halfAt(indices), halfAt(indices >>> 2)];
}

/**
 * Scale factors of a product. Each block of `block` consecutive elements along k (not counting omitted elements) has
 * one factor for the row of A and another for the column of B.
 */
export interface Scaling {
  readonly format: 'ue8m0' | 'ue4m3';
  readonly block: number;
  /**
   * The number of products whose exact sum is computed before a scale factor is applied; 1 if each product is scaled
   * separately.
   */
  readonly group: 1 | 16;
}

interface Matrices<Multiplied extends string, SumFormat extends string> {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a: Factor<Multiplied>;
  readonly b: Factor<Multiplied>;
  readonly c: Sum<SumFormat>;
  readonly d: Sum<SumFormat>;
  readonly sparsity: Sparsity | null;
}

/** How elements are multiplied and added. */
export type MatrixProduct =
  | ({ readonly kind: 'float'; readonly arithmetic: DotArithmetic; readonly scaling: Scaling | null } & Matrices<
      FactorFormat,
      Accumulator
    >)
  | ({ readonly kind: 'stepwise'; readonly arithmetic: StepwiseArithmetic } & Matrices<'f16', Accumulator>)
  | ({
      readonly kind: 'double';
      readonly rounding: 'rn' | 'rz' | 'rm' | 'rp';
      /** The bits of a NaN result; null if the fused multiply-adds determine them. */
      readonly nan: bigint | null;
    } & Matrices<'f64', 'f64'>)
  | ({ readonly kind: 'integer'; readonly satfinite: boolean } & Matrices<IntegerName, 's32'>)
  | ({ readonly kind: 'bits'; readonly op: 'and' | 'xor' } & Matrices<'b1', 's32'>);

export type ProductOf<Kind extends MatrixProduct['kind']> = Extract<MatrixProduct, { readonly kind: Kind }>;

/**
 * The widths of the values that each lane contributes. These are, in order: the registers of A, B and C, the metadata
 * and its selector, and the scale factors.
 */
export function sentBy(product: MatrixProduct): readonly number[] {
  const registers = [product.a, product.b, product.c].flatMap(({ fragment }) => widthsOf(fragment));
  const metadata = product.sparsity === null ? [] : [32, 32];
  const scales = product.kind === 'float' && product.scaling !== null ? [32, 32, 32, 32, 32, 32] : [];
  return [...registers, ...metadata, ...scales];
}

/** Widths of a fragment's registers. */
export function widthsOf({ registers, registerBits }: Fragment): readonly number[] {
  return Array.from({ length: registers }, () => registerBits);
}
