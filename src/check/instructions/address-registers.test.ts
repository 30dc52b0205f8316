/** The registers that ptxas 13.0 accepts in the brackets of an address, measured for every type of register. */
import { describe, expect, test } from 'vitest';
import { check } from '../check.ts';

const integers = '.b8 .u8 .s8 .b16 .u16 .s16 .b32 .u32 .s32 .b64 .u64 .s64'.split(' ');
const floats = '.f16 .f16x2 .f32 .f64'.split(' ');
const others = '.pred .b128'.split(' ');
const whole = integers.filter((type) => /32|64/.test(type));
const longs = '.b64 .u64 .s64'.split(' ');
const shorts = '.b32 .u32 .s32'.split(' ');
const tensorWords = [...shorts, '.f16x2'];
const words = '.b32 .u32 .s32 .f32 .f16x2'.split(' ');

interface Place {
  /** `%x` is the register whose type varies. */
  readonly line: string;
  readonly accepts: readonly string[];
  readonly silent: readonly string[];
}

const extended = { accepts: integers, silent: whole };
const least = { accepts: whole, silent: whole };

const places: readonly Place[] = [
  { line: 'ld.shared.u32 %r1, [%x];', ...extended },
  { line: 'st.local.u32 [%x+4], %r1;', ...extended },
  { line: 'atom.shared.add.u32 %r1, [%x], %r2;', ...extended },
  { line: 'mbarrier.init.shared.b64 [%x], %r1;', ...extended },
  { line: 'ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%x];', ...extended },
  { line: 'ld.global.u32 %r1, [%x];', accepts: integers, silent: longs },
  { line: 'mbarrier.init.b64 [%x], %r1;', accepts: integers, silent: longs },
  { line: 'cp.async.bulk.prefetch.L2.global [%x], %r1;', ...extended },
  { line: 'wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {%fd1}, [%x];', ...least },
  { line: 'tensormap.replace.tile.rank.shared::cta.b1024.b32 [%x], %r1;', ...least },
  { line: 'ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%x];', ...least },
  { line: 'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%x], %r1;', ...least },
  { line: 'multimem.red.relaxed.gpu.add.u32 [%x], %r1;', accepts: longs, silent: longs },
  { line: 'tcgen05.shift.cta_group::1.down [%x];', accepts: tensorWords, silent: tensorWords },
  { line: 'cp.async.bulk.prefetch.tensor.1d.L2.global [%rd1, {%x}];', accepts: shorts, silent: shorts },
  { line: 'st.bulk.weak.shared::cta [%x], %rd1, 0;', ...least },
  {
    line: 'cp.async.bulk.prefetch.tensor.2d.L2.global [%x, {%r1, %r2}];',
    accepts: [...integers, ...floats, '.b128'],
    silent: whole,
  },
  {
    line: 'cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %x}];',
    accepts: words,
    silent: shorts,
  },
];

function codesOf(line: string, type: string): readonly string[] {
  const registers = '.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f64 %fd<4>;';
  const text = `.version 9.0\n.target sm_100a\n.address_size 64\n.entry k() { ${registers} .reg ${type} %x; ${line} ret; }\n`;
  return check(text).diagnostics.map(({ code, severity }) => `${severity} ${code}`);
}

describe.each(places)('$line', ({ line, accepts, silent }) => {
  test.each([...integers, ...floats, ...others])('%s', (type) => {
    const codes = codesOf(line, type);
    expect(codes.some((code) => code.startsWith('error'))).toBe(!accepts.includes(type));
    if (accepts.includes(type)) expect(codes.length > 0).toBe(!silent.includes(type));
  });
});

test('a 32-bit global address makes the addresses of a module short if it does not state their size', () => {
  const codes = (header: string, address: string): readonly string[] =>
    check(
      `.version 9.0\n.target sm_90\n${header}\n.entry k() { .reg .b32 %r<2>; .reg .b64 %rd; ld.global.b32 %r1, [${address}]; ret; }\n`,
    ).diagnostics.map(({ code }) => code);
  expect(codes('', '%r0')).toEqual(['PTX3030']);
  expect(codes('', '%rd')).toEqual([]);
  expect(codes('.address_size 64', '%r0')).toEqual(['PTX3027']);
  expect(codes('.address_size 32', '%r0')).toEqual(['PTX4021']);
});

test.each([
  ['gv', ['PTX3027']],
  ['gv[0]', ['PTX3027']],
  ['gv[1]', ['PTX3027']],
  ['gv+4', []],
  ['sv', []],
  ['sv[1]', []],
])('mov.u32 of %s in a module with 64-bit addresses gives %j', (value, codes) => {
  const text = `.version 9.0\n.target sm_90\n.address_size 64\n.global .b32 gv[4];\n.shared .b32 sv[4];\n.entry k() { .reg .b32 %r; mov.u32 %r, ${value}; ret; }\n`;
  expect(check(text).diagnostics.map(({ code }) => code)).toEqual(codes);
});
