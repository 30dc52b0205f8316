/**
 * Converting an array gives the same result as converting each element with the exact engine, regardless of the array's
 * length, packing and position.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkConversion, modes, unpacked, withDefined } from '../../test/arrays/every-pair.ts';
import { filled } from '../../test/filled.ts';
import { type FormatName, formats, formatNames } from '../numerics/formats.ts';
import type { Rounding } from '../numerics/conversion.ts';
import type { RandomSource } from '../jit/arrays/array-converter.ts';
import { chunkSize } from '../jit/arrays/array-plan.ts';
import { arrayConversion, convert, type ConvertOptions } from './convert.ts';
import { converterOf } from './converters.ts';
import { PlainConverter } from './elements/plain-converter.ts';
import { conversionOf } from './semantics/semantics.ts';
import { type Bytes, bytesOf, storedBytes } from './storage.ts';
import { Workspace } from './workspace.ts';

describe('every pair of formats', () => {
  /**
   * Each pair of formats is tested with the default mode and one fifth of the other modes. These are chosen so that
   * every mode is tested with every source format and with every destination format. The exhaustive test converts each
   * pair with each mode (test/differential/arrays.exhaustive.test.ts).
   */
  test.each(formatNames.map((from, i) => [from, i] as const))('from %s', (from, i) => {
    formatNames.forEach((to, j) => {
      const own = modes.filter((_, mode) => mode === 0 || (mode + i + j) % 5 === 0);
      for (const mode of own) checkConversion(from, { ...mode, to });
    });
  });
});

describe('stochastic rounding', () => {
  const targets = ['f16', 'bf16', 'e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1'] as const;
  const source = Float32Array.from({ length: 1001 }, (_, i) => Math.sin(i) * 10 ** ((i % 9) - 4));

  test.each(targets)('to %s is the same with and without WebAssembly', (to) => {
    const rbits = Uint32Array.from({ length: 501 }, (_, i) => Math.imul(i, 0x9e3779b1));
    for (const options of [{ seed: 7 }, { seed: -1n }, { rbits }]) {
      for (const from of ['f32', 'f64', 'bf16', 's32', 's4'] as const) {
        expect(bothWays(convert(source, { to: from }), { from, to, rounding: 'rs', ...options })).toBe(true);
      }
    }
  });

  test('a seed gives an element the same random bits wherever the array is split, at multiples of four', () => {
    const whole = convert(source, { to: 'e4m3', rounding: 'rs', seed: 3 });
    const rbits = new Uint32Array(251);
    expect(convert(source.subarray(0, 400), { to: 'e4m3', rounding: 'rs', seed: 3 })).toEqual(whole.subarray(0, 400));
    expect(convert(source, { to: 'e4m3', rounding: 'rs', rbits })).toEqual(
      convert(source, { to: 'e4m3', rounding: 'rz' }),
    );
  });

  test('stochastic rounding is unbiased: the mean of many results is the value itself', () => {
    const value = 1.3;
    const codes = convert(new Float32Array(100_000).fill(value), { to: 'e4m3', rounding: 'rs', seed: 11 });
    const values = convert(codes, { from: 'e4m3', to: 'f32' });
    expect(values.reduce((sum, one) => sum + one, 0) / values.length).toBeCloseTo(value, 2);
  });
});

/** Checks that both converters write the same bytes. */
function bothWays(source: Bytes, options: ConvertOptions): boolean {
  const { plan, count, random } = arrayConversion(source, options);
  const run = (converter: { run(s: Uint8Array, t: Uint8Array, c: number, r: RandomSource | null): void }): string => {
    const target = new Uint8Array(storedBytes(plan.target, count) + 3).fill(0xa5);
    converter.run(bytesOf(source), target, count, random);
    return Buffer.from(target).toString('hex');
  };
  return run(converterOf(plan, source, source)) === run(new PlainConverter(plan));
}

describe('runs of ordinary numbers between special values', () => {
  const wide = ['f32', 'bf16', 'f16'] as const;
  const narrow = ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1'] as const;
  const pairs = [
    ...wide.flatMap((from) => [...narrow, ...wide].map((to) => [from, to] as const)),
    ...narrow.flatMap((from) => wide.map((to) => [from, to] as const)),
  ];
  test.each(pairs)('%s to %s, at any position, with and without WebAssembly', (from, to) => {
    const source = Float32Array.from({ length: 300 }, (_, i) => ((i * 37) % 101) / 40 - 1);
    for (const other of [0, Number.NaN, Number.POSITIVE_INFINITY, 1e9, -1e30]) {
      for (const place of [0, 15, 16, 70, 127, 128, 299]) {
        const mixed = source.with(place, other);
        const stored = convert(mixed, { to: from });
        expect(bothWays(stored, { from, to })).toBe(true);
        expect(bothWays(stored, { from, to, saturate: true })).toBe(true);
      }
    }
  });
});

describe('f64, which is converted by way of f32 to formats of at most 16 bits', () => {
  const targets = ['f32', 'bf16', 'f16', 'e5m2', 'e4m3', 'e3m2', 'e2m3', 'e2m1'] as const;

  /**
   * The midpoints between adjacent numbers of the format, the numbers themselves, and f64 values close to each of them.
   */
  function aroundTies(to: FormatName): Float64Array {
    const numbers = to === 'f32' ? someSingles() : someNumbers(to);
    const middles = numbers.slice(1).map((number, i) => (number + (numbers[i] ?? 0)) / 2);
    const bits = new BigInt64Array(new Float64Array([...middles, ...numbers]).buffer);
    const near = [0n, 1n, -1n, 1n << 28n, -(1n << 29n)].map((step) => bits.map((one) => one + step));
    const all = new Float64Array(BigInt64Array.from(near.flatMap((some) => [...some])).buffer);
    return Float64Array.from([...all, ...all.map((value) => -value)]);
  }

  /**
   * Positive numbers of a format in ascending order. For formats of up to 8 bits, the list contains all positive
   * numbers; for wider formats, it contains a sample of adjacent pairs, including the pairs around powers of two.
   */
  function someNumbers(to: FormatName): readonly number[] {
    const { width } = formats[to];
    const all = Array.from({ length: 2 ** (width - 1) }, (_, i) => i);
    const codes = Uint16Array.from(all.filter((code) => width <= 8 || [0, 1, 63].includes(code % 64) || code % 61 < 2));
    const stored = width === 16 ? codes : Uint8Array.from(codes);
    return [...convert(stored, { from: to, to: 'f64', ...withDefined('sourcePacking', unpacked(to)) })].filter(
      (value) => Number.isFinite(value),
    );
  }

  /** The three smallest f32 numbers for each value of the exponent field, including field 0 (zero and subnormals). */
  function someSingles(): readonly number[] {
    const pairs = Array.from({ length: 255 }, (_, i) => [i << 23, (i << 23) + 1, (i << 23) + 2]);
    return [...new Float32Array(Uint32Array.from(pairs.flat()).buffer)];
  }

  test.each(targets)('is rounded only once on the way to %s', (to) => {
    const source = aroundTies(to);
    for (const mode of [{}, { saturate: true }, { rounding: 'rz' }, { rounding: 'rna' }] as const) {
      if (conversionOf({ from: 'f64', to, ...mode }).ok) expect(bothWays(source, { to, ...mode })).toBe(true);
    }
  });

  test.each(targets)('is exact from %s', (from) => {
    const { width } = formats[from];
    const codes = Uint32Array.from({ length: 2 ** Math.min(width, 16) }, (_, i) => (width === 32 ? i * 65_537 : i));
    const stored = width === 32 ? codes : width === 16 ? Uint16Array.from(codes) : Uint8Array.from(codes);
    expect(bothWays(stored, { from, to: 'f64', ...withDefined('sourcePacking', unpacked(from)) })).toBe(true);
  });
});

describe('packings', () => {
  const narrow = formatNames.filter((name) => formats[name].width < 8);
  const packings = ['bytes', 'low-first', 'high-first'] as const;
  const layouts = narrow.flatMap((name) =>
    packings.flatMap((packing) =>
      packing === 'high-first' && formats[name].width === 6 ? [] : [[name, packing] as const],
    ),
  );

  test.each(layouts)('%s, %s: any length, with and without WebAssembly', (format, packing) => {
    for (let count = 0; count <= 67; count++) {
      const source = Float32Array.from({ length: count }, (_, i) => ((i * 7) % 29) / 4 - 3);
      expect(bothWays(source, { to: format, packing })).toBe(true);
      const codes = convert(source, { to: format, packing });
      expect(bothWays(codes, { from: format, to: 'f32', sourcePacking: packing, count })).toBe(true);
      expect(bothWays(codes, { from: format, to: 'f64', sourcePacking: packing, count })).toBe(true);
    }
  });

  test('the first element can be in the lowest or in the topmost bits', () => {
    const source = Float32Array.of(0.5, 6, -1);
    expect(convert(source, { to: 'e2m1' })).toEqual(Uint8Array.of(0x71, 0x0a));
    expect(convert(source, { to: 'e2m1', packing: 'high-first' })).toEqual(Uint8Array.of(0x17, 0xa0));
    expect(convert(source, { to: 'e2m1', packing: 'bytes' })).toEqual(Uint8Array.of(1, 7, 0xa));
    expect(convert(Float32Array.of(0.125, 7.5, -1, 0), { to: 'e2m3', packing: 'low-first' })).toEqual(
      Uint8Array.of(0xc1, 0x87, 0x02),
    );
  });
});

describe('arrays', () => {
  test('of lengths around the chunk size, at any offset', () => {
    for (const count of [1, 15, 16, 17, chunkSize - 1, chunkSize, chunkSize + 1, 2 * chunkSize + 7000]) {
      const buffer = new ArrayBuffer(4 * count + 3);
      const bytes = new Uint8Array(buffer, 3);
      bytes.set(new Uint8Array(Float32Array.from({ length: count }, (_, i) => i / 7).buffer));
      const codes = convert(bytes, { from: 'f32', to: 'e4m3' });
      expect(codes.length).toBe(count);
      expect([codes[0], codes[count - 1]]).toEqual([...convert(Float32Array.of(0, (count - 1) / 7), { to: 'e4m3' })]);
    }
  });

  test('imply a format if they are typed, but not if they are bytes', () => {
    expect(convert(Int8Array.of(-1, 5), { to: 'f32' })).toEqual(Float32Array.of(-1, 5));
    expect(convert(BigInt64Array.of(-1n), { to: 'f64' })).toEqual(Float64Array.of(-1));
    expect(() => convert(Uint8Array.of(1), { to: 'f32' })).toThrow(expect.objectContaining({ code: 'format-needed' }));
  });

  test('out is returned, and whatever follows the result in it is unchanged', () => {
    const out = new Uint8Array(8).fill(9);
    expect(convert(Float32Array.of(1, 2), { to: 'e4m3', out: out.subarray(2) })).toHaveLength(6);
    expect([...out]).toEqual([9, 9, 0x38, 0x40, 9, 9, 9, 9]);
  });

  test('can be converted in place, unless elements grow and would overwrite others', () => {
    const array = Float32Array.from({ length: 50_000 }, (_, i) => i);
    const wanted = convert(array, { to: 'f16' });
    convert(array, { to: 'f16', out: array });
    expect(new Uint16Array(array.buffer, 0, wanted.length)).toEqual(wanted);
    expect(() => convert(array, { from: 'f16', to: 'f32', out: array, count: 10 })).toThrow(
      expect.objectContaining({ code: 'overlap' }),
    );
    expect(() => convert(array.subarray(0, 10), { to: 'f16', out: array.subarray(2) })).toThrow(
      expect.objectContaining({ code: 'overlap' }),
    );
  });

  test.each([
    ['unknown-format', { to: 'e4m4' }],
    ['foreign-format', { to: 'float8_e4m3fnuz' }],
    ['rounding-required', { to: 'ue8m0' }],
    ['not-offered', { to: 'e4m3', saturate: false }],
    ['not-offered', { to: 's8', rounding: 'rna' as Rounding }],
    ['no-random-bits', { to: 'e4m3', rounding: 'rs' as Rounding }],
    ['no-random-bits', { to: 'e4m3', seed: 1 }],
    ['no-random-bits', { to: 'e4m3', rounding: 'rs' as Rounding, seed: 0.5 }],
    ['buffer-size', { to: 'e4m3', rounding: 'rs' as Rounding, rbits: new Uint32Array(1) }],
    ['buffer-size', { to: 'f64', out: new Uint8Array(10) }],
    ['bad-packing', { to: 'e4m3', packing: 'low-first' as const }],
    ['bad-packing', { to: 'e2m3', packing: 'high-first' as const }],
    ['bad-count', { to: 'e4m3', count: 9 }],
    ['bad-count', { to: 'e4m3', count: -1 }],
  ])('%s: %o', (code, options) => {
    const loosely: { convert(source: Float32Array, options: { readonly to: string }): unknown } = { convert };
    expect(() => loosely.convert(new Float32Array(8), options)).toThrow(expect.objectContaining({ code }));
  });

  test('any bytes, format and options give a result or a PtxlabError', () => {
    const format = fc.constantFrom(...formatNames);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), format, format, fc.boolean(), (bytes, from, to, relu) => {
        try {
          convert(bytes, { from, to, relu });
        } catch (error) {
          expect(error).toMatchObject({ name: 'PtxlabError' });
        }
      }),
    );
  });
});

describe('a workspace', () => {
  const count = 100_003;
  const source = filled(new Float32Array(count), (i) => (i % 1000) / 7 - 60 + (i % 997 === 0 ? Number.NaN : 0));

  test.each(['e4m3', 'e2m1', 'e3m2', 'bf16', 'f64', 's4', 's64'] as const)(
    'f32 to %s gives the same result, and nothing around it is overwritten',
    (to) => {
      const workspace = new Workspace(12 * count + 1000);
      const from = workspace.array('f32', count);
      from.set(source);
      const before = workspace.array('u8', 64).fill(0xa5);
      const into = workspace.array(to, count);
      const behind = workspace.array('u8', 64).fill(0xa5);
      const wanted = convert(source, { to });
      expect(convert(from, { to, out: into })).toBe(into);
      expect(Buffer.compare(Buffer.from(bytesOf(into)), Buffer.from(bytesOf(wanted)))).toBe(0);
      expect(Buffer.from(bytesOf(convert(from, { to }))).equals(Buffer.from(bytesOf(wanted)))).toBe(true);
      expect([...before, ...behind].every((byte) => byte === 0xa5)).toBe(true);
    },
  );

  test('random bits depend on the index of the element, not on its position in memory', () => {
    const workspace = new Workspace(8 * count);
    const from = workspace.array('f32', count);
    from.set(source);
    const out = workspace.array('e2m1', count);
    const options = { to: 'e2m1', rounding: 'rs', seed: 5 } as const;
    expect(Buffer.from(convert(from, { ...options, out })).equals(Buffer.from(convert(source, options)))).toBe(true);
  });

  test('has as much room as requested, and reports it', () => {
    const workspace = new Workspace(1000);
    const room = workspace.free;
    expect(room).toBeGreaterThanOrEqual(1000);
    workspace.array('f64', 100);
    expect(() => workspace.array('u8', room)).toThrow(expect.objectContaining({ code: 'out-of-memory' }));
    workspace.clear();
    expect(workspace.free).toBe(room);
    expect(() => new Workspace(2 ** 40)).toThrow(expect.objectContaining({ code: 'out-of-memory' }));
    expect(() => new Workspace(-1)).toThrow(expect.objectContaining({ code: 'out-of-memory' }));
  });
});
