/**
 * How tensor cores multiply and add: a table with the arithmetic of each generation of GPUs for each family of types.
 * Measured on V100, A100, A2, L40S, H100, H200 and B200 (MATLAB-tensor-core, arXiv 2512.07004; MMA-Sim, arXiv
 * 2511.10909).
 */
import type {
  Accumulator,
  ChunkEnd,
  DotArithmetic,
  FactorFormat,
  StepwiseArithmetic,
} from '../numerics/dot-arithmetic.ts';
import type { Gpu } from './gpus.ts';

/**
 * A family of products with the same arithmetic: the types of the elements and, for some types, the instruction. In the
 * family `mxf4`, products of e2m1 elements are computed in groups of 16, and each group has its own scale factors.
 */
export type ProductFamily =
  | 'f16'
  | 'bf16'
  | 'tf32'
  | 'fp8'
  | 'fp6 and fp4'
  | 'mxf8f6f4'
  | 'mxf4'
  | 'wmma of tf32'
  | 'wgmma of f16 and bf16'
  | 'wgmma of tf32'
  | 'wgmma of fp8'
  | 'tcgen05 of f16 and bf16'
  | 'tcgen05 of tf32'
  | 'tcgen05 of fp8, fp6 and fp4';

interface ArithmeticRow {
  /** The first and the last architecture to which the row applies, as numbers: 90 for sm_90. */
  readonly sm: readonly [from: number, to: number];
  readonly families: readonly ProductFamily[];
  readonly chunk: number;
  readonly kept: number;
  /** How the sum of a chunk is rounded if the result is f32. */
  readonly wideEnd?: ChunkEnd;
  readonly order?: DotArithmetic['order'];
  /** The exponent of a term that is zero, if it does not follow from `kept`. */
  readonly zeroExponent?: number;
}

const halfFamilies: readonly ProductFamily[] = ['f16', 'bf16'];
const newest = 999;

/** Rows for the same family are in ascending order of architectures. */
export const arithmeticRows: readonly ArithmeticRow[] = [
  { sm: [70, 74], families: ['f16'], chunk: 4, kept: 23 },
  { sm: [75, 79], families: ['f16'], chunk: 8, kept: 24 },
  { sm: [80, 89], families: halfFamilies, chunk: 8, kept: 24 },
  { sm: [80, 89], families: ['tf32', 'wmma of tf32'], chunk: 4, kept: 24 },
  { sm: [80, 89], families: ['fp8'], chunk: 16, kept: 13, wideEnd: 'e8m13' },
  { sm: [90, newest], families: halfFamilies, chunk: 16, kept: 25 },
  { sm: [90, newest], families: ['tf32'], chunk: 8, kept: 25 },
  { sm: [90, newest], families: ['wmma of tf32'], chunk: 4, kept: 25 },
  { sm: [90, 119], families: ['fp8'], chunk: 16, kept: 25, order: 'halves' },
  { sm: [120, newest], families: ['fp8'], chunk: 32, kept: 25 },
  { sm: [100, newest], families: ['fp6 and fp4', 'mxf8f6f4'], chunk: 32, kept: 25 },
  { sm: [90, 90], families: ['wgmma of f16 and bf16'], chunk: 16, kept: 25, zeroExponent: -133 },
  { sm: [90, 90], families: ['wgmma of tf32'], chunk: 8, kept: 25, zeroExponent: -133 },
  { sm: [90, 90], families: ['wgmma of fp8'], chunk: 32, kept: 13, wideEnd: 'e8m13', zeroExponent: -133 },
  { sm: [100, newest], families: ['tcgen05 of f16 and bf16'], chunk: 16, kept: 25, zeroExponent: -133 },
  { sm: [100, newest], families: ['tcgen05 of tf32'], chunk: 8, kept: 25 },
  { sm: [100, newest], families: ['tcgen05 of fp8, fp6 and fp4'], chunk: 32, kept: 25 },
  // The sums of four groups are added to the accumulator in one step.
  { sm: [100, newest], families: ['mxf4'], chunk: 4, kept: 35, zeroExponent: -139 },
];

/**
 * The arithmetic that a GPU uses for products of this family. If the GPU is older than all architectures that the rows
 * of this family cover, the first row is used.
 */
export function arithmeticOf(gpu: Gpu, family: ProductFamily, to: Accumulator): DotArithmetic {
  const own = arithmeticRows.filter(({ families }) => families.includes(family));
  const row = own.find(({ sm: [from, last] }) => from <= gpu.sm && gpu.sm <= last) ?? own[0];
  if (row === undefined) throw new Error(`there is no arithmetic for ${family}`);
  const { chunk, kept, wideEnd = 'f32', order = 'direct' } = row;
  const addsInF32 = to === 'f32' || order === 'halves';
  const { zeroExponent = zeroExponentOf(kept, addsInF32) } = row;
  return { chunk, kept, zeroExponent, end: to === 'f16' ? 'f16' : wideEnd, order };
}

/**
 * The exponent of a term that is zero. The two formulas summarize the models of MMA-Sim, which are based on
 * measurements of GPUs. If terms are added in f32, the exponent is -131 with 23 bits, -132 with 24 bits, and -133 with
 * 25 bits. If they are added in f16, it is -20, -21 and -22, respectively.
 */
function zeroExponentOf(kept: number, addsInF32: boolean): number {
  return addsInF32 ? -108 - kept : 3 - kept;
}

/** From this architecture on, ptxas replaces some instructions with several others. Measured on an H200. */
const emulating = 80;

/** The format in which a GPU computes sums. */
export function sumFormatOn({ sm }: Gpu, c: Accumulator, d: Accumulator): Accumulator {
  return sm >= emulating && c === 'f32' ? c : d;
}

/**
 * The arithmetic of m8n8k4 with f16 on a GPU that emulates this instruction by multiplying and adding single elements.
 * Null if the GPU has the instruction.
 */
export function fourfoldArithmetic({ sm }: Gpu, to: Accumulator): StepwiseArithmetic | null {
  if (sm < emulating) return null;
  return to === 'f16' ? { group: 2, start: 'c' } : { group: 1, start: 'zero' };
}

/** The bits of a NaN result in f64; null if the NaN of an operand is passed on, as in fma. Measured on an H200. */
export function doubleNan({ sm }: Gpu): bigint | null {
  return sm === 90 ? null : 0x7fff_ffff_ffff_ffffn;
}

/** The family to which products of elements in these two formats belong. */
export function familyOf(a: FactorFormat, b: FactorFormat): ProductFamily {
  const fp8 = (format: FactorFormat): boolean => format === 'e4m3' || format === 'e5m2';
  if (a === 'f16' || a === 'bf16' || a === 'tf32') return a;
  return fp8(a) && fp8(b) ? 'fp8' : 'fp6 and fp4';
}
