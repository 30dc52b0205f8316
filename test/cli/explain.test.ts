import { describe, expect, test } from 'vitest';
import { ptxlab } from './ptxlab.ts';

describe('explain', () => {
  test('an instruction is drawn with its lanes and random bits, at most 80 columns wide', async () => {
    const { code, stdout, stderr } = await ptxlab(['explain', 'cvt.rs.satfinite.e4m3x4.f32']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('d \u2502 e4m3(a)        \u2502 e4m3(b)        \u2502 e4m3(e)        \u2502 e4m3(f)');
    expect(stdout).toMatch(/rbits \u2502 \u2192 d\[31:24\] d\[23:16\] +\u2502 \u2192 d\[15:8\] d\[7:0\]/);
    expect(stdout).toContain('PTX 8.7  sm_100a, sm_103a');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('the operands of a complete instruction are named', async () => {
    const { code, stdout } = await ptxlab(['explain', 'cvt.rn.bf16x2.f32 %r1, %f1, %f2;']);
    expect(code).toBe(0);
    expect(stdout).toContain('d = %r1');
    expect(stdout).toContain('b = %f2');
  });

  test('--ascii, and a locale without UTF-8, draw without box characters', async () => {
    const plain = await ptxlab(['explain', '--ascii', 'cvt.rn.f16x2.e4m3x2']);
    const locale = await ptxlab(['explain', 'cvt.rn.f16x2.e4m3x2'], { env: { LANG: 'C' } });
    expect(plain.stdout).toMatch(/^[\n -~]+$/);
    expect(locale.stdout).toBe(plain.stdout);
    expect(plain.stdout).toContain('a | -> d[31:16]');
  });

  test.each<[string, readonly string[], string]>([
    ['a literal', ['0f3F800000'], 'f32 constant'],
    ['a negative number', ['-1.5'], 'decimal constant'],
    ['an integer', ['0x3c00'], '.f16      1'],
    ['a code', ['PTX2030'], 'rounding required'],
    ['a code in lower case', ['ptx2030'], 'rounding required'],
    ['a type', ['.e4m3x2'], 'largest'],
    ['a modifier', ['.satfinite'], 'cvt.f8x2.f32'],
    ['an opcode', ['cvt.pack'], 'cvt.pack.sat.convertType.s32'],
    ['words that were not quoted', ['cvt.rn.f16.f32', '%h,', '%f;'], 'a = %f'],
  ])('%s', async (_, text, expected) => {
    const { code, stdout } = await ptxlab(['explain', ...text]);
    expect(code).toBe(0);
    expect(stdout).toContain(expected);
  });

  test('an illegal instruction is refused with a legal spelling, exit 1', async () => {
    const { code, stdout } = await ptxlab(['explain', 'cvt.f16.f32']);
    expect(code).toBe(1);
    expect(stdout).toContain('nearest legal spelling: cvt.rn.f16.f32');
  });

  test('operands of the wrong kind are refused', async () => {
    const { code, stdout } = await ptxlab(['explain', 'cvt.rn.f16.f32 %h, %f, %g']);
    expect(code).toBe(1);
    expect(stdout).toContain('PTX3002');
  });

  test.each(['', ';', '{', '@', '\u0001', '"', '((((', 'cvt.', '.', '0f123', 'a b c'])(
    '%j is not an instruction, but does not crash either',
    async (text) => {
      const { code, stderr } = await ptxlab(['explain', '--', text]);
      expect(code).toBe(1);
      expect(stderr).toBe('');
    },
  );

  test.each([
    ['', 'unexpected end', 'give an instruction'],
    ['PTX9999', "'PTX9999' is not a PTX instruction", 'no diagnostic has this code either'],
    ['ptx2031x', "'ptx2031x' is not a PTX instruction", ''],
    ['PTX2O31', "'PTX2O31' is not a PTX instruction", ''],
    ['.f33', "unexpected '.f33'", 'no type or modifier has this name'],
    ['.satfinit', "unexpected '.satfinit'", 'did you mean .satfinite?'],
  ])('%j is not known, and the help says what could be', async (text, message, help) => {
    const { code, stdout } = await ptxlab(['explain', '--', text]);
    expect(code).toBe(1);
    expect(stdout).toContain(message);
    expect(stdout).toContain(help);
  });

  test('--json is the same as data', async () => {
    const { stdout } = await ptxlab(['explain', '--json', 'cvt.rn.f16x2.e4m3x2']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'instruction',
      form: 'cvt.f16x2.f8x2',
      lanes: [
        {
          operand: 'd',
          fields: [
            { high: 31, low: 16, label: 'f16(a[15:8])' },
            { high: 15, low: 0 },
          ],
        },
        { operand: 'a' },
      ],
    });
  });
});

describe('forms', () => {
  test('every opcode has a heading, and every form has its syntax line', async () => {
    const { code, stdout } = await ptxlab(['forms']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cvt {2}\(\d+ forms, PTX ISA 9\.1 section 9\.7\.9\.21\)$/m);
    expect(stdout).toContain('  cvt.frnd2.satfinite{.relu}{.pzo}.f8x2type.f32 d, a, b\n');
  });

  test('--opcode, --target and --isa narrow the list', async () => {
    const ids = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await ptxlab(['forms', '--json', '--opcode', 'cvt', ...args]);
      return (JSON.parse(stdout) as readonly { readonly id: string }[]).map(({ id }) => id);
    };
    const [all, volta, hopper, old] = await Promise.all([
      ids(),
      ids('-t', 'sm_70'),
      ids('-t', 'sm_90'),
      ids('--isa', '7.0'),
    ]);
    expect(all).toContain('cvt.rs.f8x4.f32');
    expect(hopper).toContain('cvt.f8x2.f32');
    expect(hopper).not.toContain('cvt.rs.f8x4.f32');
    expect(volta).not.toContain('cvt.f8x2.f32');
    expect(old).toContain('cvt.bf16.f32');
    expect(old).not.toContain('cvt.f8x2.f32');
  });

  test('--matrix draws sources and destinations, at most 80 columns wide', async () => {
    const { stdout } = await ptxlab(['forms', '--matrix']);
    expect(stdout).toMatch(/^u8 +same +zext/m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('--matrix shows what the target supports', async () => {
    const pairs = async (target: string): Promise<ReadonlySet<string>> => {
      const { stdout } = await ptxlab(['forms', '--matrix', '--json', '-t', target]);
      const cells = JSON.parse(stdout) as readonly { readonly from: string; readonly to: string }[];
      return new Set(cells.map(({ from, to }) => `${from} ${to}`));
    };
    const [ampere, blackwell] = await Promise.all([pairs('sm_80'), pairs('sm_100a')]);
    expect(ampere).toContain('f32 bf16');
    expect(ampere).not.toContain('f32 e4m3');
    expect(blackwell).toContain('f32 s2f6');
    expect(blackwell).toContain('f32 ue8m0');
  });
});
