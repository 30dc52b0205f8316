import { describe, expect, test } from 'vitest';
import { hex } from '../base/bits.ts';
import { typeOf, type TypeName } from '../isa/types.ts';
import { readValue } from './read-value.ts';

function read(text: string, type: TypeName): string {
  const found = readValue(text, typeOf(type));
  if (!found.ok) return `refused: ${found.error}`;
  return hex(found.value.bits, typeOf(type).width) + (found.value.rounded ? ' rounded' : '');
}

describe('floats', () => {
  test.each<[string, TypeName, string]>([
    ['1.5', '.f32', '3fc00000'],
    ['-3', '.f32', 'c0400000'],
    ['.5e1', '.f64', '4014000000000000'],
    ['0.1', '.f32', '3dcccccd rounded'],
    ['-0', '.f16', '8000'],
    ['nan', '.f16', '7fff'],
    ['-inf', '.bf16', 'ff80'],
    ['448', '.e4m3', '7e'],
    ['1', '.ue8m0', '7f'],
    ['-1.984375', '.s2f6', '81'],
    // This number differs only in its last digit from the midpoint of two f32 values, so converting it through f64
    // would round it twice.
    ['1.00000005960464477540', '.f32', '3f800001 rounded'],
    ['1.000000059604644775390625', '.f32', '3f800000 rounded'],
  ])('%s as %s is %s', (text, type, bits) => expect(read(text, type)).toBe(bits));

  test.each<[string, TypeName, RegExp]>([
    ['1e6', '.f16', /out of the range of f16/],
    ['1e999999', '.f64', /out of the range/],
    ['inf', '.e4m3', /no infinity/],
    ['nan', '.e2m1', /no NaN/],
    ['-1', '.ue8m0', /out of the range/],
    ['1.5.5', '.f32', /not a number/],
    ['', '.f32', /not a number/],
    ['0x123456789', '.f32', /does not fit in the 32 bits/],
  ])('%s as %s is rejected', (text, type, reason) => expect(read(text, type)).toMatch(reason));

  test.each<[TypeName, RegExp]>([
    ['.f32', /: 9{40}\.\.\. has 5000 digits; at most 1000 are read$/],
    ['.u32', /: 9{40}\.\.\. does not fit in the 32 bits of \.u32$/],
  ])('a %s of 5,000 digits is rejected without repeating them', (type, reason) => {
    expect(read('9'.repeat(5000), type)).toMatch(reason);
  });

  test('PTX constants keep their bits in their own format and are converted by value to other formats', () => {
    expect(read('0f3F800000', '.f32')).toBe('3f800000');
    expect(read('0f7F800001', '.f32')).toBe('7f800001');
    expect(read('0f3F800000', '.f64')).toBe('3ff0000000000000');
    expect(read('0d3FF0000000000000', '.f16')).toBe('3c00');
    expect(read('0f3DCCCCCD', '.f16')).toBe('2e66 rounded');
    expect(read('0f3F800000', '.b32')).toBe('3f800000');
  });
});

describe('integers and bits', () => {
  test.each<[string, TypeName, string]>([
    ['-1', '.s8', 'ff'],
    ['255', '.u8', 'ff'],
    ['-1', '.u32', 'ffffffff'],
    ['0b101', '.b16', '0005'],
    ['18446744073709551615', '.u64', 'ffffffffffffffff'],
    ['true', '.pred', '1'],
  ])('%s as %s is %s', (text, type, bits) => expect(read(text, type)).toBe(bits));

  test.each<[string, TypeName, RegExp]>([
    ['256', '.u8', /does not fit/],
    ['-129', '.s8', /does not fit/],
    ['1.5', '.s32', /requires an integer/],
    ['2', '.pred', /0 or 1/],
  ])('%s as %s is rejected', (text, type, reason) => expect(read(text, type)).toMatch(reason));
});

describe('packed types', () => {
  test('accept their bits, or their lanes with the topmost lane first', () => {
    expect(read('0x3c004000', '.f16x2')).toBe('3c004000');
    expect(read('1,2', '.f16x2')).toBe('3c004000');
    expect(read('{1, 2}', '.f16x2')).toBe('3c004000');
    expect(read('1,-6', '.e2m1x2')).toBe('2f');
    expect(read('7.5,0.125', '.e2m3x2')).toBe('1f01');
    expect(read('0x7f,1', '.ue8m0x2')).toBe('7f7f');
  });

  test('need all their lanes', () => {
    expect(read('1', '.f16x2')).toMatch(/requires 2 values/);
    expect(read('1,x', '.f16x2')).toMatch(/not a number/);
  });
});
