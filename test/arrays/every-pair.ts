/** Array conversions between any two formats, compared with the exact engine. */
import { expect } from 'vitest';
import { convert, type ConvertOptions } from '../../src/arrays/convert.ts';
import { conversionOf, planConverter } from '../../src/arrays/semantics/semantics.ts';
import { bytesOf } from '../../src/arrays/storage.ts';
import type { Bits } from '../../src/base/bits.ts';
import { type FormatName, formats } from '../../src/numerics/formats.ts';

/** The combinations of options to test. Nearly all of them set at most one option. */
export const modes: readonly Omit<ConvertOptions, 'to'>[] = [
  {},
  { rounding: 'rz' },
  { rounding: 'rm' },
  { rounding: 'rp' },
  { rounding: 'rna' },
  { saturate: true },
  { relu: true },
  { ftz: true },
  { semantics: 'ocp' },
  { semantics: 'ocp', saturate: false },
  { semantics: 'ml_dtypes' },
  { semantics: 'torch' },
];

/**
 * Bit patterns of a format. All patterns of formats of up to 8 bits are included; for wider formats, only patterns
 * around powers of two, their complements, and a sample of other patterns.
 */
function patterns(format: FormatName): readonly Bits[] {
  const { width } = formats[format];
  if (width <= 8) return Array.from({ length: 2 ** width }, (_, i) => i);
  const spread = Array.from({ length: 200 }, (_, i) => (BigInt(i) * 0x9e3779b97f4a7c15n) ^ (BigInt(i) << 40n));
  const corners = Array.from({ length: 2 * width }, (_, i) => (1n << BigInt(i % width)) - BigInt(i < width ? 0 : 1));
  const all = [...spread, ...corners, ...corners.map((bits) => ~bits)].map((bits) => BigInt.asUintN(width, bits));
  return width > 32 ? all : all.map(Number);
}

function store(format: FormatName, values: readonly Bits[]): Uint8Array {
  const { width } = formats[format];
  const each = Math.max(8, width) / 8;
  const bytes = new Uint8Array(values.length * each);
  values.forEach((value, i) => {
    for (let byte = 0; byte < each; byte++)
      bytes[i * each + byte] = Number((BigInt(value) >> BigInt(8 * byte)) & 0xffn);
  });
  return bytes;
}

function read(format: FormatName, bytes: Uint8Array): readonly Bits[] {
  const { width } = formats[format];
  const each = Math.max(8, width) / 8;
  return Array.from({ length: bytes.length / each }, (_, i) => {
    let value = 0n;
    for (let byte = each - 1; byte >= 0; byte--) value = (value << 8n) | BigInt(bytes[i * each + byte] ?? 0);
    return width > 32 ? value : Number(value);
  });
}

/**
 * The packing that gives each element a byte of its own; undefined if the elements of the format are not narrower than
 * a byte.
 */
export const unpacked = (format: FormatName): 'bytes' | undefined => (formats[format].width < 8 ? 'bytes' : undefined);

/**
 * Converts patterns of a format and compares them with the exact engine; does nothing if the conversion is not
 * available.
 */
export function checkConversion(from: FormatName, options: ConvertOptions & { readonly to: FormatName }): void {
  const { to, rounding, saturate, relu, ftz, semantics } = options;
  const plan = conversionOf({ from, to, rounding, saturate, relu, ftz, semantics });
  if (!plan.ok) return;
  const inputs = patterns(from);
  const one = planConverter(plan.value);
  const wanted = inputs.map((bits) => one(bits));
  const packings = { ...withDefined('sourcePacking', unpacked(from)), ...withDefined('packing', unpacked(to)) };
  const found = read(to, bytesOf(convert(store(from, inputs), { ...options, from, ...packings })));
  const differing = inputs.flatMap((bits, i) =>
    found[i] === wanted[i] ? [] : [`${bits.toString(16)}: ${found[i]?.toString(16)}, not ${wanted[i]?.toString(16)}`],
  );
  expect(differing.slice(0, 5)).toEqual([]);
}

export function withDefined<K extends string, V>(key: K, value: V | undefined): { readonly [k in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [k in K]: V });
}
