/** The families of types that wmma supports, and the parts that its loads, stores and products have in common. */
import type { AvailabilityRow } from '../../conditions.ts';
import { type Fragment, fragmentOf, type Side, transposed } from '../../fragments.ts';
import { at, type Availability, parseVersion } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { needs, needsModifier, row } from '../availability-rows.ts';
import type { ListType, SumType } from './parts.ts';
import {
  bitwise,
  doubles,
  floatProduct,
  floats,
  integers,
  type ProductOf,
  registersOf,
  type Shape,
  sumFormat,
} from './products.ts';

/** Types of A and B that support the same shapes. */
export interface Family {
  readonly name: string;
  readonly factors: readonly TypeName[];
  readonly sums: readonly SumType[];
  readonly bits: number;
  /**
   * The types of the registers that receive loaded matrices (`loaded`), and of the registers that contain the factors
   * of a product (`multiplied`).
   */
  readonly loaded: ListType;
  readonly multiplied: ListType;
  readonly shapes: readonly string[];
  readonly ways: readonly Availability[];
  /** True if A must be stored by rows and B by columns. */
  readonly rowColumn?: boolean;
  /**
   * The notation for `.aligned` in syntax lines if this modifier may be omitted. Types that were introduced later
   * always require it.
   */
  readonly aligned?: '{.aligned}';
  /**
   * True if A and B always have 8 registers, which contain copies: each element occurs twice if the matrix has 256
   * elements, and four times if it has 128.
   */
  readonly hasCopies?: boolean;
  /**
   * True if the syntax line of wmma.mma contains only the types of D and C, because the types of A and B are implied.
   */
  readonly areFactorsImplied?: boolean;
  /**
   * The words in the syntax line of wmma.mma that are written after the opcode, before the types, and after the types.
   */
  readonly op?: string;
  readonly before?: string;
  readonly after?: string;
  /** The versions and targets that support the modifiers of wmma.mma. */
  readonly productRows?: readonly AvailabilityRow[];
  readonly product: ProductOf;
}

const halves: ProductOf = (fragments, variant, environment) =>
  floatProduct(fragments, ['f16', 'f16', sumFormat(variant, 1), sumFormat(variant, 0)], environment);

const wordFloats: ProductOf = (fragments, _variant, environment) =>
  floatProduct(fragments, ['tf32', 'tf32', 'f32', 'f32'], environment, { family: 'wmma of tf32' });

/** For floats, the modifier was allowed only up to version 6.4. */
const finiteRow = needs(
  'wmma.mma of floats with .satfinite',
  { modifiers: ['.satfinite'] },
  { ...at('5.1', 70), until: parseVersion('6.5') },
);

const wide = ['m16n16k16', 'm32n8k16', 'm8n32k16'];
const ampere = [at('7.0', 80)];

export const families: readonly Family[] = [
  {
    name: 'f16',
    factors: ['.f16'],
    sums: ['.f16', '.f32'],
    bits: 16,
    loaded: 'f16',
    multiplied: 'f16',
    shapes: wide,
    ways: [at('5.1', 70)],
    aligned: '{.aligned}',
    hasCopies: true,
    areFactorsImplied: true,
    after: '{.satfinite}',
    productRows: [finiteRow],
    product: halves,
  },
  {
    name: 'bf16',
    factors: ['.bf16'],
    sums: ['.f32'],
    bits: 16,
    loaded: 'bits',
    multiplied: 'bits',
    shapes: wide,
    ways: ampere,
    product: floats,
  },
  {
    name: 'tf32',
    factors: ['.tf32'],
    sums: ['.f32'],
    bits: 32,
    loaded: 'bits',
    multiplied: 'bits',
    shapes: ['m16n16k8'],
    ways: ampere,
    product: wordFloats,
  },
  {
    name: 'f64',
    factors: ['.f64'],
    sums: ['.f64'],
    bits: 64,
    loaded: 'f64',
    multiplied: 'f64',
    shapes: ['m8n8k4'],
    ways: ampere,
    before: '{.frnd}',
    product: doubles,
  },
  ...(['.s8', '.u8'] as const).map(
    (type): Family => ({
      name: type.slice(1),
      factors: [type],
      sums: ['.s32'],
      bits: 8,
      loaded: 's32',
      multiplied: 's32',
      shapes: wide,
      ways: [at('6.3', 72)],
      after: '{.satfinite}',
      product: integers,
    }),
  ),
  ...(['.s4', '.u4'] as const).map(
    (type): Family => ({
      name: type.slice(1),
      factors: [type],
      sums: ['.s32'],
      bits: 4,
      loaded: 'any',
      multiplied: 's32',
      shapes: ['m8n8k32'],
      ways: [at('6.3', 75)],
      rowColumn: true,
      after: '{.satfinite}',
      product: integers,
    }),
  ),
  {
    name: 'b1',
    factors: ['.b1'],
    sums: ['.s32'],
    bits: 1,
    loaded: 'any',
    multiplied: 's32',
    shapes: ['m8n8k128'],
    ways: [at('6.3', 75)],
    rowColumn: true,
    op: '.bitOp.popc',
    productRows: [needs('wmma.mma with .and', { modifiers: ['.and'] }, at('7.1', 80))],
    product: bitwise,
  },
];

/** Before PTX 6.3, `.aligned` could be omitted. */
const alignedRows: readonly AvailabilityRow[] = [
  needsModifier('.aligned', at('6.3', 70)),
  needs('wmma without .aligned', { without: ['.aligned'] }, { ...at('5.1', 70), until: parseVersion('6.3') }),
];

/** The shapes that were introduced later than the instruction itself. */
const laterShapes: ReadonlySet<string> = new Set(['m32n8k16', 'm8n32k16']);

/** The versions and targets that every form with this shape requires. */
export function rowsFor(shape: string): readonly AvailabilityRow[] {
  return laterShapes.has(shape) ? [...alignedRows, row(`.${shape}`, at('6.1', 70))] : alignedRows;
}

/** The fragment of A, B or C; D has the same fragment as C. `bits` is the size of an element. */
export function fragmentIn({ hasCopies = false }: Family, side: Side, { m, n, k }: Shape, bits: number): Fragment {
  const [rows, columns] = side === 'a' ? [m, k] : side === 'b' ? [k, n] : [m, n];
  const registers = hasCopies && side !== 'c' ? 8 : registersOf(rows * columns, bits);
  // m8n32k16 is computed as the transpose of m32n8k16.
  if (m < n) return transposed(fragmentOf(transposedSide[side], { rows: columns, columns: rows, bits, registers }));
  return fragmentOf(side, { rows, columns, bits, registers });
}

/** The place of each matrix in the transposed product: A and B change places, and C stays where it is. */
const transposedSide: Readonly<Record<Side, Side>> = { a: 'b', b: 'a', c: 'c' };
