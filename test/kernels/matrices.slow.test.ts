/**
 * Tests kernels for matrix products and attention that are written in typical CUDA C++ and compiled by nvcc. Their
 * results are compared with those of a model of the GPU. The model computes each element of C as a chain of dot
 * products, one for each step along k. Every bit of the results must be the same as in the model, on both engines and
 * with two workers.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { elementAt } from '../../src/base/element-at.ts';
import { type Argument, Device, type GpuName, type LaunchOptions } from '../../src/device.ts';
import { evaluate } from '../../src/evaluate.ts';
import { prepareDot } from '../../src/evaluation/dot-product.ts';
import { elementFunction, scaleTerm } from '../../src/interp/matrix-element.ts';
import { findGpu } from '../../src/isa/gpus.ts';
import { keysOf } from '../../src/base/records.ts';
import { built } from '../cli/ptxlab.ts';
import { decode, encode, f16, f32, randomSource, values } from './reference.ts';

// Worker threads run the built package.
beforeAll(built, 120_000);

const ways = {
  interp: { engine: 'interp' },
  jit: { engine: 'jit' },
  'two workers': { engine: 'jit', workers: 2 },
} as const satisfies Readonly<Record<string, LaunchOptions>>;
type Way = keyof typeof ways;

/** Returns the bits of the element in the given row and column of a matrix. */
type Codes = (row: number, column: number) => number;

/**
 * The instruction with which the model computes an element of C, one step along k at a time, and the GPU whose
 * arithmetic the model uses.
 */
interface Model {
  readonly mnemonic: string;
  readonly gpu: GpuName;
  /** The scale factors for blocks of elements of A and B; absent if the instruction has no scale factors. */
  readonly scale?: { readonly format: 'ue8m0' | 'ue4m3'; readonly a: Codes; readonly b: Codes };
}

/**
 * Returns a function that computes one step along k for an element of C. The function multiplies elements of a row of A
 * by elements of a column of B, beginning with element `start`, and adds the products to c. All values are bit
 * patterns.
 */
function modelOf({ mnemonic, gpu, scale }: Model) {
  const found = findGpu(gpu);
  const prepared = prepareDot(mnemonic, { target: null, version: null }, found ?? null);
  if (!prepared.ok) throw new Error(prepared.error.message);
  const { product, count, scales } = prepared.value;
  const element = elementFunction(product);
  const read = scaleTerm(scale?.format ?? 'ue8m0');
  const step = (a: Codes, b: Codes, at: readonly [row: number, column: number, start: number], c: number): number => {
    const [row, column, start] = at;
    const along = Array.from({ length: count }, (_, i) => start + i);
    const factors = { a: along.map((k) => a(row, k)), b: along.map((k) => b(k, column)) };
    const own = Array.from({ length: scales }, (_, i) => {
      const block = (start / count) * scales + i;
      return [read(scale?.a(row, block) ?? 0), read(scale?.b(block, column) ?? 0)] as const;
    });
    return Number(element(factors, c, own));
  };
  return { count, step };
}

/** The bits of the elements of C, row by row. */
function hostProduct(
  model: Model,
  [m, n, k]: readonly [number, number, number],
  a: Codes,
  b: Codes,
): readonly number[] {
  const { count, step } = modelOf(model);
  return Array.from({ length: m * n }, (_, i) => {
    let c = 0;
    for (let start = 0; start < k; start += count) c = step(a, b, [Math.floor(i / n), i % n, start], c);
    return c >>> 0;
  });
}

interface Launched {
  readonly file: URL;
  readonly kernel: string;
  readonly gpu?: GpuName;
  readonly grid: readonly [number, number];
  readonly block: number;
  readonly inputs: readonly ArrayBufferView[];
  readonly bytes: number;
  readonly numbers: readonly number[];
}

/**
 * Launches a kernel and returns the contents of its output buffer. The arguments of the kernel are the inputs, followed
 * by the output buffer.
 */
async function launch(way: Way, { file, kernel, gpu, grid, block, inputs, bytes, numbers }: Launched) {
  const device = await Device.create({ simd: true, memory: 2 ** 22, ...(gpu === undefined ? {} : { gpu }) });
  const module = device.load(readFileSync(file, 'utf8'));
  const out = device.alloc(bytes);
  const args: readonly Argument[] = [...inputs.map((input) => device.alloc(input)), out, ...numbers];
  const result = await module.kernel(kernel).launch({ grid: [...grid, 1], block, args, ...ways[way] });
  if (!result.ok) throw new Error(`${result.fault.code} at line ${result.fault.line}: ${result.fault.message}`);
  return out;
}

const folder = new URL('./matrices/', import.meta.url);
const [m, n, k] = [64, 32, 64];
const random = randomSource(14);
const byte = (): number => Math.floor(random() * 256);

const halves = (count: number, seed: number): Uint16Array =>
  Uint16Array.from(values(count, seed), (value) => encode(f16, value));
const bytesOf = (count: number, make: () => number): Uint8Array => Uint8Array.from({ length: count }, make);
/** Random fp8 codes. Bit 6, which is an exponent bit, is cleared, so that no code is a NaN or an infinity. */
const fp8 = (count: number): Uint8Array => bytesOf(count, () => byte() & 0xbf);

const at =
  (codes: ArrayLike<number>, stride: number): Codes =>
  (row, column) =>
    elementAt(codes, row * stride + column);
/** Reads the codes of a matrix that is stored column by column. */
const across =
  (codes: ArrayLike<number>, stride: number): Codes =>
  (row, column) =>
    elementAt(codes, column * stride + row);
/** Reads the codes of a matrix that has two elements in each byte. The first of the two is in the low bits. */
const nibble =
  (codes: ArrayLike<number>, stride: number): Codes =>
  (row, column) =>
    (elementAt(codes, (row * stride + column) >> 1) >>> (4 * (column & 1))) & 15;

interface Case {
  readonly kernel: string;
  readonly file: string;
  readonly model: Model;
  readonly a: ArrayBufferView;
  readonly b: ArrayBufferView;
  readonly scales?: readonly Uint8Array[];
  readonly codes: readonly [a: Codes, b: Codes];
  /** True if another case tests the same kernel on a different GPU. */
  readonly isRepeated?: true;
}

function halfCase(kernel: string, mnemonic: string, gpu: GpuName): Case {
  const [a, b] = [halves(m * k, 1), halves(k * n, 2)];
  return { kernel, file: 'products.sm_80.ptx', model: { mnemonic, gpu }, a, b, codes: [at(a, k), at(b, n)] };
}

function byteCase(
  kernel: string,
  file: string,
  mnemonic: string,
  gpu: GpuName,
  make: (count: number) => Uint8Array,
): Case {
  const [a, b] = [make(m * k), make(n * k)];
  return { kernel, file, model: { mnemonic, gpu }, a, b, codes: [at(a, k), across(b, k)] };
}

function tf32Case(): Case {
  const [a, b] = [values(m * k, 3), values(k * n, 4)];
  const bits = (of: Float32Array): readonly number[] =>
    [...new Uint32Array(of.buffer)].map((one) => Number(elementAt(evaluate('cvt.rna.tf32.f32', [one]), 0)));
  const mnemonic = 'mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32';
  const codes = [at(bits(a), k), at(bits(b), n)] as const;
  return { kernel: 'tf32_mma', file: 'products.sm_80.ptx', model: { mnemonic, gpu: 'sm_80' }, a, b, codes };
}

function fp4Case(kernel: string, words: string, format: 'ue8m0' | 'ue4m3', perStep: number): Case {
  const [a, b] = [bytesOf((m * k) / 2, byte), bytesOf((n * k) / 2, byte)];
  const stride = (k / 64) * perStep;
  const scaleOf = (): number => (format === 'ue8m0' ? 120 + (byte() & 15) : byte() & 0x77);
  const [scaleA, scaleB] = [bytesOf(m * stride, scaleOf), bytesOf(n * stride, scaleOf)];
  const mnemonic = `mma.sync.aligned.m16n8k64.row.col.${words}.f32.e2m1.e2m1.f32.${format}`;
  const scale = { format, a: at(scaleA, stride), b: across(scaleB, stride) };
  const columns = nibble(b, k);
  return {
    kernel,
    file: 'narrow.sm_120a.ptx',
    model: { mnemonic, gpu: 'sm_120', scale },
    a,
    b,
    scales: [scaleA, scaleB],
    codes: [nibble(a, k), (row, column) => columns(column, row)],
  };
}

const mmaF16 = 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32';
const mmaFp8 = 'mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32';
const mmaInt8 = 'mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32';

const cases: readonly Case[] = [
  halfCase('f16_ldmatrix', mmaF16, 'sm_80'),
  { ...halfCase('f16_ldmatrix', mmaF16, 'sm_90'), isRepeated: true },
  halfCase('f16_wmma', 'wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32', 'sm_80'),
  byteCase('int8_mma', 'products.sm_80.ptx', mmaInt8, 'sm_80', (count) => bytesOf(count, byte)),
  tf32Case(),
  byteCase('fp8_mma', 'narrow.sm_89.ptx', mmaFp8, 'sm_89', fp8),
  { ...byteCase('fp8_mma', 'narrow.sm_89.ptx', mmaFp8, 'sm_90', fp8), isRepeated: true },
  fp4Case('mxfp4_mma', 'kind::mxf4.block_scale.scale_vec::2X', 'ue8m0', 2),
  fp4Case('nvfp4_mma', 'kind::mxf4nvf4.block_scale.scale_vec::4X', 'ue4m3', 4),
];

describe.each(cases.map((one) => [`${one.kernel} on ${one.model.gpu}`, one] as const))('%s', (_, one) => {
  const { kernel, file, model, a, b, scales = [], codes } = one;
  const wanted = hostProduct(model, [m, n, k], ...codes);
  // On a different GPU, only the arithmetic changes, so one way of running the kernel is enough.
  test.each(one.isRepeated === true ? ['jit' as const] : keysOf(ways))('%s', async (way) => {
    const out = await launch(way, {
      file: new URL(file, folder),
      kernel,
      gpu: model.gpu,
      grid: [n / 32, m / 32],
      block: 128,
      inputs: [a, b, ...scales],
      bytes: m * n * 4,
      numbers: [n, k],
    });
    expect([...out.read('u32')]).toEqual(wanted);
  });
});

// --- attention ------------------------------------------------------------------------------------------------------

const columns = 64;
/**
 * Random f16 numbers of moderate size. If the numbers were larger, nearly all of the attention weight would be on a
 * single key.
 */
const ordinary = (count: number): Uint16Array =>
  Uint16Array.from({ length: count }, () => encode(f16, 2 * (random() + random() + random()) - 3));

const floatOf = (bits: number): number => elementAt(new Float32Array(Uint32Array.of(bits).buffer), 0);
const bitsOf = (value: number): number => elementAt(new Uint32Array(Float32Array.of(value).buffer), 0);
const exp2 = (value: number): number => floatOf(Number(elementAt(evaluate('ex2.approx.ftz.f32', [bitsOf(value)]), 0)));

/** Computes one row of the result. All operations are rounded, in the same order as in the kernel. */
function attentionRow(
  gpu: GpuName,
  row: number,
  keys: number,
  [q, key, v]: readonly [Codes, Codes, Codes],
): readonly number[] {
  const { step } = modelOf({ mnemonic: mmaF16, gpu });
  const scale = f32(0.18033688);
  let greatest = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let out = new Array<number>(columns).fill(0);
  for (let start = 0; start < keys; start += 16) {
    const scores = Array.from({ length: 16 }, (_, j) => {
      let c = 0;
      for (let i = 0; i < columns; i += 16) c = step(q, (x, y) => key(y, x), [row, start + j, i], c);
      return floatOf(c >>> 0);
    });
    const next = Math.max(greatest, ...scores);
    const factor = exp2(f32(f32(greatest - next) * scale));
    greatest = next;
    const weights = scores.map((score) => exp2(f32(f32(score - next) * scale)));
    const lane = (t: number): number =>
      [2 * t, 2 * t + 1, 8 + 2 * t, 9 + 2 * t].reduce((total, j) => f32(total + elementAt(weights, j)), 0);
    const total = f32(f32(lane(0) + lane(1)) + f32(lane(2) + lane(3)));
    sum = f32(f32(sum * factor) + total);
    const weightCodes = weights.map((weight) => encode(f16, weight));
    out = out.map((value, column) => {
      const c = bitsOf(f32(value * factor));
      const from: Codes = (_, i) => elementAt(weightCodes, i);
      return floatOf(step(from, (i, x) => v(start + i, x), [0, column, 0], c) >>> 0);
    });
  }
  return out.map((value) => encode(f16, f32(value / sum)));
}

describe.each(['sm_80', 'sm_90'] as const)('attention on %s', (gpu) => {
  const [rows, keys] = [32, 32];
  const inputs = [ordinary(rows * columns), ordinary(keys * columns), ordinary(keys * columns)] as const;
  const [q, key, v] = inputs.map((codes) => at(codes, columns));
  const wanted = Array.from({ length: rows }, (_, row) =>
    q === undefined || key === undefined || v === undefined ? [] : attentionRow(gpu, row, keys, [q, key, v]),
  ).flat();

  test.each(gpu === 'sm_80' ? keysOf(ways) : ['jit' as const])('%s', async (way) => {
    const out = await launch(way, {
      file: new URL('../../examples/kernels/attention_sm80.ptx', import.meta.url),
      kernel: 'attention',
      gpu,
      grid: [rows / 16, 1],
      block: 32,
      inputs,
      bytes: rows * columns * 2,
      numbers: [keys],
    });
    expect([...out.read('u16')]).toEqual(wanted);
  });

  test('is close to softmax(Q K^T / 8) V in double precision', () => {
    const value = (codes: Uint16Array, row: number, column: number): number =>
      decode(f16, elementAt(codes, row * columns + column));
    const scores = Array.from(
      { length: keys },
      (_, j) =>
        Array.from({ length: columns }, (__, i) => value(inputs[0], 3, i) * value(inputs[1], j, i)).reduce(
          (x, y) => x + y,
          0,
        ) / 8,
    );
    const most = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - most));
    const sum = weights.reduce((x, y) => x + y, 0);
    for (let column = 0; column < columns; column++) {
      const exact = weights.reduce((total, weight, j) => total + weight * value(inputs[2], j, column), 0) / sum;
      const found = decode(f16, elementAt(wanted, 3 * columns + column));
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(0.01 * Math.max(1, Math.abs(exact)));
    }
  });
});
