/** Describes, as plain data, what tcgen05.mma computes (PTX ISA 9.1, section 9.7.16.10). */
import { elementAt } from '../base/element-at.ts';
import type { DotArithmetic, FactorFormat } from '../numerics/dot-arithmetic.ts';
import type { ScaleFormat } from '../numerics/scaled-tile.ts';
import type { IntegerName } from '../numerics/formats.ts';

/** The scale factors of a product, each of which is a byte in tensor memory. */
export interface TensorScaling {
  /** Number of factors for each row of A and each column of B. */
  readonly count: 1 | 2 | 4;
  /** The formats of the factors, by their codes in the instruction descriptor. */
  readonly formats: Readonly<Record<number, ScaleFormat>>;
  /** Whether the factors apply to sums of 16 products instead of to individual products. */
  readonly groups: boolean;
}

/** The possible numbers of rows and columns of D (PTX ISA 9.1, section 9.7.16.2.1). */
export interface ProductShapes {
  readonly m: readonly number[];
  readonly n: readonly number[];
}

/** A product that a single thread starts. Its shape and its types are in the instruction descriptor. */
export type TensorProduct = {
  /**
   * Number of blocks that take part. If two blocks take part, each of them holds half of the rows of A and half of the
   * columns of B in its shared memory, and receives the corresponding rows of D in its tensor memory. The two blocks
   * are neighbors in the cluster, and the first of them has an even rank.
   */
  readonly blocks: 1 | 2;
  /** Whether A is in tensor memory. Otherwise, A is in shared memory, like B. */
  readonly aInTensor: boolean;
  /** Whether half of the elements of A are omitted. Metadata in tensor memory selects the elements that are kept. */
  readonly sparse: boolean;
  /** Whether the instruction keeps B rather than A for later products (`.ws`). D may then have as few as 32 rows. */
  readonly stationary: boolean;
  /** The possible numbers of rows of A and of columns of B. */
  readonly shapes: ProductShapes;
} & (
  | {
      readonly kind: 'float';
      /** The formats of A and B, by their codes in the instruction descriptor. */
      readonly factors: Readonly<Record<number, FactorFormat>>;
      /** Width of an element in memory, in bits. */
      readonly bits: 4 | 8 | 16 | 32;
      /** The arithmetic for each format of D, by the code of the format. */
      readonly sums: Readonly<Record<number, DotArithmetic>>;
      /** The scale factors of the elements; null if there are no scale factors. */
      readonly scaling: TensorScaling | null;
    }
  | {
      readonly kind: 'integer';
      readonly factors: Readonly<Record<number, IntegerName>>;
      readonly bits: 8;
    }
);

/** The fields of the instruction descriptor (PTX ISA 9.1, section 9.7.16.4.2). */
export interface ProductDescriptor {
  readonly sparse: boolean;
  /** Selects the column that contains the metadata. */
  readonly selector: number;
  readonly saturates: boolean;
  readonly d: number;
  readonly a: number;
  readonly b: number;
  readonly negatesA: boolean;
  readonly negatesB: boolean;
  readonly transposesA: boolean;
  readonly transposesB: boolean;
  readonly n: number;
  readonly m: number;
  /**
   * In a product with scale factors: the format of the factors, and the indices of the bytes that contain the first
   * factors of A and B.
   */
  readonly scaleFormat: number;
  readonly firstScaleA: number;
  readonly firstScaleB: number;
  /** In a product of packed fp4 numbers: whether rows of A have 96 elements instead of 64 (sm_103). */
  readonly hasLongRows: boolean;
  /** In a product that keeps B: the maximum number of columns by which B may be shifted. */
  readonly greatestShift: number;
}

/** The values of `greatestShift`, by their codes in the instruction descriptor. */
const greatestShifts: readonly number[] = [0, 8, 16, 32];

export function readDescriptor(word: number): ProductDescriptor {
  const field = (low: number, width: number): number => (word >>> low) & (2 ** width - 1);
  return {
    sparse: field(2, 1) === 1,
    selector: field(0, 2),
    saturates: field(3, 1) === 1,
    d: field(4, 2),
    a: field(7, 3),
    b: field(10, 3),
    negatesA: field(13, 1) === 1,
    negatesB: field(14, 1) === 1,
    transposesA: field(15, 1) === 1,
    transposesB: field(16, 1) === 1,
    n: 8 * field(17, 6),
    m: 16 * field(24, 5),
    scaleFormat: field(23, 1),
    firstScaleA: field(29, 2),
    firstScaleB: field(4, 2),
    hasLongRows: field(31, 1) === 1,
    greatestShift: elementAt(greatestShifts, field(30, 2)),
  };
}
