import { describe, expect, test } from 'vitest';
import type { FormatSpelling } from '../spellings.ts';
import { compareSemantics } from './compare-semantics.ts';
import { conversionOf, planConverter } from '../semantics/semantics.ts';

/** For each stack (PTX, OCP, …), its result as text, or `-` if it does not support the conversion. */
function values(value: number, to: FormatSpelling, from: FormatSpelling = 'f32'): string {
  return compareSemantics(value, { to, from })
    .results.map(({ semantics, value: text }) => `${semantics} ${text === '' ? '-' : text}`)
    .join(', ');
}

describe('how stacks differ', () => {
  test('e4m3 ends at 448; 464 is the largest value that rounds to it', () => {
    expect(compareSemantics(464, { to: 'e4m3' }).agree).toBe(true);
    expect(values(465, 'e4m3')).toBe('ptx 448, ocp 448, ml_dtypes NaN (0x7f), torch 448');
    expect(compareSemantics(465, { to: 'e4m3' }).sentence).toBe(
      'ptx, ocp and torch give 448 (0x7e): a value beyond MAX_NORM, including infinity, becomes MAX_NORM with the same sign; ' +
        'ml_dtypes gives NaN (0x7f): infinity and values that round beyond 448 (all above 464) become NaN with their sign.',
    );
  });

  test('e5m2 saturates in PTX and overflows to infinity in frameworks', () => {
    expect(values(61440, 'e5m2')).toBe('ptx 57344, ocp 57344, ml_dtypes inf, torch inf');
    expect(values(61439, 'e5m2')).toBe('ptx 57344, ocp 57344, ml_dtypes 57344, torch 57344');
  });

  test('a NaN converted to a format without NaN', () => {
    expect(values(Number.NaN, 'e2m1')).toBe('ptx 6, ocp 6, ml_dtypes -0, torch -');
    const { results } = compareSemantics(Number.NaN, { to: 'e2m1' });
    expect(results[2]?.cause.name).toBe('ml_dtypes-nan-e2m1');
    expect(results[3]?.cause.rule).toBe('torch has no conversion from or to e2m1');
  });

  test('ue8m0: up, down, to nearest', () => {
    expect(values(5, 'ue8m0')).toBe('ptx 8, ocp 4, ml_dtypes 4, torch 4');
    expect(values(6, 'ue8m0')).toBe('ptx 8, ocp 4, ml_dtypes 8, torch 8');
    expect(values(-2, 'ue8m0')).toBe('ptx 2, ocp 2, ml_dtypes NaN (0xff), torch 2');
    expect(values(0, 'ue8m0')).toBe('ptx 2^-127, ocp 2^-127, ml_dtypes NaN (0xff), torch 2^-127');
  });

  test('f64 converted by way of f32 is rounded twice', () => {
    const value = 1 + 2 ** -8 + 2 ** -40;
    expect(values(value, 'bf16', 'f64')).toBe('ptx 1.0078125, ocp 1.0078125, ml_dtypes 1, torch 1');
    expect(compareSemantics(value, { to: 'bf16', from: 'f64' }).results[3]?.cause.name).toBe('rounded-twice');
    expect(values(value, 'bf16', 'f32')).toBe('ptx 1, ocp 1, ml_dtypes 1, torch 1');
  });

  test('a result that all stacks share is one sentence', () => {
    expect(compareSemantics(0.3, { to: 'float8_e4m3fn' }).sentence).toBe(
      'All agree on 0.3125 (0x2a): the nearer of the two neighbors.',
    );
  });

  test('unknown format names', () => {
    const loosely: { compare(value: number, options: { readonly to: string }): unknown } = {
      compare: compareSemantics,
    };
    expect(() => loosely.compare(1, { to: 'float8_e3m4' })).toThrow('not a PTX format');
    expect(() => compareSemantics(1, { to: 's8' })).toThrow('conversions between floats');
  });
});

describe('unavailable conversions', () => {
  test.each([
    [{ from: 'f32', to: 'e4m3', saturate: false }, 'PTX saturates every conversion to e4m3'],
    [{ from: 'f32', to: 'ue8m0' }, 'ue8m0 needs a rounding'],
    [{ from: 'f32', to: 'ue8m0', rounding: 'rn' }, 'rounded by rz or rp'],
    [{ from: 'f32', to: 's8', rounding: 'rs' }, 's8 is rounded by rn'],
    [{ from: 'f32', to: 'tf32', rounding: 'rs' }, 'tf32 has no stochastic rounding'],
    [{ from: 'f16', to: 'bf16', ftz: true }, 'ftz needs f32'],
    [{ from: 'f32', to: 's8', semantics: 'torch' }, 'supports only conversions between floats'],
    [{ from: 'f32', to: 'e4m3', semantics: 'torch', saturate: false }, 'torch saturates'],
    [{ from: 'f32', to: 'f16', semantics: 'ml_dtypes', rounding: 'rz' }, 'ml_dtypes has no rounding rz'],
  ] as const)('%o', (request, message) => {
    const plan = conversionOf(request);
    expect(plan.ok ? 'offered' : plan.error.message).toContain(message);
  });

  test('saturation can be turned off for OCP', () => {
    const plan = conversionOf({ from: 'f32', to: 'e4m3', semantics: 'ocp', saturate: false });
    if (!plan.ok) throw new Error(plan.error.message);
    const convert = planConverter(plan.value);
    // The inputs are 464, the smallest f32 above 464, and -infinity.
    expect([0x43e80000, 0x43e80001, 0xff800000].map((bits) => convert(bits))).toEqual([0x7e, 0x7f, 0xff]);
  });
});
