import { afterEach, describe, expect, test, vi } from 'vitest';
import { formats, type FormatName } from '../numerics/formats.ts';
import { unpackCodes } from './bit-packing.ts';
import { schemes } from './block-formats.ts';
import { dequantize } from './dequantize.ts';
import { convert } from './convert.ts';
import { largestMagnitude, quantize, type QuantizeOptions } from './quantize.ts';
import type { SourceArray } from './source-values.ts';

const mxSchemes = ['mxfp8_e4m3', 'mxfp8_e5m2', 'mxfp6_e2m3', 'mxfp6_e3m2', 'mxfp4'] as const;
const rules = ['floor', 'up'] as const;

/** Numbers that repeat: xorshift. */
function randomWords(count: number, seed: number): Uint32Array {
  let state = seed;
  return Uint32Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  });
}

/** f32 of a few neighbouring powers of two, so that blocks have something to lose. */
function moderate(count: number, seed: number): Float32Array {
  return Float32Array.from(randomWords(count, seed), (word) => ((word % 20001) - 10000) * 2 ** -((word >>> 20) % 12));
}

function anyBits(count: number, seed: number): Float32Array {
  return new Float32Array(randomWords(count, seed).buffer);
}

const special = Float32Array.of(
  0,
  -0,
  1,
  -1,
  1e-45,
  -1e-45,
  2 ** -126,
  2 ** -127,
  3.4028234663852886e38,
  -3.4028234663852886e38,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
  448,
  464,
  6,
  7,
  7.5,
  28,
  57344,
  0.5,
  0.25,
);

// --- an oracle from the words of OCP MX 1.0, in exact integers ------------------------------------------------------

/** An f32 times 2^400. */
function exact(value: number): bigint {
  const [bits] = new Uint32Array(Float32Array.of(value).buffer) as unknown as [number];
  const field = (bits >>> 23) & 0xff;
  const significand = BigInt((bits & 0x7fffff) + (field === 0 ? 0 : 0x800000));
  const magnitude = significand << BigInt(Math.max(field, 1) - 150 + 400);
  return bits >>> 31 === 1 ? -magnitude : magnitude;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** The magnitudes of an element format times 2^20, by code. */
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
    // The least 2^k, from 2^-127 on, of which the largest element is at least amax.
    let k = -127;
    while ((largest << BigInt(k + 127)) * unit < (amax << 127n) << 20n) k++;
    return k + 127;
  }
  // Largest power of two in amax over largest power of two in the element.
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

describe.each(mxSchemes)('%s as OCP MX 1.0 has it', (to) => {
  const { element } = schemes.get(to) as { element: FormatName };

  test.each(rules)('%s: scales and codes of exact arithmetic', (scaleRule) => {
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

// --- WebAssembly against plain JavaScript ---------------------------------------------------------------------------

const names = [...schemes.keys()];

/** Where two arrays differ first; -1 if nowhere. */
function difference(a: Uint8Array | Float32Array, b: Uint8Array | Float32Array): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  return a.findIndex((value, i) => !Object.is(value, b[i]));
}

/** Codes narrower than a byte can be dense. */
function packed(to: string): Pick<QuantizeOptions, 'packing'> {
  const scheme = schemes.get(to as 'mxfp4');
  return scheme === undefined || formats[scheme.element].width === 8 ? {} : { packing: 'low-first' };
}

function agree(source: SourceArray, options: QuantizeOptions): void {
  const [fast, plain] = [quantize(source, options), quantize(source, { ...options, engine: 'plain' })];
  expect([fast.layout, fast.tensorScale]).toEqual([plain.layout, plain.tensorScale]);
  expect(difference(fast.scales, plain.scales)).toBe(-1);
  expect(difference(fast.codes, plain.codes)).toBe(-1);
  const values = [dequantize(fast), dequantize(fast, { engine: 'plain' })] as const;
  expect(difference(new Uint8Array(values[0].buffer), new Uint8Array(values[1].buffer))).toBe(-1);
}

describe.each(names)('%s by WebAssembly gives every byte that plain JavaScript gives', (to) => {
  const scaleRule = (i: number): 'floor' | 'up' => (i % 2 === 0 ? 'floor' : 'up');

  test('of all lengths up to 100, dense and in bytes', () => {
    for (let length = 0; length <= 100; length++) {
      const options = { to, scaleRule: scaleRule(length) } as const;
      agree(moderate(length, length + 7), { ...options, ...packed(to) });
      agree(anyBits(length, length + 7), { ...options, packing: 'bytes' });
    }
  });

  test('of rows that end within a byte and within a block', () => {
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

  test('of more than fits its memory, at odd places of a buffer', () => {
    const whole = moderate(40_003, 11);
    agree(whole.subarray(1), { to });
    agree(whole.subarray(3, 32_771), { to, scaleRule: 'up' });
  });

  test('of special values', () => {
    for (let i = 0; i < special.length; i++) {
      agree(Float32Array.of(special.at(i) ?? 0, ...special.subarray(0, i)), { to, scaleRule: scaleRule(i) });
    }
  });

  test.each(['f16', 'bf16'])('of %s', (from) => {
    const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    agree(all, { to, from });
    agree(all.subarray(0x3000, 0x3c00), { to, from, scaleRule: 'up' });
  });
});

describe('where WebAssembly is not to be had', () => {
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
  ])('%s: plain JavaScript does it', async (_, stub) => {
    const source = moderate(100, 1);
    const [codes, values] = [quantize(source, { to: 'mxfp4' }).codes, dequantize(quantize(source, { to: 'nvfp4' }))];
    vi.stubGlobal('WebAssembly', stub);
    vi.resetModules();
    const fresh = { ...(await import('./quantize.ts')), ...(await import('./dequantize.ts')) };
    expect(fresh.quantize(source, { to: 'mxfp4' }).codes).toEqual(codes);
    expect(fresh.dequantize(fresh.quantize(source, { to: 'nvfp4' }))).toEqual(values);
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

  test('dense codes are the codes of single bytes, packed', () => {
    for (const to of ['mxfp4', 'mxfp6', 's2', 'nvfp4']) {
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

  test('a scale for each block of a row, each row, each tile', () => {
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

describe('back again', () => {
  test.each(names)('%s: what codes and scales mean is quantized to itself', (to) => {
    const once = dequantize(quantize(moderate(1000, 3), { to, shape: [10, 100] }));
    const again = dequantize(quantize(once, { to, shape: [10, 100] }));
    // The scale of an element of the largest code may differ where the scale itself was rounded.
    const exactScales = to.startsWith('mx');
    if (exactScales) expect(again).toEqual(once);
    else
      again.forEach((value, i) =>
        expect(Math.abs(value - (once.at(i) ?? 0))).toBeLessThanOrEqual(Math.abs(value) * 0.07),
      );
  });

  test('a NaN is 0x7f, the largest code or 0', () => {
    const codeOf = (to: string): number | undefined =>
      quantize(Float32Array.of(Number.NaN, 1), { to, packing: 'bytes' }).codes.at(0);
    expect(['mxfp8', 'mxfp8_e5m2', 'mxfp4', 'mxfp6', 'nvfp4', 's8'].map(codeOf)).toEqual([0x7f, 0x7f, 7, 0x1f, 7, 0]);
  });

  test('an infinity has the largest scale and the largest code; its neighbours become zeros', () => {
    const { codes, scales } = quantize(Float32Array.of(Number.NEGATIVE_INFINITY, 1), { to: 'mxfp4', packing: 'bytes' });
    expect([...scales, ...codes]).toEqual([254, 15, 0]);
  });

  test('nothing but zeros: the least scale, and signs kept', () => {
    const quantized = quantize(Float32Array.of(0, -0), { to: 'mxfp8', packing: 'bytes' });
    expect([...quantized.scales, ...quantized.codes]).toEqual([0, 0, 0x80]);
    expect([...dequantize(quantized)]).toEqual([0, -0]);
  });
});

describe('parts of an array', () => {
  test.each(['nvfp4', 'e4m3', 's8', 'mxfp4'])('%s: with the amax of the whole they are what the whole is', (to) => {
    const source = moderate(640, 2);
    const amax = largestMagnitude(source);
    const whole = quantize(source, { to });
    const parts = [0, 320].map((at) => quantize(source.subarray(at, at + 320), { to, amax }));
    expect(parts.flatMap(({ codes }) => [...codes])).toEqual([...whole.codes]);
    expect(parts.map(({ tensorScale }) => tensorScale)).toEqual([whole.tensorScale, whole.tensorScale]);
    expect([...new Set(parts.flatMap(({ scales }) => [...scales]))]).toEqual([...new Set(whole.scales)]);
  });

  test('the largest magnitude counts no NaNs, but infinities', () => {
    expect(largestMagnitude(Float32Array.of(1, -3, Number.NaN))).toBe(3);
    expect(largestMagnitude(Float32Array.of(Number.NEGATIVE_INFINITY))).toBe(Number.POSITIVE_INFINITY);
    expect(largestMagnitude(new Float32Array(0))).toBe(0);
    expect(largestMagnitude(Uint16Array.of(0x3f80, 0xc040), { from: 'bf16' })).toBe(3);
  });
});

describe('to halves', () => {
  test('the f32 product is rounded to nearest', () => {
    const quantized = quantize(moderate(100, 4), { to: 's8', shape: [4, 25] });
    const values = dequantize(quantized);
    expect(dequantize(quantized, { to: 'bf16' })).toEqual(convert(values, { to: 'bf16' }));
    expect(dequantize(quantized, { to: 'f16' })).toEqual(convert(values, { to: 'f16' }));
    expect(() => dequantize(quantized, { to: 'f16', out: new Float32Array(100) as never })).toThrow(
      'does not hold f16',
    );
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

  test('rounding the scale up clips nothing', () => {
    const source = moderate(4096, 8);
    const clipped = (scaleRule: 'floor' | 'up'): number =>
      quantize(source, { to: 'mxfp4', scaleRule, statistics: true }).statistics?.clipped ?? -1;
    expect(clipped('floor')).toBeGreaterThan(0);
    expect(clipped('up')).toBe(0);
  });
});

describe("a caller's mistakes", () => {
  test('have codes', () => {
    const values = new Float32Array(6);
    expect(() => quantize(values, { to: 'mxpf4' })).toThrow("did you mean 'mxfp4'?");
    expect(() => quantize(values, { to: 'mxfp4', shape: [2, 4] })).toThrow('shape (2, 4) is not one of 6 elements');
    expect(() => quantize(values, { to: 'mxfp4', from: 'bf16' })).toThrow('a Float32Array holds f32, not bf16');
    expect(() => quantize(new Uint16Array(6), { to: 'mxfp4' })).toThrow('f16 or bf16');
    expect(() => dequantize(quantize(values, { to: 'mxfp4' }), { out: new Float32Array(5) })).toThrow('do not fit');
  });
});
