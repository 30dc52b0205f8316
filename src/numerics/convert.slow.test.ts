/**
 * Compares conversions with those of test/oracle. The oracle follows the definition of rounding literally: it compares
 * the source with every value of the destination format.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Comparison, expected, isNegative, isRounded, unitsOf } from '../../test/oracle/oracle.ts';
import type { Bits } from '../base/bits.ts';
import { type Conversion, plainConversion, type Rounding } from './conversion.ts';
import { conversion, convert } from './convert.ts';
import { patternsOf } from './encode.ts';
import { decode } from './exact.ts';
import { type FormatName, formats } from './formats.ts';

function make(from: FormatName, to: FormatName, changes: Partial<Conversion> = {}): Conversion {
  return { ...plainConversion(from, to), ...changes };
}

/** The result that the oracle expects, as bits. */
function wanted(c: Conversion, source: Bits, random = 0, scale = 0x7f): Bits {
  const result = expected(c, source, random, scale);
  if (typeof result !== 'string') return result;
  const patterns = patternsOf(c.to);
  if (result === 'nan') return patterns.canonicalNan as Bits;
  return (patterns.infinity as readonly [Bits, Bits])[isNegative(c.from, source) ? 1 : 0];
}

/** Every finite encoding of a format with at most 16 bits. */
function finiteEncodings(format: FormatName): readonly number[] {
  const all = Array.from({ length: 2 ** formats[format].width }, (_, bits) => bits);
  return all.filter((bits) => unitsOf(format, bits) !== null);
}

function differences(c: Conversion, sources: readonly Bits[], random = 0, scale = 0x7f): readonly string[] {
  const run = conversion(c);
  return sources.flatMap((source) => {
    const found = run(source, random, scale);
    const right = wanted(c, source, random, scale);
    return found === right ? [] : [`${source.toString(16)}: ${found.toString(16)}, not ${right.toString(16)}`];
  });
}

/**
 * Fails if a conversion differs from the oracle. Calling `expect` for each value would take longer than the
 * conversions.
 */
function mustAgree(c: Conversion, source: Bits, random = 0): void {
  const [found, right] = [convert(c, source, random), wanted(c, source, random)];
  if (found !== right) throw new Error(`${found.toString(16)}, not ${right.toString(16)}`);
}

const modes: readonly Rounding[] = ['rn', 'rz', 'rm', 'rp', 'rna'];
const tiny: readonly FormatName[] = ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1'];

/**
 * About a fifth of all values: those that narrower formats can also represent, their neighbors, the midpoints between
 * them, and some others. For conversions that exist in the ISA, test/cli/sweep.slow.test.ts compares the digests of the
 * results for all values.
 */
function someEncodings(format: FormatName): readonly number[] {
  const aimed = new Set([0, 1, 2, 0x10, 0x20, 0x30, 0x3f, 0x40, 0x41, 0x60, 0x7f, 0x80, 0x81, 0xc0, 0xfe, 0xff]);
  return finiteEncodings(format).filter((bits) => aimed.has(bits % 256) || bits % 7 === 0);
}

describe('f16 and bf16 values', () => {
  const sources = { f16: someEncodings('f16'), bf16: someEncodings('bf16') };
  const cases = (['f16', 'bf16'] as const).flatMap((from) =>
    [...tiny, from === 'f16' ? ('bf16' as const) : ('f16' as const)].flatMap((to) =>
      modes.map((rounding) => [from, to, rounding] as const),
    ),
  );

  it.each(cases)('%s to %s, %s', (from, to, rounding) => {
    const satfinite = tiny.includes(to);
    expect(differences(make(from, to, { rounding, satfinite }), sources[from])).toEqual([]);
  });

  it.each(tiny)('f16 to %s with .relu', (to) => {
    expect(differences(make('f16', to, { satfinite: true, relu: true }), sources.f16)).toEqual([]);
  });

  it.each(['rz', 'rp'] as const)('bf16 to ue8m0, %s, with and without .satfinite', (rounding) => {
    for (const satfinite of [false, true]) {
      expect(differences(make('bf16', 'ue8m0', { rounding, satfinite }), sources.bf16)).toEqual([]);
    }
  });

  it.each([0, 1, 0x7e, 0x7f, 0x80, 0xfe])('bf16 divided by the scale 0x%s to s2f6', (scale) => {
    const c = make('bf16', 's2f6', { satfinite: true, scaled: 'divide' });
    expect(differences(c, sources.bf16, 0, scale)).toEqual([]);
  });

  it.each(modes)('f16 rounded to integral values, %s', (rounding) => {
    expect(differences(make('f16', 'f16', { rounding, integral: true }), sources.f16)).toEqual([]);
    expect(differences(make('f16', 'f16', { rounding, integral: true, sat: true }), sources.f16)).toEqual([]);
  });

  it.each(['u8', 's8', 'u16', 's16'] as const)('f16 and bf16 to %s', (to) => {
    for (const rounding of modes) {
      const from = rounding === 'rz' || rounding === 'rp' ? 'bf16' : 'f16';
      expect(differences(make(from, to, { rounding, integral: true }), sources[from])).toEqual([]);
    }
  });
});

describe('every narrow value widened', () => {
  it.each([...tiny, 'u8', 's8', 'u16', 's16'] as const)('%s to f16', (from) => {
    expect(differences(make(from, 'f16'), finiteEncodings(from))).toEqual([]);
  });

  it.each([0, 1, 0x7f, 0xc0, 0xfe])('s2f6 times the scale 0x%s to bf16', (scale) => {
    for (const satfinite of [false, true]) {
      const c = make('s2f6', 'bf16', { satfinite, scaled: 'multiply' });
      expect(differences(c, finiteEncodings('s2f6'), 0, scale)).toEqual([]);
    }
  });
});

/**
 * Bit patterns of f32 values for which the results of the rounding modes differ: values of the given format, midpoints
 * between them, and the neighbors of both.
 */
function nearPoints(to: FormatName): fc.Arbitrary<number> {
  const { width } = formats[to];
  const near = fc.tuple(fc.nat(2 ** width - 1), fc.constantFrom(0, 0.5, 1), fc.integer({ min: -2, max: 2 }));
  const aimed = near.map(([bits, between, offset]) => {
    const low = widen(to, bits);
    const high = widen(to, (bits + 1) % 2 ** width);
    return Math.max(0, Math.floor(low + (high - low) * between) + offset) >>> 0;
  });
  return fc.oneof(aimed, fc.nat(0xffffffff)).filter((bits) => unitsOf('f32', bits) !== null);
}

function widen(format: FormatName, bits: number): number {
  return decode(format, bits).kind === 'finite' ? (convert(make(format, 'f32'), bits) as number) : 0;
}

describe('f32 values near the points of the destination', () => {
  const cases = (['f16', 'bf16', ...tiny, 'ue8m0', 's2f6'] as const).flatMap((to) =>
    (to === 'ue8m0' ? (['rz', 'rp'] as const) : to === 's2f6' ? (['rn'] as const) : modes).map(
      (mode) => [to, mode] as const,
    ),
  );

  it.each(cases)('to %s, %s', (to, rounding) => {
    const scaled = to === 's2f6' ? ('divide' as const) : null;
    const plain = make('f32', to, { rounding, scaled, satfinite: tiny.includes(to) || to === 's2f6' });
    const variants = [
      plain,
      { ...plain, relu: to !== 'ue8m0' },
      { ...plain, flush: to === 'f16' },
      { ...plain, satfinite: true },
    ];
    fc.assert(
      fc.property(nearPoints(to), fc.constantFrom(...variants), (source, c) => mustAgree(c, source)),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['f16', 13],
    ['bf16', 16],
    ['e4m3', 16],
    ['e5m2', 16],
    ['e2m3', 16],
    ['e3m2', 16],
    ['e2m1', 8],
  ] as const)('to %s, .rs with %i random bits', (to, randomBits) => {
    const c = make('f32', to, { rounding: 'rs', randomBits, satfinite: tiny.includes(to) });
    fc.assert(
      fc.property(nearPoints(to), fc.nat(0xffff), (source, random) => mustAgree(c, source, random)),
      { numRuns: 3000 },
    );
  });
});

/** Given a value, returns a function that compares the magnitude of the value with a number. */
function comparisonOf(format: FormatName, bits: Bits): Comparison {
  const exact = unitsOf(format, bits) ?? 0n;
  const magnitude = exact < 0n ? -exact : exact;
  return (point) => (magnitude > point ? 1 : magnitude < point ? -1 : 0);
}

const anyF64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  // Values with exponents in and around the range of f32, so that midpoints and subnormals of f32 occur.
  fc
    .tuple(
      fc.integer({ min: 0x360, max: 0x480 }),
      fc.constantFrom(0n, 1n << 28n, (1n << 28n) - 1n),
      fc.nat(0x7fffff),
      fc.nat(1),
    )
    .map(([field, low, high, sign]) => (BigInt(sign) << 63n) | (BigInt(field) << 52n) | (BigInt(high) << 29n) | low),
);

describe('wide destinations, checked with the neighbors of the result', () => {
  const directed = ['rn', 'rz', 'rm', 'rp'] as const;

  it.each(directed)('f64 to f32, %s', (rounding) => {
    fc.assert(
      fc.property(
        anyF64.filter((bits) => unitsOf('f64', bits) !== null),
        (source) => {
          const result = convert(make('f64', 'f32', { rounding }), source);
          const sameSign = isNegative('f32', result) === isNegative('f64', source);
          return sameSign && isRounded('f32', result, rounding, comparisonOf('f64', source));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each(
    (['u32', 's32', 'u64', 's64'] as const).flatMap((from) =>
      (['f16', 'bf16', 'f32', 'f64'] as const).flatMap((to) => directed.map((mode) => [from, to, mode] as const)),
    ),
  )('%s to %s, %s', (from, to, rounding) => {
    const { width } = formats[from];
    const any = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** BigInt(width) - 1n }),
      fc
        .tuple(fc.nat(width - 1), fc.integer({ min: -2, max: 2 }))
        .map(([shift, offset]) => BigInt.asUintN(width, (3n << BigInt(shift)) + BigInt(offset))),
    );
    fc.assert(
      fc.property(any, (integer) => {
        const source = width > 32 ? integer : Number(integer);
        const result = convert(make(from, to, { rounding }), source);
        return isRounded(to, result, rounding, comparisonOf(from, source));
      }),
      { numRuns: 400 },
    );
  });

  it.each(['rn', 'rz', 'rna'] as const)('f32 to tf32, %s', (rounding) => {
    fc.assert(
      fc.property(
        fc.nat(0xffffffff).filter((bits) => unitsOf('f32', bits) !== null),
        (source) => {
          const result = convert(make('f32', 'tf32', { rounding }), source) as number;
          const compare = comparisonOf('f32', source);
          if (result % 2 ** 13 !== 0) return false;
          // rna differs from rn only for ties, which it rounds away from zero.
          const tie = source % 2 ** 13 === 2 ** 12;
          const judged = rounding === 'rna' ? (tie ? 'away' : 'rn') : rounding;
          return judged === 'away' ? result === source + 2 ** 12 : isRounded('tf32', result, judged, compare);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
