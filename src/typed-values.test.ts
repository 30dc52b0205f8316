import { describe, expect, test } from 'vitest';
import { evaluate, evaluateValues, PtxlabError, type Value } from './index.ts';

function codeOf(run: () => unknown): string {
  try {
    return `no error: ${String(run())}`;
  } catch (error) {
    return error instanceof PtxlabError ? error.code : `not typed: ${String(error)}`;
  }
}

const pack = 'cvt.rn.satfinite.e4m3x2.f32';

describe('bits', () => {
  test.each([1.3, Number.NaN, Number.POSITIVE_INFINITY, undefined, null, '1', true, [1], {}])(
    '%s is not a bit pattern',
    (input) => {
      expect(codeOf(() => evaluate(pack, [0, input as number]))).toBe('argument-type');
    },
  );

  test.each([-500, -1n, 2 ** 32, 1n << 32n])('%s does not fit in 32 bits', (input) => {
    expect(codeOf(() => evaluate(pack, [0, input]))).toBe('argument-size');
  });

  test('a register wider than the operand determines the width', () => {
    expect(evaluate('cvt.u32.u8', [0x1ff], { source: 32 })).toEqual([0xff]);
    expect(codeOf(() => evaluate('cvt.u32.u8', [0x1ff]))).toBe('argument-size');
  });
});

describe('values', () => {
  test.each<[string, Value[], Value[]]>([
    [pack, [1.3, -500], [[1.25, -448]]],
    ['cvt.rn.f16x2.e4m3x2', [[1.5, -2]], [[1.5, -2]]],
    ['cvt.rn.satfinite.e2m1x2.f32', [6, -0.5], [[6, -0.5]]],
    ['add.s64', [-1n, 3], [2n]],
    ['sub.s32', [3, 5], [-2]],
    ['sub.u32', [3, 5], [0xfffffffe]],
    ['add.f64', [0.1, 0.2], [0.1 + 0.2]],
    ['add.f32', [Number.MAX_VALUE / 2 ** 900, 0], [Math.fround(Number.MAX_VALUE / 2 ** 900)]],
    ['setp.lt.f32', [1, 2], [true, false]],
    ['selp.f32', [1, -0, false], [-0]],
    ['sqrt.rn.f32', [-1], [Number.NaN]],
    [
      'add.f16x2',
      [
        [1, -2],
        [0.5, 0.5],
      ],
      [[1.5, -1.5]],
    ],
    ['popc.b64', [0xffn], [8]],
  ])('%s of %s', (mnemonic, inputs, results) => {
    expect(evaluateValues(mnemonic, inputs)).toEqual(results);
  });

  test('a midpoint is rounded once, to the even neighbor', () => {
    expect(evaluateValues('mov.f32', [1 + 2 ** -24])).toEqual([1]);
    expect(evaluateValues('mov.f32', [1 + 2 ** -24 + 2 ** -52])).toEqual([1 + 2 ** -23]);
  });

  test.each<[string, unknown]>([
    ['add.s32', 1.5],
    ['add.s32', '1'],
    ['add.f32', 1n],
    ['add.f32', undefined],
    ['add.f16x2', 1],
    ['add.f16x2', [1, 2, 3]],
    ['selp.f32', Number.NaN],
  ])('%s does not take %s', (mnemonic, input) => {
    const inputs = mnemonic.startsWith('selp') ? [0, 0, input] : [input, input];
    expect(codeOf(() => evaluateValues(mnemonic, inputs as Value[]))).toBe('argument-type');
  });

  test.each<[string, Value]>([
    ['add.s32', 2 ** 31],
    ['add.u32', -1],
    ['add.u64', 1n << 64n],
    ['add.f32', 1e300],
    ['add.f16', 1e6],
  ])('%s has no %s', (mnemonic, input) => {
    expect(codeOf(() => evaluateValues(mnemonic, [input, input]))).toBe('argument-size');
  });
});
