import { describe, expect, it } from 'vitest';
import { check } from '../check/check.ts';
import { edited } from '../diagnostics/fix.ts';
import { Document } from './document.ts';

const registers = '.reg .b16 %h<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %d<4>; .reg .pred %p<2>;';

function module(version: string, target: string, statement: string): string {
  return `.version ${version}\n.target ${target}\n.address_size 64\n.entry k() {\n${registers}\n${statement}\nret;\n}\n`;
}

function fixesOf(text: string): { readonly titles: readonly string[]; readonly results: readonly string[] } {
  const document = new Document(text);
  const fixes = document.diagnostics().flatMap((finding) => document.fixes(finding));
  return { titles: fixes.map(({ title }) => title), results: fixes.map(({ edits }) => edited(text, edits)) };
}

const cases: readonly (readonly [version: string, target: string, statement: string, titles: readonly string[]])[] = [
  ['7.8', 'sm_90', 'elect.sync _|%p0, 1;', ['Raise .version to 8.0']],
  [
    '9.0',
    'sm_80',
    'cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;',
    ['sm_89', 'sm_90', 'sm_100', 'sm_101'].map((name) => `Change .target to ${name}`),
  ],
  [
    '8.6',
    'sm_100',
    'cvt.rn.satfinite.e2m3x2.f32 %h0, %f1, %f2;',
    ['Change .target to sm_100a', 'Change .target to sm_100f and raise .version to 8.8'],
  ],
  ['9.0', 'sm_90', 'mul.u32 %r0, %r1, %r2;', ['Write mul.lo.u32']],
  ['9.0', 'sm_90', 'mov.u32 %r0, %tidx.x;', ['Write %tid.x']],
  ['7.0', 'sm_90', 'ret;', ['Raise .version to 7.8']],
  ['9.0', 'sm_90', 'add.u32 %r0, %r1, %r9;', ['Declare %r0 to %r9']],
  ['9.0', 'sm_90', 'ld.global.u64 %sum, [%d0];', ['Declare %sum as .b64']],
  ['9.0', 'sm_90', 'setp.lt.u32 is_less, %r0, %r1;', ['Declare is_less as .pred']],
  ['9.0', 'sm_90', '@%is_less ret;', ['Declare %is_less as .pred']],
];

describe('the fixes of a finding', () => {
  it.each(cases)('.version %s, .target %s: %s', (version, target, statement, expected) => {
    const { titles, results } = fixesOf(module(version, target, statement));
    expect(titles).toEqual(expect.arrayContaining([...expected]));
    for (const text of results) expect(check(text).diagnostics).toEqual([]);
  });

  it('do not change the header if a target was chosen without it', () => {
    const text = module('9.0', 'sm_90', 'wgmma.fence.sync.aligned;');
    const document = new Document(text, { target: 'sm_75' });
    expect(document.diagnostics().flatMap((finding) => document.fixes(finding))).toEqual([]);
  });
});
