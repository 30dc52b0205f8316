/**
 * Compares the WebAssembly implementation of quantization with the plain JavaScript implementation, which serves as the
 * reference.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { schemes } from '../../src/arrays/quantized/block-formats.ts';
import { dequantize } from '../../src/arrays/quantized/dequantize.ts';
import { quantize, type QuantizeOptions } from '../../src/arrays/quantized/quantize.ts';
import type { QuantizedArray } from '../../src/arrays/quantized/quantized-array.ts';
import type { SourceArray } from '../../src/arrays/elements/source-values.ts';
import { formats } from '../../src/numerics/formats.ts';
import { anyBits, difference, moderate, special } from './numbers.ts';

const names = [...schemes.keys()];

/** Requests dense packing for codes narrower than a byte. Other codes cannot be packed. */
function packed(to: string): Pick<QuantizeOptions, 'packing'> {
  const scheme = schemes.get(to as 'mxfp4');
  return scheme === undefined || formats[scheme.element].width === 8 ? {} : { packing: 'low-first' };
}

function agree(source: SourceArray, options: QuantizeOptions): void {
  const [fast, plain] = [quantize(source, options), quantize(source, { ...options, engine: 'plain' })];
  expect([fast.layout, fast.tensorScale]).toEqual([plain.layout, plain.tensorScale]);
  expect(difference(fast.scales, plain.scales)).toBe(-1);
  expect(difference(fast.codes, plain.codes)).toBe(-1);
  agreeOn(fast);
}

function agreeOn(quantized: QuantizedArray): void {
  const values = [dequantize(quantized), dequantize(quantized, { engine: 'plain' })] as const;
  expect(difference(new Uint8Array(values[0].buffer), new Uint8Array(values[1].buffer))).toBe(-1);
}

describe.each(names)('%s: WebAssembly gives the same bytes as plain JavaScript', (to) => {
  const scaleRule = (i: number): 'floor' | 'up' => (i % 2 === 0 ? 'floor' : 'up');

  test('for all lengths up to 100, with dense codes and with one code per byte', () => {
    for (let length = 0; length <= 100; length++) {
      const options = { to, scaleRule: scaleRule(length) } as const;
      agree(moderate(length, length + 7), { ...options, ...packed(to) });
      agree(anyBits(length, length + 7), { ...options, packing: 'bytes' });
    }
  });

  test('for so many short rows that they are processed in several chunks', () => {
    for (const shape of [
      [16_400, 1],
      [3, 2000, 3],
      [550, 33],
      [70, 255],
      [70, 256],
    ]) {
      const count = shape.reduce((a, b) => a * b, 1);
      for (const packing of [packed(to), { packing: 'bytes' } as const]) {
        agree(moderate(count, count + 5), { to, shape, granularity: 'row', ...packing });
        agree(anyBits(count, count + 5), { to, shape, granularity: 'row', scaleRule: 'up', ...packing });
      }
      const halves = Uint16Array.from(moderate(count, 9), (_, i) => (i * 40_503) & 0xffff);
      for (const from of ['f16', 'bf16'] as const) agree(halves, { from, to, shape, granularity: 'row' });
    }
  });

  test('for rows that end within a byte and within a block', () => {
    for (const shape of [
      [3, 5],
      [2, 3, 17],
      [5, 33],
      [4, 130],
      [7, 1],
      [0, 4],
      [3, 0],
    ]) {
      const count = shape.reduce((a, b) => a * b, 1);
      for (const granularity of ['tensor', 'row', 'tile'] as const) {
        agree(moderate(count, count + 3), { to, shape, granularity, ...packed(to) });
        agree(moderate(count, count + 3), { to, shape, granularity, packing: 'bytes' });
      }
    }
  });

  test('for arrays larger than its memory, at odd offsets of a buffer', () => {
    const whole = moderate(40_003, 11);
    agree(whole.subarray(1), { to });
    agree(whole.subarray(3, 32_771), { to, scaleRule: 'up' });
  });

  test('for special values', () => {
    for (let i = 0; i < special.length; i++) {
      agree(Float32Array.of(special.at(i) ?? 0, ...special.subarray(0, i)), { to, scaleRule: scaleRule(i) });
    }
  });

  test('for any codes and scales, including those that quantizing never produces', () => {
    const { codes, scales, ...rest } = quantize(moderate(300 * 256, 5), { to, shape: [300, 256], granularity: 'row' });
    const any = {
      ...rest,
      codes: codes.map((_, i) => (i % 3 === 0 ? 1 : i >> 3)),
      scales: scales.map((_, i) => (scales instanceof Float32Array ? (special[i % special.length] ?? 0) : i)),
    };
    agreeOn(any);
  });

  test.each(['f16', 'bf16'] as const)('of %s', (from) => {
    const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    agree(all, { to, from });
    agree(all.subarray(0x3000, 0x3c00), { to, from, scaleRule: 'up' });
  });
});

describe('if WebAssembly is not available', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  const forbidding = {
    ...WebAssembly,
    CompileError: WebAssembly.CompileError,
    Memory: WebAssembly.Memory,
    Module: function forbidden(): never {
      throw new WebAssembly.CompileError('blocked by the content security policy');
    },
  };

  test.each([
    ['absent', undefined],
    ['forbidden', forbidding],
  ])('%s: plain JavaScript is used', async (_, stub) => {
    const source = moderate(100, 1);
    const [codes, values] = [quantize(source, { to: 'mxfp4' }).codes, dequantize(quantize(source, { to: 'nvfp4' }))];
    vi.stubGlobal('WebAssembly', stub);
    vi.resetModules();
    const fresh = {
      ...(await import('../../src/arrays/quantized/quantize.ts')),
      ...(await import('../../src/arrays/quantized/dequantize.ts')),
    };
    expect(fresh.quantize(source, { to: 'mxfp4' }).codes).toEqual(codes);
    expect(fresh.dequantize(fresh.quantize(source, { to: 'nvfp4' }))).toEqual(values);
  });
});
