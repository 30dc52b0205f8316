import { describe, expect, test } from 'vitest';
import { ptxlab } from './ptxlab.ts';

const f16 = 'mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32';
const small = 'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32';

describe('eval of a matrix product', () => {
  test('prints the elements, the GPU, and bits and value of the result', async () => {
    const { code, stdout, stderr } = await ptxlab([
      'eval',
      small,
      '--gpu',
      'V100',
      '--a',
      '1,2,3,-4',
      '--b',
      '0.5,0.25,1,0x3c00',
      '--c',
      '-1.5',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      `${small} on sm_70`,
      '  a  4 elements  .f16  1 2 3 -4',
      '  b  4 elements  .f16  0.5 0.25 1 1',
      '  c  0xbfc00000  .f32  -1.5',
      '  d  0xbfc00000  .f32  -1.5',
      '',
    ]);
  });

  test('--explain aligns the terms, shows the bits cut off, and the results of other GPUs', async () => {
    const { stdout } = await ptxlab([
      'eval',
      f16,
      '--gpu',
      'A100',
      '--a',
      '1,1,1,1,1,1,1,1',
      '--b',
      `0x0400,${'0,'.repeat(6)}1`,
      '--c',
      '8192',
      '--explain',
    ]);
    const lines = stdout.split('\n');
    expect(lines).toContain('Chunk 1 of 1: greatest exponent 13, cut off below 2^-11');
    expect(lines).toContain('  k = 0     0.0000610352    -14  +0.000000000000000000000000 |001');
    expect(lines).toContain('  k = 7                1      0  +0.000000000000100000000000');
    expect(lines).toContain('  sum               8193         +1.000000000000100000000000');
    expect(lines.slice(lines.indexOf('On each GPU'))).toEqual([
      'On each GPU',
      '  sm_75 to sm_89      0x46000400  8193',
      '  sm_90 and later     0x46000400  8193',
      '  exact sum, rounded  0x46000400  8193',
      '',
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('--json has the same as data', async () => {
    const lists = ['--a', '1,2,3,4', '--b', '1,1,1,1'];
    const { stdout } = await ptxlab(['eval', small, '--gpu', 'V100', ...lists, '--json', '--explain']);
    expect(JSON.parse(stdout)).toMatchObject({
      inst: small,
      a: [{ bits: '3c00', value: '1' }, {}, {}, {}],
      d: { bits: '41200000', value: '10' },
      explanation: { addsLast: false, chunks: [{ greatest: 2, sum: 10 * 2 ** 21 }], exact: { value: '10' } },
    });
  });

  test('integers, bits and doubles have no chunks to explain', async () => {
    const integer = 'mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32';
    const list = (value: string): string => Array.from({ length: 16 }, () => value).join(',');
    const clamped = await ptxlab([
      'eval',
      integer,
      '--a',
      list('-1'),
      '--b',
      list('255'),
      '--c',
      '0x80000000',
      '--explain',
    ]);
    expect(clamped.stdout).toMatch(/ d +0x80000000 +\.s32 +-2147483648\n$/);
  });

  test.each<[string, readonly string[], number, string]>([
    [
      'too few elements',
      [small, '--a', '1,2,3', '--b', '1,1,1,1'],
      2,
      '--a takes 4 elements, separated by commas; found 3',
    ],
    ['no list', [small, '--a', '1,2,3,4'], 2, 'needs --b with 4 elements'],
    ['no list at all', [small], 2, 'needs --a with 4 elements'],
    ['an element that is not a number', [small, '--a', '1,2,x,4', '--b', '1,1,1,1'], 2, "--a: 'x' is not a number"],
    ['an unknown GPU', [small, '--gpu', 'GTX', '--a', '1,2,3,4', '--b', '1,1,1,1'], 2, "unknown GPU 'GTX'"],
    ['a GPU without the instruction', [f16, '--gpu', 'V100', '--a', '1', '--b', '1'], 1, 'unfit-gpu: sm_70 cannot run'],
    ['another instruction', ['cvt.rn.f16.f32', '--a', '1', '--b', '1'], 1, 'does not multiply matrices'],
    [
      'scales for an instruction without them',
      [small, '--a', '1,2,3,4', '--b', '1,1,1,1', '--scale-a', '1'],
      2,
      'has no scales',
    ],
    ['operands besides', [small, '1.5', '--a', '1,2,3,4', '--b', '1,1,1,1'], 2, "found '1.5'"],
    ['a mnemonic that is not legal', ['mma.sync.aligned.m8n8k4.row.col.f32.f16.f16', '--a', '1', '--b', '1'], 1, 'PTX'],
  ])('%s is refused', async (_, args, exit, message) => {
    const { code, stderr } = await ptxlab(['eval', ...args]);
    expect(code).toBe(exit);
    expect(stderr).toContain(message);
  });
});
