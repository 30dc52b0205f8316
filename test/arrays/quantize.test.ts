/** Checks the results of quantizing against examples, and against an independent implementation of OCP MX 1.0. */
import type { SchemeSpelling } from '../../src/arrays.ts';
import { describe, expect, test } from 'vitest';
import { unpackCodes } from '../../src/arrays/elements/bit-packing.ts';
import { schemes } from '../../src/arrays/quantized/block-formats.ts';
import { convert } from '../../src/arrays/convert.ts';
import { dequantize } from '../../src/arrays/quantized/dequantize.ts';
import { quantize, type QuantizeOptions } from '../../src/arrays/quantized/quantize.ts';
import { formats, type FormatName } from '../../src/numerics/formats.ts';
import { moderate, special } from './numbers.ts';

const names = [...schemes.keys()];
const mxSchemes = ['mxfp8_e4m3', 'mxfp8_e5m2', 'mxfp6_e2m3', 'mxfp6_e3m2', 'mxfp4'] as const;
const rules = ['floor', 'up'] as const;

// --- an oracle written from the text of OCP MX 1.0, in exact integers ------------------------------------------------

/** Returns the value of an f32, multiplied by 2^400. */
function exact(value: number): bigint {
  const [bits] = new Uint32Array(Float32Array.of(value).buffer) as unknown as [number];
  const field = (bits >>> 23) & 0xff;
  const significand = BigInt((bits & 0x7fffff) + (field === 0 ? 0 : 0x800000));
  const magnitude = significand << BigInt(Math.max(field, 1) - 150 + 400);
  return bits >>> 31 === 1 ? -magnitude : magnitude;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** The magnitudes that an element format can represent, multiplied by 2^20 and indexed by code. */
function magnitudesOf(element: FormatName): readonly bigint[] {
  const format = formats[element];
  if (format.kind !== 'float') throw new Error('a float');
  const { width, fractionBits, bias, infinity, nan } = format;
  const codes = 2 ** (width - 1) - (infinity ? 2 ** fractionBits : nan === 'all-ones' ? 1 : 0);
  return Array.from({ length: codes }, (_, code) => {
    const [field, fraction] = [code >> fractionBits, code % 2 ** fractionBits];
    const significand = BigInt(fraction + (field === 0 ? 0 : 2 ** fractionBits));
    return significand << BigInt(Math.max(field, 1) - bias - fractionBits + 20);
  });
}

function oracleScale(element: FormatName, rule: 'floor' | 'up', block: readonly number[]): number {
  const amax = block.map((value) => magnitude(exact(value))).reduce((a, b) => (a > b ? a : b), 0n);
  const largest = magnitudesOf(element).at(-1) as bigint;
  const unit = 1n << 400n;
  if (rule === 'up') {
    // Finds the smallest k, at least -127, for which amax / 2^k does not exceed the largest value of the element
    // format.
    let k = -127;
    while ((largest << BigInt(k + 127)) * unit < (amax << 127n) << 20n) k++;
    return k + 127;
  }
  // 2^k = p / q, where p is the largest power of two up to amax, and q is the largest power of two that the element
  // format can represent.
  const log2 = (value: bigint): number => value.toString(2).length - 1;
  const k = amax === 0n ? -127 : log2(amax) - 400 - (log2(largest) - 20);
  return Math.max(k, -127) + 127;
}

function oracleCode(element: FormatName, scale: number, value: number): number {
  const wanted = magnitude(exact(value)) << 147n;
  const points = magnitudesOf(element).map((point) => (point << 400n) << BigInt(scale));
  let best = 0;
  points.forEach((point, code) => {
    const [distance, least] = [magnitude(point - wanted), magnitude((points.at(best) ?? 0n) - wanted)];
    if (distance < least || (distance === least && code % 2 === 0)) best = code;
  });
  return best + (value < 0 || Object.is(value, -0) ? 2 ** (formats[element].width - 1) : 0);
}

describe.each(mxSchemes)('%s as OCP MX 1.0 defines it', (to) => {
  const { element } = schemes.get(to) as { element: FormatName };

  test.each(rules)('%s: scales and codes match exact arithmetic', (scaleRule) => {
    const finite = special.filter(Number.isFinite);
    const edges = [6, 7.5, 28, 448, 57344].flatMap((end) => [end, end * 1.0000002, end * 0.9999999, end * 1.1]);
    const blocks = [
      ...Array.from({ length: 12 }, (_, i) => [...moderate(32, i + 1)]),
      [...finite, ...Array.from({ length: 12 }, () => 0)],
      Array.from({ length: 32 }, (_, i) => i * 1e-45),
      ...edges.map((edge) =>
        [edge, ...moderate(31, 99).map((value) => value * 2 ** -15)].map((value) => value * 2 ** -9),
      ),
    ].map((block) => block.map(Math.fround).slice(0, 32));
    for (const block of blocks) {
      const scale = oracleScale(element, scaleRule, block);
      for (const engine of ['plain', undefined] as const) {
        const { codes, scales } = quantize(Float32Array.from(block), { to, scaleRule, packing: 'bytes', engine });
        expect([...scales]).toEqual([scale]);
        expect([...codes]).toEqual(block.map((value) => oracleCode(element, scale, value)));
      }
    }
  });
});

// --- what the codes are ---------------------------------------------------------------------------------------------

describe('layout of codes', () => {
  test('dense fp4: element 0 in the low half of the first byte', () => {
    const { codes } = quantize(Float32Array.of(1, 6, -0.5), { to: 'mxfp4' });
    expect([...codes]).toEqual([0x72, 0x09]);
  });

  test('dense fp6: four elements in three bytes, the first lowest', () => {
    const { codes } = quantize(Float32Array.of(7.5, 1, 0, -7.5), { to: 'mxfp6', packing: 'low-first' });
    const wanted = 0x1f | (0x08 << 6) | (0x3f << 18);
    expect([...codes]).toEqual([wanted & 255, (wanted >> 8) & 255, wanted >> 16]);
  });

  test('dense codes are the single-byte codes, packed', () => {
    for (const to of ['mxfp4', 'mxfp6', 's2', 'nvfp4'] as const) {
      const source = moderate(77, 5);
      const [dense, bytes] = [
        quantize(source, { to, shape: [7, 11], packing: 'low-first' }),
        quantize(source, { to, shape: [7, 11], packing: 'bytes' }),
      ];
      const unpacked = new Uint8Array(77);
      unpackCodes(dense.codes, formats[dense.scheme.element].width, unpacked, 0);
      expect(unpacked).toEqual(bytes.codes);
    }
  });

  test('there is one scale for each block of a row, each row, or each tile', () => {
    const source = moderate(3 * 200, 1);
    const scalesOf = (options: QuantizeOptions): number =>
      quantize(source, { shape: [3, 200], ...options }).scales.length;
    expect(scalesOf({ to: 'mxfp4' })).toBe(3 * 7);
    expect(scalesOf({ to: 'nvfp4' })).toBe(3 * 13);
    expect(scalesOf({ to: 'e4m3', granularity: 'row' })).toBe(3);
    expect(scalesOf({ to: 'e4m3', granularity: 'tile' })).toBe(2);
    expect(scalesOf({ to: 's8' })).toBe(1);
  });
});

describe('round trips', () => {
  test.each(names)('%s: dequantized values are quantized to the same values', (to) => {
    const once = dequantize(quantize(moderate(1000, 3), { to, shape: [10, 100] }));
    const again = dequantize(quantize(once, { to, shape: [10, 100] }));
    // If scales are rounded, a block may get a different scale when it is quantized a second time, even if its largest
    // element had the largest code.
    const exactScales = to.startsWith('mx');
    if (exactScales) expect(again).toEqual(once);
    else
      again.forEach((value, i) =>
        expect(Math.abs(value - (once.at(i) ?? 0))).toBeLessThanOrEqual(Math.abs(value) * 0.07),
      );
  });

  test('a NaN becomes 0x7f, the largest code, or 0', () => {
    const codeOf = (to: SchemeSpelling): number | undefined =>
      quantize(Float32Array.of(Number.NaN, 1), { to, packing: 'bytes' }).codes.at(0);
    expect((['mxfp8', 'mxfp8_e5m2', 'mxfp4', 'mxfp6', 'nvfp4', 's8'] as const).map(codeOf)).toEqual([
      0x7f, 0x7f, 7, 0x1f, 7, 0,
    ]);
  });

  test('an infinity gets the largest scale and the largest code; its neighbors become zeros', () => {
    const { codes, scales } = quantize(Float32Array.of(Number.NEGATIVE_INFINITY, 1), { to: 'mxfp4', packing: 'bytes' });
    expect([...scales, ...codes]).toEqual([254, 15, 0]);
  });

  test('an all-zero block gets the smallest scale and keeps its signs', () => {
    const quantized = quantize(Float32Array.of(0, -0), { to: 'mxfp8', packing: 'bytes' });
    expect([...quantized.scales, ...quantized.codes]).toEqual([0, 0, 0x80]);
    expect([...dequantize(quantized)]).toEqual([0, -0]);
  });
});

describe('to half precision', () => {
  test('the f32 product is rounded to nearest', () => {
    const quantized = quantize(moderate(100, 4), { to: 's8', shape: [4, 25] });
    const values = dequantize(quantized);
    expect(dequantize(quantized, { to: 'bf16' })).toEqual(convert(values, { to: 'bf16' }));
    expect(dequantize(quantized, { to: 'f16' })).toEqual(convert(values, { to: 'f16' }));
    expect(() => dequantize(quantized, { to: 'f16', out: new Float32Array(100) as never })).toThrow('cannot hold f16');
  });
});

describe('statistics', () => {
  test('count what was lost', () => {
    const { statistics } = quantize(Float32Array.of(7, 1, 1e-9, Number.NaN), { to: 'mxfp4', statistics: true });
    expect(statistics).toMatchObject({ count: 4, nan: 1, infinite: 0, amax: 7, clipped: 1, underflowed: 1 });
    expect(statistics).toMatchObject({ maxAbsoluteError: 1, maxRelativeError: 1 });
    expect(statistics?.meanSquaredError).toBeCloseTo(1 / 3, 12);
    expect(quantize(special, { to: 'nvfp4', statistics: true }).statistics).toMatchObject({ nan: 1, infinite: 2 });
    expect(statistics?.sqnr).toBeCloseTo(10 * Math.log10(50), 12);
  });

  test('a value counts as clipped if a larger code would have been nearer', () => {
    const clipped = (to: SchemeSpelling, amax: number, ...values: readonly number[]): number | undefined =>
      quantize(Float32Array.from(values), { to, amax, statistics: true }).statistics?.clipped;
    // The largest code is even for e4m3 (448) and odd for s8 (127). A value is rounded as if there were one more code
    // after the largest. If it is halfway between these two codes, it rounds to the even one, so it is clipped only in
    // s8.
    expect(clipped('e4m3', 448, 448, 463, 464, 464.1, -465)).toBe(2);
    expect(clipped('s8', 127, 127, 127.4, 127.5, -128, -128.6)).toBe(2);
    expect(clipped('e4m3', 3 / 7, 3 / 7)).toBe(0);
    expect(clipped('s8', 0.1, 0.1, (-0.1 * 128) / 127)).toBe(0);
    // The second block is so small that its scale and all its codes are zero.
    const small = Float32Array.from({ length: 32 }, (_, i) => (i === 0 ? 6 : i < 16 ? 0 : 1e-43));
    const { statistics } = quantize(small, { to: 'nvfp4', statistics: true });
    expect(statistics).toMatchObject({ clipped: 0, underflowed: 16 });
  });

  test('rounding the scale up clips nothing', () => {
    const source = moderate(4096, 8);
    const clipped = (scaleRule: 'floor' | 'up'): number =>
      quantize(source, { to: 'mxfp4', scaleRule, statistics: true }).statistics?.clipped ?? -1;
    expect(clipped('floor')).toBeGreaterThan(0);
    expect(clipped('up')).toBe(0);
  });
});

describe('mistakes of the caller', () => {
  test('have error codes', () => {
    const values = new Float32Array(6);
    const loosely: { quantize(values: Float32Array, options: { readonly to: string }): unknown } = { quantize };
    expect(() => loosely.quantize(values, { to: 'mxpf4' })).toThrow("did you mean 'mxfp4'?");
    expect(() => quantize(values, { to: 'mxfp4', shape: [2, 4] })).toThrow('shape (2, 4) does not have 6 elements');
    expect(() => quantize(values, { to: 'mxfp4', from: 'bf16' })).toThrow('a Float32Array holds f32, not bf16');
    expect(() => quantize(new Uint16Array(6), { to: 'mxfp4' })).toThrow('f16 or bf16');
    expect(() => dequantize(quantize(values, { to: 'mxfp4' }), { out: new Float32Array(5) })).toThrow(
      'out has room for 5 values, but the array has 6',
    );
  });
});
