import { namedEnvironment } from '../isa/environment.ts';
import { describe, expect, test } from 'vitest';
import { resolveMnemonic } from '../check/instructions/resolve.ts';
import type { Variant } from '../isa/form.ts';
import type { Step } from '../isa/steps/step.ts';
import { asciiGlyphs, boxGlyphs, drawPicture } from './draw.ts';
import { lanePictures } from './lanes.ts';

function variantOf(mnemonic: string): Variant {
  const resolution = resolveMnemonic(mnemonic);
  if (resolution.kind !== 'variants') throw new Error(`${mnemonic} is ${resolution.kind}`);
  const [variant] = resolution.variants;
  if (variant === undefined) throw new Error(`${mnemonic} has no variant`);
  return variant;
}

function drawn(mnemonic: string): readonly string[] {
  const variant = variantOf(mnemonic);
  return fieldsOf(variant, variant.form.steps(variant, namedEnvironment('sm_100', '9.1')));
}

function fieldsOf(variant: Variant, steps: readonly Step[]): readonly string[] {
  return lanePictures(variant, steps).map(
    ({ operand, fields }) =>
      `${operand}: ${fields.map(({ high, low, label }) => `${high}:${low} ${label}`).join(' | ')}`,
  );
}

describe('the fields of results, and of sources that are read in parts', () => {
  test.each<[string, ...string[]]>([
    ['cvt.rn.f16.f32', 'd: 15:0 f16(a)'],
    ['cvt.rn.satfinite.e4m3x2.f32', 'd: 15:8 e4m3(a) | 7:0 e4m3(b)'],
    ['cvt.rn.satfinite.e2m3x2.f32', 'd: 15:14 0 | 13:8 e2m3(a) | 7:6 0 | 5:0 e2m3(b)'],
    ['cvt.rn.f16x2.e2m1x2', 'd: 31:16 f16(a[7:4]) | 15:0 f16(a[3:0])', 'a: 7:4 \u2192 d[31:16] | 3:0 \u2192 d[15:0]'],
    [
      'cvt.rs.f16x2.f32',
      'd: 31:16 f16(a) | 15:0 f16(b)',
      'rbits: 31:29 unused | 28:16 \u2192 d[31:16] | 15:13 unused | 12:0 \u2192 d[15:0]',
    ],
    [
      'cvt.rs.satfinite.e5m2x4.f32',
      'd: 31:24 e5m2(a) | 23:16 e5m2(b) | 15:8 e5m2(e) | 7:0 e5m2(f)',
      'rbits: 31:16 \u2192 d[31:24] d[23:16] | 15:0 \u2192 d[15:8] d[7:0]',
    ],
    [
      'cvt.rs.satfinite.e2m1x4.f32',
      'd: 15:12 e2m1(a) | 11:8 e2m1(b) | 7:4 e2m1(e) | 3:0 e2m1(f)',
      'rbits: 31:24 \u2192 d[15:12] | 23:16 \u2192 d[7:4] | 15:8 \u2192 d[11:8] | 7:0 \u2192 d[3:0]',
    ],
    [
      'cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32',
      'd: 15:8 s2f6(a) | 7:0 s2f6(b)',
      'scale-factor: 15:8 \u2192 d[15:8] | 7:0 \u2192 d[7:0]',
    ],
    ['cvt.pack.sat.u16.s32', 'd: 31:16 u16(a) | 15:0 u16(b)'],
    ['cvt.pack.sat.u2.s32.b32', 'd: 31:4 c[27:0] | 3:2 u2(a) | 1:0 u2(b)', 'c: 31:28 unused | 27:0 \u2192 d[31:4]'],
    ['ld.global.v2.u16', 'd.0: 15:0 [a]', 'd.1: 15:0 [a+2]'],
  ])('%s', (mnemonic, ...expected) => expect(drawn(mnemonic)).toEqual(expected));

  test('follow the steps: if the steps swap the lanes, they are drawn swapped', () => {
    const variant = variantOf('cvt.rn.satfinite.e4m3x2.f32');
    const steps = variant.form.steps(variant, namedEnvironment('sm_100', '9.1'));
    const swapped = steps.map((step) => (step.kind === 'pack' ? { ...step, from: step.from.toReversed() } : step));
    expect(fieldsOf(variant, swapped)).toEqual(['d: 15:8 e4m3(b) | 7:0 e4m3(a)']);
  });

  test('steps without a result draw nothing', () => {
    expect(fieldsOf(variantOf('cvt.rn.f16.f32'), [])).toEqual([]);
  });
});

describe('drawing', () => {
  const picture = {
    operand: 'd',
    width: 16,
    fields: [
      { high: 15, low: 8, label: 'e4m3(a)' },
      { high: 7, low: 0, label: '\u2192 b' },
    ],
  };

  test('boxes are as wide as their number of bits, with the high bits on the left', () => {
    expect(drawPicture(picture, 80, boxGlyphs, 4)).toEqual([
      '     15             8 7              0',
      '    \u250c\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u252c\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2510',
      '  d \u2502 e4m3(a)        \u2502 \u2192 b            \u2502',
      '    \u2514\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2534\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2518',
    ]);
  });

  test('in ASCII', () => {
    expect(drawPicture(picture, 80, asciiGlyphs, 4).slice(1)).toEqual([
      '    +----------------+----------------+',
      '  d | e4m3(a)        | -> b           |',
      '    +----------------+----------------+',
    ]);
  });

  test('if the labels do not fit the width, each field gets its own line', () => {
    expect(drawPicture(picture, 20, boxGlyphs, 4)).toEqual(['    d[15:8]  e4m3(a)', '    d[7:0]   \u2192 b']);
  });

  test('a one-bit field has one number', () => {
    const bit = { operand: 'p', width: 1, fields: [{ high: 0, low: 0, label: 'in shared(a)' }] };
    expect(drawPicture(bit, 80, asciiGlyphs, 4)[0]).toBe('     0');
  });
});
