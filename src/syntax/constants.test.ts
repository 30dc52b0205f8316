import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { parseConstant } from './constants.ts';
import type { Constant } from './fold.ts';
import { Reader } from './reader.ts';
import { Token } from './tokens.ts';

interface Evaluated {
  readonly constant: Constant | null;
  readonly codes: readonly string[];
}

function evaluate(text: string): Evaluated {
  const diagnostics: Diagnostic[] = [];
  const r = new Reader(text, (diagnostic) => diagnostics.push(diagnostic));
  const constant = parseConstant(r);
  if (!r.failed && r.kind !== Token.End) r.unexpected('the end');
  return { constant, codes: diagnostics.map((diagnostic) => diagnostic.code) };
}

function integerBits(text: string): bigint | null {
  const { constant } = evaluate(text);
  return constant?.kind === 'integer' ? BigInt.asUintN(64, constant.value) : null;
}

function floatOf(text: string): { form: string; bits: bigint } | null {
  const { constant } = evaluate(text);
  return constant?.kind === 'float' ? { form: constant.form, bits: constant.bits } : null;
}

/** The value that ptxas 13.0 stores for `.global .u64 x = expression;`, as eight bytes. */
const integers: readonly (readonly [string, bigint])[] = [
  ['-1', 0xffffffffffffffffn],
  ['~1', 0xfffffffffffffffen],
  ['~1 >> 1', 0x7fffffffffffffffn],
  ['-1 >> 1', 0xffffffffffffffffn],
  ['-4 >> 1', 0xfffffffffffffffen],
  ['1U - 2', 0xffffffffffffffffn],
  ['(1U-2) >> 1', 0x7fffffffffffffffn],
  ['(1U-2) / 2', 0x7fffffffffffffffn],
  ['~1 / 2', 0x7fffffffffffffffn],
  ['~0 < 0', 0x0n],
  ['~0 < 1', 0x0n],
  ['-1 < 0', 0x1n],
  ['-1 < 0U', 0x0n],
  ['(-1 & -1) < 0', 0x1n],
  ['(-1 | 0) < 0', 0x1n],
  ['(-1 ^ 0) < 0', 0x1n],
  ['-7 / 2', 0xfffffffffffffffdn],
  ['-7 % 2', 0x1n],
  ['-7 % 3', 0x0n],
  ['-7 % 3U', 0x0n],
  ['7 % -3', 0x7n],
  ['-7 / 2U', 0x7ffffffffffffffcn],
  ['-8 >> 1U', 0xfffffffffffffffcn],
  ['1 << 63', 0x8000000000000000n],
  ['(1<<63) >> 63', 0xffffffffffffffffn],
  ['1 << 64', 0x1n],
  ['1 << 65', 0x2n],
  ['1 << -1', 0x8000000000000000n],
  ['1 >> 64', 0x1n],
  ['-1 >> 64', 0xffffffffffffffffn],
  ['-1 >> 100', 0xffffffffffffffffn],
  ['-1 >> -1', 0xffffffffffffffffn],
  ['0x8000000000000000 >> 63', 0x1n],
  ['9223372036854775808 >> 63', 0x1n],
  ['9223372036854775807 >> 62', 0x1n],
  ['0x7fffffffffffffff+1 < 0', 0x1n],
  ['18446744073709551615', 0xffffffffffffffffn],
  ['18446744073709551616', 0x0n],
  ['18446744073709551616 + 1', 0x1n],
  ['0x10000000000000000', 0x0n],
  ['1 ? -1 : 1U', 0xffffffffffffffffn],
  ['(1 ? -1 : 1U) < 0', 0x1n],
  ['(1 ? -1 : 1) < 0', 0x1n],
  ['(1 ? -1 : 1U) >> 1', 0xffffffffffffffffn],
  ['!5', 0x0n],
  ['!0', 0x1n],
  ['(!0 - 2) < 0', 0x1n],
  ['-(1U) < 0', 0x0n],
  ['-(1U) >> 1', 0x7fffffffffffffffn],
  ['+(-1) >> 1', 0xffffffffffffffffn],
  ['(.u64)-1 >> 1', 0x7fffffffffffffffn],
  ['(.s64)(~0) >> 1', 0xffffffffffffffffn],
  ['(.s64)~0 >> 1', 0xffffffffffffffffn],
  ['(.s64)1U - 2 < 0', 0x1n],
  ['WARP_SZ', 0x20n],
  ['WARP_SZ - 33 < 0', 0x1n],
  ['-WARP_SZ >> 1', 0xfffffffffffffff0n],
  ['2 + 3 * 4', 0xen],
  ['(2+3)*4', 0x14n],
  ['10 - 4 - 3', 0x3n],
  ['100 / 10 / 2', 0x5n],
  ['1 << 2 << 3', 0x20n],
  ['1 << 2 + 3', 0x20n],
  ['7 & 3 == 3', 0x1n],
  ['1 | 2 ^ 3 & 4', 0x3n],
  ['5 | 3 ^ 6', 0x5n],
  ['6 ^ 3 & 2', 0x4n],
  ['1 < 2 == 1', 0x1n],
  ['3 > 2 > 1', 0x0n],
  ['1 == 1 != 0', 0x1n],
  ['1 || 0 && 0', 0x1n],
  ['0 || 2', 0x1n],
  ['3 && 2', 0x1n],
  ['1 ? 2 : 3 + 4', 0x2n],
  ['0 ? 2 : 3 + 4', 0x7n],
  ['0 ? 1 : 0 ? 2 : 3', 0x3n],
  ['1 + 1 ? 5 : 6', 0x5n],
  ['- 2 * 3', 0xfffffffffffffffan],
  ['-2 - -3', 0x1n],
  ['!1 + 1', 0x1n],
  ['~1 + 1', 0xffffffffffffffffn],
  ['1.5 < 2.5', 0x1n],
  ['2.5 < 1.5', 0x0n],
  ['1.0 == 1.0', 0x1n],
  ['1.0 != 1.0', 0x0n],
  ['1.5 >= 1.5', 0x1n],
  ['-9223372036854775808', 0x8000000000000000n],
  ['-9223372036854775808 >> 1', 0x4000000000000000n],
  ['-9223372036854775807 - 1 >> 1', 0xc000000000000000n],
  ['0xFFFFFFFFFFFFFFFF + 1', 0x0n],
  ['0xFFFFFFFFFFFFFFFF * 0xFFFFFFFFFFFFFFFF', 0x1n],
  ['01777777777777777777777', 0xffffffffffffffffn],
  ['0b1111111111111111111111111111111111111111111111111111111111111111', 0xffffffffffffffffn],
  ['-1U >> 1', 0x7fffffffffffffffn],
  ['3 - 5U < 0', 0x0n],
  ['3 < 5U', 0x1n],
  ['-3 < 5U', 0x0n],
  ['-3 > 5U', 0x1n],
  ['-3 == -3', 0x1n],
  ['-1 == 0xFFFFFFFFFFFFFFFF', 0x1n],
  ['~0 == -1', 0x1n],
  ['!(-1)', 0x0n],
  ['(-1 && 1) - 2 < 0', 0x1n],
  ['(1 < 2) - 2 < 0', 0x1n],
  ['((1U < 2U) - 2) < 0', 0x1n],
  ['(5U % 3U) - 4 < 0', 0x0n],
  ['(5 % 3) - 4 < 0', 0x0n],
  ['(1U << 1) - 4 < 0', 0x0n],
  ['(1 << 1U) - 4 < 0', 0x1n],
  ['(1 << 1) - 4 < 0', 0x1n],
  ['(-1 >> 1U) < 0', 0x1n],
  ['(5 & 3) - 4 < 0', 0x1n],
  ['(1 * 1) - 4 < 0', 0x1n],
  ['(4 / 2) - 4 < 0', 0x1n],
  ['(~5) < 0', 0x0n],
  ['+5 - 6 < 0', 0x1n],
  ['-5 / 2 * 2', 0xfffffffffffffffcn],
  ['2 == 2 & 1', 0x1n],
  ['1 & 3 << 1', 0x0n],
  ['1 < 2 << 1', 0x1n],
  ['(0 ? 1U : -1) < 0', 0x1n],
  ['(0 ? 1 : 1U) - 2 < 0', 0x0n],
  ['(1 ? 1 : 1U) - 2 < 0', 0x1n],
  ['(-1 & -1U) < 0', 0x0n],
  ['(-1 | 0U) < 0', 0x0n],
  ['(1 ? 1U : 1) - 2 < 0', 0x0n],
  ['0x8000000000000000 - 1 < 0', 0x0n],
  ['(-9223372036854775807-1)*-1', 0x8000000000000000n],
  ['1<<-1U', 0x8000000000000000n],
  ['-1 % 0x7fffffffffffffff', 0x1n],
  ['1 - 2 * 3U < 0', 0x0n],
  ['(.s64)3 - 5U < 0', 0x0n],
  ['(.s64)(3-5U) < 0', 0x1n],
  ['(.u64)3 - 5 < 0', 0x0n],
  ['! 0U - 2 < 0', 0x1n],
  ['(1U && 1) - 2 < 0', 0x1n],
  ['+1U - 2 < 0', 0x0n],
  ['1 >= 1 >= 1', 0x1n],
  ['-0x8000000000000000 < 0', 0x0n],
  ['017 + 0b11 + 0x1F', 0x31n],
  ['1 ? 1.5 < 2.0 : 0', 0x1n],
  ['18446744073709551617', 0x1n],
  ['20000000000000000000', 0x158e460913d00000n],
  ['36893488147419103232', 0x0n],
  ['0x1ffffffffffffffff', 0xffffffffffffffffn],
  ['02000000000000000000000', 0x0n],
  ['-18446744073709551616', 0x0n],
  ['200000000000000000000', 0xd78ebc5ac6200000n],
];

/** The value that ptxas 13.0 stores for `.global .f64 x = expression;`, as eight bytes. */
const floats: readonly (readonly [string, bigint])[] = [
  ['1.5', 0x3ff8000000000000n],
  ['-1.5', 0xbff8000000000000n],
  ['1.5*2.0', 0x4008000000000000n],
  ['0.1+0.2', 0x3fd3333333333334n],
  ['1.0/3.0', 0x3fd5555555555555n],
  ['(1.5)', 0x3ff8000000000000n],
  ['-0.0', 0x8000000000000000n],
  ['--1.5', 0x3ff8000000000000n],
  ['0.0', 0x0000000000000000n],
  ['.5', 0x3fe0000000000000n],
  ['5.', 0x4014000000000000n],
  ['1e22', 0x4480f0cf064dd592n],
  ['0e400', 0x0000000000000000n],
  ['0.0e-999', 0x0000000000000000n],
  ['123456789012345678901234567890.0', 0x45f8ee90ff6c373en],
  ['1.0-1.0', 0x0000000000000000n],
  ['-(1.0-1.0)', 0x8000000000000000n],
  ['1e308*10.0', 0x7ff0000000000000n],
  ['-1e308*10.0', 0xfff0000000000000n],
  ['0.1', 0x3fb999999999999an],
  ['1.7976931348623157e308', 0x7fefffffffffffffn],
  ['2.2250738585072014e-308', 0x0010000000000000n],
  ['1e308*10.0-1e308*10.0', 0xfff8000000000000n],
  ['-(1e308*10.0-1e308*10.0)', 0x7ff8000000000000n],
  ['1e-300*1e-20', 0x00000000000007e8n],
  ['0d3FF0000000000000+1.0', 0x4000000000000000n],
  ['-0d3FF0000000000000', 0xbff0000000000000n],
  ['1.0-0.5-0.25', 0x3fd0000000000000n],
  ['1.0+-2.0', 0xbff0000000000000n],
  ['0d7FF0000000000001', 0x7ff0000000000001n],
];

describe('an integer expression has the value that ptxas gives it', () => {
  it.each(integers)('%s', (text, bits) => {
    expect(integerBits(text)).toBe(bits);
  });
});

describe('a float expression has the bits that ptxas gives it', () => {
  it.each(floats)('%s', (text, bits) => {
    expect(floatOf(text)?.bits).toBe(bits);
  });
});

describe('a float constant keeps the form in which it was written', () => {
  it.each([
    ['0f3F800001', '0f', 0x3f800001n],
    ['0F7f800001', '0f', 0x7f800001n],
    ['((0f3F800000))', '0f', 0x3f800000n],
    ['0d7FF0000000000001', '0d', 0x7ff0000000000001n],
    ['-0dFFF8000000000001', '0d', 0x7ff8000000000001n],
    ['1.0+0d3FF0000000000000', 'decimal', 0x4000000000000000n],
  ])('%s', (text, form, bits) => {
    expect(floatOf(text)).toEqual({ form, bits });
  });
});

describe('an integer is unsigned if ptxas treats it so', () => {
  it.each([
    ['1U', true],
    ['1', false],
    ['9223372036854775807', false],
    ['9223372036854775808', true],
    ['~0', true],
    ['5 % 3', true],
    ['5U & 3', true],
    ['5 & 3', false],
    ['1U << 2', true],
    ['1 << 2U', false],
    ['1U < 2U', false],
    ['1 ? -1 : 1U', false],
    ['0 ? -1 : 1U', true],
    ['(.s64)1U', false],
    ['(.u64)-1', true],
    ['WARP_SZ', false],
  ])('%s: %s', (text, unsigned) => {
    const { constant } = evaluate(text);
    expect(constant).toMatchObject({ kind: 'integer', unsigned });
  });
});

describe('a constant that ptxas rejects is reported once, with its own code', () => {
  it.each([
    ['08', 'PTX1005'],
    ['0x', 'PTX1005'],
    ['0b102', 'PTX1005'],
    ['1u', 'PTX1005'],
    ['1.0f', 'PTX1005'],
    ['0f3F80000', 'PTX1005'],
    ['0f3F8000000', 'PTX1005'],
    ['0d3FF000000000000', 'PTX1005'],
    ['99999999999999999999', 'PTX1010'],
    ['0xFFFFFFFFFFFFFFFFF', 'PTX1010'],
    ['1e400', 'PTX1010'],
    ['1e-310', 'PTX1010'],
    ['1/0', 'PTX1011'],
    ['1 % 0', 'PTX1011'],
    ['1 ? 2 : 1/0', 'PTX1011'],
    ['0 && 1/0', 'PTX1011'],
    ['1.0/-0.0', 'PTX1011'],
    ['1.0+1', 'PTX1012'],
    ['1==1.0', 'PTX1012'],
    ['!1.0', 'PTX1013'],
    ['1.0 % 2.0', 'PTX1013'],
    ['1.0 ? 1 : 2', 'PTX1013'],
    ['(.s64)1.0', 'PTX1013'],
    ['(.s32)1', 'PTX1014'],
    ['-0f3F800000', 'PTX1001'],
    ['1.0+0f3F800000', 'PTX1001'],
    ['0f3F800000+1.0', 'PTX1001'],
    ['5 %3', 'PTX1001'],
    ['1 ? 2', 'PTX1001'],
    ['(1', 'PTX1001'],
    ['', 'PTX1001'],
  ])('%s: %s', (text, code) => {
    expect(evaluate(text).codes).toEqual([code]);
  });
});

it('a literal cut to 64 bits gets a warning', () => {
  expect(evaluate('18446744073709551616')).toEqual({
    constant: { kind: 'integer', value: 0n, unsigned: false },
    codes: ['PTX1015'],
  });
});

describe('nesting is limited before the stack overflows', () => {
  it.each([
    ['parentheses', `${'('.repeat(100_000)}1`],
    ['signs', `${'- '.repeat(100_000)}1`],
    ['conditions', `${'1 ? 1 : '.repeat(100_000)}1`],
    ['casts', `${'(.s64)'.repeat(100_000)}1`],
  ])('%s', (_, text) => {
    expect(evaluate(text).codes).toEqual(['PTX1020']);
  });
});
