import { describe, expect, test } from 'vitest';
import { explain } from './explain.ts';
import { evaluateDot, evaluateDotValues, explainDot, explainMatrices, products } from './dot-products.ts';

const f16 = 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32';
const nvfp4 = 'mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3';

function list<T>(count: number, element: (i: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, i) => element(i));
}

describe('one element of a product', () => {
  test('differs between GPUs that cut terms off at different places', () => {
    const a = list(16, (i) => (i === 0 ? 2048 : 2 ** -14));
    const b = list(16, () => 1);
    const on = (gpu: 'A100' | 'H100'): unknown => evaluateDotValues(f16, { a, b }, { gpu });
    expect(on('A100')).toBe(2048);
    expect(on('H100')).toBe(2048 + 3 * 2 ** -12);
  });

  test('bits of every kind of element', () => {
    const integer = 'mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32';
    expect(evaluateDot(integer, { a: list(32, () => 0xf), b: list(32, () => 0xf), c: 0xffffffff })).toBe(
      (-32 * 15 - 1) >>> 0,
    );
    const bits = 'mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc';
    expect(evaluateDot(bits, { a: list(128, (i) => i & 1), b: list(128, () => 1), c: 1 })).toBe(65);
    const double = 'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64';
    expect(evaluateDotValues(double, { a: [1, 2, 3, 4], b: [1, 1, 1, 0.5], c: -1 })).toBe(7);
  });

  test('the scales of a block multiply the products of that block', () => {
    const [a, b] = [list(64, () => 1), list(64, () => 0.5)];
    expect(evaluateDotValues(nvfp4, { a, b })).toBe(32);
    expect(evaluateDotValues(nvfp4, { a, b, scaleA: [1, 2, 4, 8], scaleB: [1, 1, 1, 0.5] })).toBe(8 * (1 + 2 + 4 + 4));
  });

  test('an explanation gives the terms in units of the last kept place', () => {
    const explained = explainDot(
      f16,
      { a: list(16, () => 0x3c00), b: list(16, (i) => (i === 3 ? 0x3c00 : 0)) },
      { gpu: 'A100' },
    );
    expect(explained?.chunks.map(({ greatest, unit, sum, result }) => [greatest, unit, sum, result])).toEqual([
      [0, -24, 2 ** 24, 0x3f800000],
      [0, -24, 2 ** 24, 0x3f800000],
    ]);
    expect(explained?.byGpu.map(({ gpus }) => gpus)).toEqual(['sm_80 to sm_89', 'sm_90 and later']);
  });
});

describe('mistakes are typed errors', () => {
  const elements = list(16, () => 0);
  const code = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    }
  };
  test.each<[string, string, () => unknown]>([
    ['too few elements', 'argument-size', () => evaluateDot(f16, { a: [0], b: elements })],
    [
      'an element that has too many bits',
      'argument-size',
      () => evaluateDot(f16, { a: elements.with(3, 0x10000), b: elements }),
    ],
    ['a fraction as bits', 'argument-type', () => evaluateDot(f16, { a: elements.with(3, 0.5), b: elements })],
    [
      'an unknown GPU',
      'unknown-gpu',
      () => Reflect.apply(evaluateDot, null, [f16, { a: elements, b: elements }, { gpu: 'GTX' }]),
    ],
    [
      'a GPU without the instruction',
      'unfit-gpu',
      () => evaluateDot(f16, { a: elements, b: elements }, { gpu: 'sm_75' }),
    ],
    ['an instruction that multiplies no matrices', 'NOT_A_PRODUCT', () => evaluateDot('add.f32', { a: [0], b: [0] })],
    ['a mnemonic that is not legal', 'PTX2001', () => evaluateDot('mna', { a: [0], b: [0] })],
  ])('%s: %s', (_, expected, run) => {
    expect(code(run)).toBe(expected);
  });
});

test('every listed product can be computed on the first GPU that is listed with it', () => {
  const entries = products();
  const opcodes = new Set(entries.map(({ mnemonic }) => mnemonic.replace(/(\.(and|xor)\.popc|::\w+)?\.sync.*/, '')));
  expect(opcodes).toEqual(new Set(['mma', 'mma.sp', 'wmma.mma']));
  for (const { mnemonic, count, gpus, d } of entries) {
    const zeros = list(count, () => (d === 'f64' ? 0n : 0));
    const [gpu] = gpus;
    if (gpu === undefined) throw new Error(`${mnemonic} has no GPU`);
    expect.soft(() => evaluateDot(mnemonic, { a: zeros, b: zeros }, { gpu }), mnemonic).not.toThrow();
  }
});

test('the matrices of an instruction are those that explain draws', () => {
  const explained = explain(f16);
  if (explained.kind !== 'instruction') throw new Error('mma is an instruction');
  const { fragments, product } = explained;
  expect(explainMatrices(f16)).toEqual({ fragments, product });
});
