/**
 * Lists questions about matrix instructions that cannot be answered from the recordings of real hardware, and what
 * ptxlab does in each case.
 */
import type { Choice } from '../numerics/open-choices.ts';
import type { MatrixProduct } from './matrix-product.ts';

/**
 * The opcode of a matrix instruction, and the matrix product that it computes. The product is null if the instruction
 * only moves a matrix.
 */
export interface MatrixUse {
  readonly opcode: string;
  readonly product: MatrixProduct | null;
}

export interface MatrixChoice extends Choice {
  readonly appliesTo: (use: MatrixUse) => boolean;
}

type FloatProduct = Extract<MatrixProduct, { readonly kind: 'float' }>;

const withFloats =
  (matches: (product: FloatProduct) => boolean) =>
  ({ product }: MatrixUse): boolean =>
    product?.kind === 'float' && matches(product);

const byWarpgroup = ({ opcode }: MatrixUse): boolean => opcode.startsWith('wgmma');

const isFp8 = ({ a, b, scaling }: FloatProduct): boolean =>
  scaling === null && [a, b].every(({ format }) => format === 'e4m3' || format === 'e5m2');
const isFp6 = ({ a, b }: FloatProduct): boolean => [a, b].some(({ format }) => format === 'e3m2' || format === 'e2m3');

/** The evidence for results that were measured on only one GPU. */
const onH200 = 'measured on an H200; assumed for other GPUs';

/**
 * The questions, each with ptxlab's choice and the evidence for it. If the evidence is `assumed`, the question can be
 * settled only by a test on hardware, and no such test has been done.
 */
export const matrixChoices: readonly MatrixChoice[] = [
  {
    id: 'matrix-zero',
    title: 'zeros and subnormals among the terms of a product',
    choice: 'sums of zeros are +0 regardless of their signs; subnormals have the lowest exponent of their format',
    evidence: 'measured on an H200; assumed for other GPUs, following MMA-Sim',
    appliesTo: withFloats(() => true),
  },
  {
    id: 'matrix-nan-f64',
    title: 'bits of a NaN result in f64',
    choice: 'on sm_90, the NaN that a chain of fused multiply-adds gives; on other GPUs, 0x7fffffffffffffff',
    evidence: onH200,
    appliesTo: ({ product }) => product?.kind === 'double',
  },
  {
    id: 'matrix-fourfold',
    title: 'm8n8k4 of f16 on sm_80 and later GPUs, which emulate it with other instructions',
    choice:
      'every sum is rounded to the nearest f32 number: with f32 results, the products are added one by one to zero, and c is added last; with f16 results, sums of two products are added to c',
    evidence: onH200,
    appliesTo: ({ product }) => product?.kind === 'stepwise',
  },
  {
    id: 'matrix-mixed-sums',
    title: 'wmma.mma with C of f32 and D of f16',
    choice:
      'on sm_80 and later, the sum is computed in f32 and then rounded to f16; on older GPUs, C is converted to f16 first',
    evidence: onH200,
    appliesTo: withFloats(({ c, d }) => c.format === 'f32' && d.format === 'f16'),
  },
  {
    id: 'matrix-fp8-halves',
    title: 'order of the two halves of fp8 products on sm_90 to sm_110',
    choice:
      'the elements are converted to f16; first those with k % 4 < 2, then the others, where k counts the elements that are kept; c is added last',
    evidence: 'measured on an H200, and with f16 results on H100 and B200; assumed for f32 results on other GPUs',
    appliesTo: (use) => !byWarpgroup(use) && withFloats((product) => isFp8(product) && product.k >= 32)(use),
  },
  {
    id: 'matrix-fp8-k16',
    title: 'fp8 products with k = 16 on sm_90 to sm_110',
    choice: 'two chunks of 8, as with k = 32',
    evidence: onH200,
    appliesTo: withFloats((product) => isFp8(product) && product.k === 16),
  },
  {
    id: 'matrix-fp6',
    title: 'products of e3m2 and e2m3',
    choice: 'aligned and truncated like fp8 products',
    evidence: 'assumed',
    appliesTo: withFloats(isFp6),
  },
  {
    id: 'matrix-sparse',
    title: 'chunks of a sparse product',
    choice: 'the same as for a dense product of the elements that are not omitted',
    evidence: onH200,
    appliesTo: withFloats(({ sparsity }) => sparsity !== null),
  },
  {
    id: 'matrix-metadata',
    title: 'columns that metadata may select',
    choice:
      'indices may be in any order; a column that appears twice is multiplied twice; for tf32, each index selects 16 of the 32 bits of the element of B, the low ones first',
    evidence: `${onH200}; section 9.7.14.6.1 of PTX ISA 9.1 does not define the result for other indices`,
    appliesTo: ({ product }) => product !== null && product.sparsity !== null,
  },
  {
    id: 'matrix-sm-103',
    title: 'floating-point products on sm_103',
    choice: 'as on sm_100',
    evidence: 'assumed',
    appliesTo: (use) => !byWarpgroup(use) && withFloats(() => true)(use),
  },
  {
    id: 'matrix-wmma-layout',
    title: 'which lane holds which element in wmma fragments',
    choice: 'the layout of mma; m8n32k16 has the layouts of the transposed matrices of m32n8k16',
    evidence: `PTX ISA 9.1, section 9.7.14.4.1: unspecified; ${onH200}`,
    appliesTo: ({ opcode }) => opcode.startsWith('wmma'),
  },
  {
    id: 'wgmma-arithmetic',
    title: 'order and rounding of the sums of wgmma',
    choice: 'one chunk for each instruction; for fp8, sums are aligned and truncated as on sm_89',
    evidence: 'measured on an H200, and by MMA-Sim',
    appliesTo: (use) => byWarpgroup(use) && withFloats(() => true)(use),
  },
  {
    id: 'wgmma-base-offset',
    title: 'swizzle of a matrix whose descriptor has a base offset',
    choice: 'the base offset is subtracted from bits 9 to 7 of the address before they select the chunk',
    evidence: 'measured on an H200',
    appliesTo: byWarpgroup,
  },
];
