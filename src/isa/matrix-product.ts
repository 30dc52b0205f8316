/** D = A * B + C over the lanes of a warp, described as data that both engines, explain and the listing read. */
import { type Conversion, plainConversion } from '../numerics/conversion.ts';
import type { DotArithmetic, FactorFormat } from '../numerics/dot-arithmetic.ts';
import type { IntegerName } from '../numerics/formats.ts';
import type { Fragment } from './fragments.ts';

/** A factor of a matrix product. */
export interface Factor<Format extends string> {
  readonly format: Format;
  readonly fragment: Fragment;
  /** The position of a code's lowest bit in its element: 2 for fp4 in bytes. */
  readonly low: number;
}

/** C or D. */
export interface Sum<Format extends string> {
  readonly format: Format;
  readonly fragment: Fragment;
}

/** The conversion of an element of C to the format of D, in which it is added. */
export function sumConversion(from: 'f16' | 'f32', to: 'f16' | 'f32'): Conversion {
  return { ...plainConversion(from, to), rounding: to === 'f16' ? 'rn' : null };
}

/**
 * Half of A is omitted. Two 2-bit indices of the metadata say which columns of a chunk are kept: `unit` is the number
 * of columns that one index stands for; a chunk has four units, two of which are kept. A metadata register has
 * `rowBits` bits for each row, and `lanes` of every four lanes provide metadata.
 */
export interface Sparsity {
  readonly unit: 0.5 | 1 | 2;
  readonly rowBits: 16 | 32;
  readonly lanes: 1 | 2 | 4;
}

/** Every `block` products along k (of kept elements) share a factor for the row of A and one for the column of B. */
export interface Scaling {
  readonly format: 'ue8m0' | 'ue4m3';
  readonly block: number;
  /** Number of products that are added exactly before they are scaled; 1 if each is scaled on its own. */
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
      'f16' | 'f32'
    >)
  | ({ readonly kind: 'double'; readonly rounding: 'rn' | 'rz' | 'rm' | 'rp' } & Matrices<'f64', 'f64'>)
  | ({ readonly kind: 'integer'; readonly satfinite: boolean } & Matrices<IntegerName, 's32'>)
  | ({ readonly kind: 'bits'; readonly op: 'and' | 'xor' } & Matrices<'b1', 's32'>);

export type ProductOf<Kind extends MatrixProduct['kind']> = Extract<MatrixProduct, { readonly kind: Kind }>;

/** Widths of the values that a lane contributes: registers of A, B and C, then metadata and selector, then scales. */
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
