/**
 * Measures m128n256 products of tcgen05.mma in tensor memory. Each product is computed twice: row by row, with the code
 * that the fast engine generates, and element by element, as in the reference engine. The two results must be equal.
 */
import { elementAt } from '../../src/base/element-at.ts';
import { findGpu } from '../../src/isa/gpus.ts';
import { arithmeticOf, type ProductFamily } from '../../src/isa/matrix-arithmetic.ts';
import { tensorAllocation, tensorMemoryBytes, tensorOffset } from '../../src/isa/tensor-memory.ts';
import type { TensorProduct, TensorScaling } from '../../src/isa/tensor-product.ts';
import { tileRows } from '../../src/jit/matrix/tile-rows.ts';
import type { ProductCall } from '../../src/machine/tensor-memory/product-call.ts';
import { multiplyInTensor } from '../../src/machine/tensor-memory/product.ts';
import type { FactorFormat } from '../../src/numerics/dot-arithmetic.ts';
import { linearCongruential } from '../linear-congruential.ts';
import type { Row } from './run-kernels.ts';

const [m, n] = [128, 256] as const;

interface TensorCase {
  readonly what: string;
  readonly format: FactorFormat;
  readonly bits: 4 | 8 | 16 | 32;
  readonly family: ProductFamily;
  readonly scaling: TensorScaling | null;
  /** The code for the format of A and B in the instruction descriptor. */
  readonly code: 0 | 1;
}

const halves = 'tcgen05 of f16 and bf16';
const small = 'tcgen05 of fp8, fp6 and fp4';
const cases: readonly TensorCase[] = [
  { what: 'f16', format: 'f16', bits: 16, family: halves, scaling: null, code: 0 },
  { what: 'bf16', format: 'bf16', bits: 16, family: halves, scaling: null, code: 1 },
  { what: 'tf32', format: 'tf32', bits: 32, family: 'tcgen05 of tf32', scaling: null, code: 0 },
  { what: 'e4m3', format: 'e4m3', bits: 8, family: small, scaling: null, code: 0 },
  {
    what: 'mxf8f6f4 of e4m3',
    format: 'e4m3',
    bits: 8,
    family: small,
    scaling: { count: 1, formats: { 1: 'ue8m0' }, groups: false },
    code: 0,
  },
  {
    what: 'mxf4nvf4 in blocks of 16',
    format: 'e2m1',
    bits: 4,
    family: 'mxf4',
    scaling: { count: 4, formats: { 0: 'ue4m3' }, groups: true },
    code: 1,
  },
];

const columnOfScales = 300;

/** Bytes whose codes are finite numbers near 1 in each of the formats. */
function factorBytes(bits: number): Uint8Array {
  const word = linearCongruential(1);
  const bytes = Uint8Array.from({ length: 2 ** 15 }, () => word() >>> 24);
  if (bits === 4) return bytes;
  return bytes.map((one, i) => ((8 * i) % bits === bits - 8 ? (one & 0x83) | 0x38 : one));
}

/**
 * Computes a product in several rounds and adds the results to sums that start at 0. Returns the speed of the fastest
 * round, and the sums.
 */
function measure(
  one: TensorCase,
  multiplier: typeof tileRows | null,
): { readonly rate: number; readonly sums: Buffer } {
  const shared = factorBytes(one.bits);
  const tensor = new Uint8Array(tensorMemoryBytes);
  tensor.set([0xff, 0xff, 0, 0], tensorAllocation);
  for (let lane = 0; lane < 32; lane++) {
    const at = tensorOffset(lane, columnOfScales);
    tensor.fill(one.bits === 4 ? 0x38 : 126, at, at + 64);
  }
  const access = {
    chunk: (address: number) => shared.subarray(address, address + 16),
    read: (offset: number, size: number) => tensor.subarray(offset, offset + size),
    write: (offset: number, size: number) => tensor.subarray(offset, offset + size),
  };
  const call = callOf(one);
  const [rounds, calls] = [8, 8];
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < calls; i++) multiplyInTensor(call, [access], multiplier);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  const rows = Array.from({ length: m }, (_, lane) => tensor.slice(tensorOffset(lane, 0), tensorOffset(lane, n)));
  return { rate: (calls * m * n * (256 / one.bits)) / best / 1e9, sums: Buffer.concat(rows) };
}

function callOf({ format, bits, family, scaling, code }: TensorCase): ProductCall {
  const gpu = findGpu('B200');
  if (gpu === undefined) throw new Error('B200 is unknown');
  const product: TensorProduct = {
    kind: 'float',
    factors: { [code]: format },
    bits,
    sums: { 1: arithmeticOf(gpu, family, 'f32') },
    scaling,
    blocks: 1,
    aInTensor: false,
    sparse: false,
    stationary: false,
    shapes: { m: [m], n: [n] },
  };
  // Matrices without a swizzle: adjacent chunks along K are 128 bytes apart, and adjacent groups of lines are 256 bytes
  // apart.
  const matrixAt = (address: number): bigint => BigInt(address >> 4) | (8n << 16n) | (16n << 32n);
  const scaleCode = elementAt(Object.keys(scaling?.formats ?? { 0: '' }), 0);
  const types = (scaling === null ? 1 << 4 : 0) | (code << 7) | (code << 10) | (Number(scaleCode) << 23);
  return {
    product,
    d: 0n,
    a: matrixAt(0),
    b: matrixAt(8192),
    instruction: types | ((n / 8) << 17) | ((m / 16) << 24),
    adds: true,
    scale: 0,
    scales: [BigInt(columnOfScales), BigInt(columnOfScales + 4)],
    metadata: 0n,
    zeroColumns: 0n,
    unchanged: [],
  };
}

export function tensorProductRows(): readonly Row[] {
  return cases.map((one) => {
    const [fast, slow] = [measure(one, tileRows), measure(one, null)];
    if (!fast.sums.equals(slow.sums)) throw new Error(`${one.what}: the results differ`);
    return {
      what: `tcgen05.mma of ${one.what}`,
      figure: `${fast.rate.toFixed(2)} G products/s of CPU time`,
      beside: `element by element ${slow.rate.toFixed(2)} G products/s, ${(fast.rate / slow.rate).toFixed(1)} x`,
    };
  });
}
