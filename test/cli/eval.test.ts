import { describe, expect, test } from 'vitest';
import { ptxlab } from './ptxlab.ts';

describe('eval', () => {
  test('prints bits and values of operands and result, and the lanes of a packed one', async () => {
    const { code, stdout, stderr } = await ptxlab(['eval', 'cvt.rn.satfinite.e4m3x2.f32', '1.5', '-0.1']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'cvt.rn.satfinite.e4m3x2.f32',
      '  a        0x3fc00000  .f32     1.5',
      '  b        0xbdcccccd  .f32     -0.1 (-0x1.99999ap-4), rounded',
      '  d        0x3c9d      .e4m3x2  {1.5, -0.1015625}',
      '  d[15:8]  0x3c        .e4m3    1.5',
      '  d[7:0]   0x9d        .e4m3    -0.1015625',
      '',
    ]);
  });

  test.each<[string, string, string]>([
    ['a decimal', '-3', '0xc200'],
    ['bits', '0x3f800000', '0x3c00'],
    ['a float constant', '0f3F800000', '0x3c00'],
    ['a double constant', '0d3FF0000000000000', '0x3c00'],
    ['an infinity', '-inf', '0xfc00'],
    ['a NaN', '-nan', '0x7fff'],
    ['a number with an exponent', '-1.5e-3', '0x9625'],
  ])('operands may be written as %s', async (_, operand, result) => {
    const { code, stdout } = await ptxlab(['eval', 'cvt.rn.f16.f32', operand]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^ {2}d .*${result}`, 'm'));
  });

  test('options can come before or after the operands, and the instruction can be one quoted argument', async () => {
    const inputs = [
      ['eval', '--json', 'cvt.rn.f16.f32', '-1'],
      ['eval', 'cvt.rn.f16.f32', '-1', '--json'],
      ['eval', '--json', 'cvt.rn.f16.f32 -1;'],
    ];
    const outputs = await Promise.all(inputs.map((args) => ptxlab(args)));
    for (const { stdout } of outputs) {
      expect(JSON.parse(stdout)).toMatchObject({
        inst: 'cvt.rn.f16.f32',
        outputs: [{ name: 'd', bits: 'bc00', value: '-1' }],
      });
    }
  });

  test('--explain shows the value, its neighbors and why one was chosen', async () => {
    const { stdout } = await ptxlab(['eval', '--explain', 'cvt.rn.f16.f32', '0.1']);
    expect(stdout.split('\n').slice(4)).toEqual([
      'd f32 to f16.rn',
      '  source   0x3dcccccd  0.1 (0x1.99999ap-4)',
      '  below    0x2e66      0.0999755859375',
      '  above    0x2e67      0.10003662109375',
      '  result   0x2e66      0.0999755859375',
      '  because  the nearer of the two neighbors',
      '',
    ]);
  });

  test('--explain --json gives the same as data', async () => {
    const { stdout } = await ptxlab(['eval', '--explain', '--json', 'cvt.rn.f16.f32', '0.1']);
    const { explanation } = JSON.parse(stdout) as { readonly explanation: readonly unknown[] };
    expect(explanation).toMatchObject([
      {
        result: 'd',
        from: 'f32',
        to: 'f16',
        below: { bits: '2e66' },
        above: { bits: '2e67' },
        value: { bits: '2e66' },
      },
    ]);
  });

  test('a refused instruction exits 1 and prints the rule on stderr', async () => {
    const { code, stdout, stderr } = await ptxlab(['eval', 'cvt.f16.f32', '1']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'ptxlab: PTX2030: cvt.f16.f32 needs a rounding modifier: .rn, .rz, .rm or .rp\n' +
        ' = help: nearest legal spelling: cvt.rn.f16.f32\n',
    );
  });

  test('the error for a target that lacks the instruction names the targets that have it', async () => {
    const { code, stderr } = await ptxlab(['eval', '-t', 'sm_75', 'cvt.rn.bf16.f32', '1']);
    expect(code).toBe(1);
    expect(stderr).toContain('cvt.rn.bf16.f32 is not in PTX 9.4 for sm_75: it needs PTX 7.0 on sm_80 or higher');
  });

  test('old targets flush subnormals without .ftz', async () => {
    const [old, recent] = await Promise.all(
      ['sm_13', 'sm_80'].map((target) => ptxlab(['eval', '--json', '-t', target, 'cvt.rn.f32.f64', '1e-40'])),
    );
    expect(JSON.parse(old?.stdout ?? '')).toMatchObject({ outputs: [{ value: '0' }] });
    expect(JSON.parse(recent?.stdout ?? '')).not.toMatchObject({ outputs: [{ value: '0' }] });
  });

  test.each<[string, readonly string[], RegExp]>([
    ['a word that is not a number', ['cvt.rn.f16.f32', 'one'], /operand a: 'one' is not a number/],
    ['bits that do not fit', ['cvt.rn.f16.f32', '0x123456789'], /operand a: 0x123456789 does not fit in the 32 bits/],
    ['an integer out of range', ['cvt.s32.u8', '256'], /operand a: 256 does not fit/],
  ])('%s exits 2', async (_, args, reason) => {
    const { code, stderr } = await ptxlab(['eval', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
  });

  test('a wrong number of operands is answered with the expected operands', async () => {
    const { code, stderr } = await ptxlab(['eval', 'cvt.rn.satfinite.e4m3x2.f32', '1']);
    expect(code).toBe(1);
    expect(stderr).toContain('takes 2 inputs (a, b); found 1');
  });
});
