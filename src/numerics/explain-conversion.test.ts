import { describe, expect, it } from 'vitest';
import type { Bits } from '../base/bits.ts';
import { conversionOf } from '../../test/golden/lanes.ts';
import { convert } from './convert.ts';
import { explainConversion } from './explain-conversion.ts';
import { openChoices } from './open-choices.ts';

/**
 * In this order: the mnemonic, the source, the neighbors below and above it, the result, the names of the reasons and,
 * if needed, random bits and scale.
 */
type Case = readonly [string, Bits, string | null, string | null, string, readonly string[], number?, number?];

const cases: readonly Case[] = [
  ['cvt.rn.f16.f32', 0x3f801000, '1', '1.0009765625', '1', ['tie-to-even']],
  ['cvt.rn.f16.f32', 0x3f800000, null, null, '1', ['exact']],
  ['cvt.rz.f16.f32', 0xbf801000, '-1.0009765625', '-1', '-1', ['toward-zero']],
  ['cvt.rp.f16.f32', 0xbf801000, '-1.0009765625', '-1', '-1', ['toward-positive']],
  ['cvt.rm.f16.f32', 0xbf801000, '-1.0009765625', '-1', '-1.0009765625', ['toward-negative']],
  ['cvt.rn.f16.f32', 0x47800000, '65504', 'inf', 'inf', ['directed']],
  ['cvt.rn.satfinite.f16.f32', 0x47800000, '65504', 'inf', '65504', ['max-norm']],
  ['cvt.rn.satfinite.e4m3x2.f32', 0x3f880001, '1', '1.125', '1.125', ['nearest']],
  ['cvt.rn.satfinite.e4m3x2.f32', 0x43e80000, '448', null, '448', ['max-norm']],
  ['cvt.rn.satfinite.e4m3x2.f32', 0xff800000, null, null, '-448', ['max-norm']],
  ['cvt.rn.satfinite.e2m1x2.f32', 0x7fc00000, null, null, '6', ['max-norm']],
  ['cvt.rn.satfinite.e4m3x2.f32', 0x7fc00000, null, null, 'NaN (0x7f)', ['canonical']],
  ['cvt.rna.tf32.f32', 0x3f801000, '1', '1.0009765625', '1.0009765625', ['tie-away']],
  ['cvt.rn.relu.f16.f32', 0xbf800000, null, null, '0', ['exact', 'relu']],
  ['cvt.rn.ftz.f16.f32', 0x80000005, null, null, '-0', ['flushed-input']],
  ['cvt.rn.ftz.f32.f64', 0x3800000000000000n, null, null, '0', ['exact', 'flushed-result']],
  ['cvt.rn.sat.f16.f32', 0x40000000, null, null, '1', ['exact', 'saturated-high']],
  ['cvt.rn.sat.f16.f32', 0xc0000000, null, null, '0', ['exact', 'saturated-low']],
  ['cvt.rz.ue8m0x2.f32', 0xc0400000, '2', '4', '2', ['sign-ignored', 'toward-zero']],
  ['cvt.rp.ue8m0x2.f32', 0x00000001, null, '2^-127', '2^-127', ['toward-positive']],
  ['cvt.rz.ue8m0x2.f32', 0x00000000, null, null, '2^-127', ['least']],
  ['cvt.rp.ue8m0x2.f32', 0x7f7fffff, '2^127', null, 'NaN (0xff)', ['nan']],
  ['cvt.rs.f16x2.f32', 0x3f800400, '1', '1.0009765625', '1.0009765625', ['random-carry'], 0x1fff],
  ['cvt.rs.f16x2.f32', 0x3f800400, '1', '1.0009765625', '1', ['random-stay'], 0],
  ['cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32', 0x40000000, null, null, '1', ['scaled', 'exact'], 0, 0x80],
  ['cvt.rn.bf16x2.s2f6x2', 0x40, null, null, 'NaN (0x7fff)', ['scale-nan', 'canonical'], 0, 0xff],
  ['cvt.rni.s32.f32', 0x4f800000, '2147483647', null, '2147483647', ['integer-range']],
  ['cvt.rzi.u8.f32', 0xc0400000, null, '0', '0', ['integer-range']],
  ['cvt.rzi.s32.f32', 0x7fc00000, null, null, '0', ['zero']],
  ['cvt.f32.f32', 0x7f800001, null, null, 'NaN (0x7f800001)', ['unchanged']],
  ['cvt.sat.u8.s32', 0xffffffff, null, null, '0', ['clamped']],
  ['cvt.u8.s32', 0x101, null, null, '1', ['chopped']],
  ['cvt.s64.s8', 0xff, null, null, '-1', ['exact']],
];

describe('explainConversion', () => {
  const named = cases.map((row) => [`${row[0]} of 0x${row[1].toString(16)}`, row] as const);

  it.each(named)('%s', (_, [mnemonic, source, below, above, result, reasons, random = 0, scale = 0x7f]) => {
    const c = conversionOf(mnemonic);
    const explained = explainConversion(c, source, random, scale);
    expect(explained.below?.value ?? null).toBe(below);
    expect(explained.above?.value ?? null).toBe(above);
    expect(explained.result.value).toBe(result);
    expect(explained.reasons.map(({ name }) => name)).toEqual(reasons);
    expect(explained.result.bits).toBe(convert(c, source, random, scale));
  });

  it('gives the exact source in hex', () => {
    expect(explainConversion(conversionOf('cvt.rn.f16.f32'), 0x3f801000).exact).toBe('0x1.002p+0');
  });
});

describe('open choices', () => {
  const chosen = (mnemonic: string): readonly string[] =>
    openChoices.filter((choice) => choice.appliesTo(conversionOf(mnemonic))).map(({ id }) => id);

  it.each([
    ['cvt.rn.f16.f32', []],
    ['cvt.f32.bf16', ['nan-f32-bf16']],
    ['cvt.bf16.f16', ['unrounded-half', 'nan-half']],
    ['cvt.rn.ftz.f32.f64', ['nan-f32-f64', 'ftz-boundary']],
    ['cvt.rn.relu.f16.f32', ['relu-zero']],
    ['cvt.rs.satfinite.e2m1x4.f32', ['random-alignment', 'random-overflow', 'random-lanes-fp4']],
    ['cvt.rn.satfinite.s2f6x2.f32', ['s2f6-lowest']],
    ['cvt.rn.satfinite.relu.s2f6x2.f32', ['relu-zero']],
    ['cvt.u8.s32', []],
  ])('%s: %j', (mnemonic, ids) => {
    expect(chosen(mnemonic)).toEqual(ids);
  });

  it('each have a unique id and evidence', () => {
    expect(new Set(openChoices.map(({ id }) => id)).size).toBe(openChoices.length);
    expect(openChoices.every(({ evidence }) => evidence.length > 0)).toBe(true);
  });
});
