/** Types for multiplying whole rows, which an engine may do with its own code. */
import type { DotArithmetic, FactorFormat } from '../../numerics/dot-arithmetic.ts';
import type { TileScales } from '../../numerics/scaled-tile.ts';

/** The rows of A or the columns of B, one after the other. Each of them has `length` elements. */
export interface RowFactors {
  readonly length: number;
  /** The values of the elements; zero for an element that is not finite. */
  readonly values: Float64Array;
  /** The exponents of the elements. An element that is zero has no meaningful exponent. */
  readonly exponents: Int32Array;
}

/** e2m1 elements whose scale factors apply to groups of 16 elements. */
export interface GroupFactors {
  readonly lines: RowFactors;
  readonly scales: TileScales;
}

/** The factors and the arithmetic of a product. The arithmetic must have the order `direct`. */
export type RowProduct =
  | {
      readonly kind: 'elements';
      readonly a: RowFactors;
      readonly b: RowFactors;
      readonly arithmetic: DotArithmetic;
      /** The formats of the elements; null if scale factors have changed the range of the elements. */
      readonly formats: readonly [a: FactorFormat, b: FactorFormat] | null;
    }
  | {
      readonly kind: 'groups';
      readonly a: GroupFactors;
      readonly b: GroupFactors;
      readonly arithmetic: DotArithmetic;
    };

/**
 * Multiplies a row of A by columns of B, beginning with column `first`, and adds the products to `sums`, which contains
 * the bits of one sum for each column. If a number is outside the range that the code can handle, returns false and
 * leaves `sums` unchanged.
 */
export type MultiplyRow = (row: number, first: number, sums: Uint32Array) => boolean;

/** Creates a function that multiplies rows. The number of columns must be a multiple of 8. */
export type RowMultiplier = (product: RowProduct) => MultiplyRow;
