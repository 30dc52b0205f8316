/** The steps of tcgen05.mma: a single step multiplies the matrices. */
import type { FactorFormat } from '../../../numerics/dot-arithmetic.ts';
import type { Environment } from '../../environment.ts';
import { arithmeticOf, type ProductFamily } from '../../matrix-arithmetic.ts';
import type { Step } from '../../steps/step.ts';
import type { TensorProduct, TensorScaling } from '../../tensor-product.ts';
import { refsOf } from '../matrix/parts.ts';
import { shapesOf } from './product-shapes.ts';

/**
 * The kind of a product, which determines the element types of A and B and the arithmetic. The value is the name of a
 * modifier or, for products with scale factors, the name of the kind. For mxf4nvf4, the value includes the number of
 * elements that share a scale factor.
 */
export type Kind =
  | '.kind::f16'
  | '.kind::tf32'
  | '.kind::f8f6f4'
  | '.kind::i8'
  | 'mxf8f6f4'
  | 'mxf4'
  | 'mxf4nvf4 in blocks of 32'
  | 'mxf4nvf4 in blocks of 16';

/** Products of floats: the formats of A and B by their codes, and the number of bits that an element takes up. */
interface FloatRow {
  readonly kind: 'float';
  readonly factors: Readonly<Record<number, FactorFormat>>;
  readonly bits: 4 | 8 | 16 | 32;
  readonly family: ProductFamily;
  /** The formats of D, by their codes. */
  readonly sums: Readonly<Record<number, 'f16' | 'f32'>>;
  readonly scaling?: TensorScaling;
}

/** Products of integers, whose sums are always s32. */
type IntegerRow = Pick<Extract<TensorProduct, { readonly kind: 'integer' }>, 'kind' | 'factors' | 'bits'>;

const smallFloats = { 0: 'e4m3', 1: 'e5m2', 3: 'e2m3', 4: 'e3m2', 5: 'e2m1' } as const;
const fours = { kind: 'float', factors: { 1: 'e2m1' }, bits: 4, family: 'mxf4', sums: { 1: 'f32' } } as const;
const powers = { 1: 'ue8m0' } as const;

const kinds: Readonly<Record<Kind, FloatRow | IntegerRow>> = {
  '.kind::f16': {
    kind: 'float',
    factors: { 0: 'f16', 1: 'bf16' },
    bits: 16,
    family: 'tcgen05 of f16 and bf16',
    sums: { 0: 'f16', 1: 'f32' },
  },
  '.kind::tf32': { kind: 'float', factors: { 2: 'tf32' }, bits: 32, family: 'tcgen05 of tf32', sums: { 1: 'f32' } },
  '.kind::f8f6f4': {
    kind: 'float',
    factors: smallFloats,
    bits: 8,
    family: 'tcgen05 of fp8, fp6 and fp4',
    sums: { 0: 'f16', 1: 'f32' },
  },
  '.kind::i8': { kind: 'integer', factors: { 0: 'u8', 1: 's8' }, bits: 8 },
  mxf8f6f4: {
    kind: 'float',
    factors: smallFloats,
    bits: 8,
    family: 'mxf8f6f4',
    sums: { 1: 'f32' },
    scaling: { count: 1, formats: powers, groups: false },
  },
  mxf4: { ...fours, scaling: { count: 2, formats: powers, groups: true } },
  'mxf4nvf4 in blocks of 32': { ...fours, scaling: { count: 2, formats: { 0: 'ue4m3', 1: 'ue8m0' }, groups: true } },
  'mxf4nvf4 in blocks of 16': { ...fours, scaling: { count: 4, formats: { 0: 'ue4m3', 1: 'ue8m0' }, groups: true } },
};

/** The product that an instruction of this kind computes. */
function productOf(
  kind: Kind,
  { aInTensor, sparse, stationary, blocks }: ProductOptions,
  { gpu }: Environment,
): TensorProduct {
  const options = { aInTensor, sparse, stationary, blocks };
  const row = kinds[kind];
  if (row.kind === 'integer') return { ...options, shapes: shapesOf('integer', options), ...row };
  const { factors, bits, family, scaling = null } = row;
  const shapes = shapesOf(scaling === null ? 'plain' : 'scaled', options);
  const sums = Object.entries(row.sums).map(([code, to]) => [code, arithmeticOf(gpu, family, to)] as const);
  return { ...options, shapes, kind: 'float', factors, bits, sums: Object.fromEntries(sums), scaling };
}

/**
 * The options of an instruction: for example, where A is stored, and which operands the instruction has in addition to
 * the matrices.
 */
export interface ProductOptions {
  readonly aInTensor: boolean;
  readonly sparse: boolean;
  /** Whether the instruction is weight-stationary (`tcgen05.mma.ws`). */
  readonly stationary: boolean;
  /** The number of blocks that compute the product together. */
  readonly blocks: 1 | 2;
  /** Whether the instruction has a mask of lanes of D that remain unchanged. */
  readonly masked: boolean;
  /** Whether the instruction has the operand `scale-input-d`, by which it scales the previous value of D. */
  readonly scalesInput: boolean;
  /** Whether the elements have scale factors. */
  readonly blockScaled: boolean;
  /** Whether the instruction has a zero-column mask descriptor. */
  readonly zeroColumns: boolean;
}

export function productSteps(kind: Kind, options: ProductOptions, environment: Environment): readonly Step[] {
  const { aInTensor, sparse, blocks, masked, scalesInput, blockScaled, zeroColumns } = options;
  return [
    {
      kind: 'tensor-product',
      product: productOf(kind, options, environment),
      tensorSpace: 'tensor',
      space: 'shared',
      d: '$d',
      a: aInTensor ? '$a' : '$a-desc',
      b: '$b-desc',
      instruction: '$idesc',
      adds: '$enable-input-d',
      scale: scalesInput ? '$scale-input-d' : null,
      scales: blockScaled ? ['$scale-a', '$scale-b'] : null,
      metadata: sparse ? '$sp-meta' : null,
      zeroColumns: zeroColumns ? '$zero-column-mask-desc' : null,
      unchanged: masked ? refsOf('disable-output-lane', 4 * blocks) : null,
    },
  ];
}
