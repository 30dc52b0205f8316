/**
 * Tests `ptxlab sweep`, which computes digests of the results for whole input ranges. The golden digests were not
 * computed by ptxlab.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checksums } from '../golden/vectors.ts';
import { ptxlab, put, root, scratch, spawned, start } from './ptxlab.ts';

const folder = scratch();
const golden = join(root, 'test/golden/numerics/exhaustive.json');
const { f32_sweeps: sweeps, small } = checksums();
const e4m3 = 'cvt.rn.satfinite.e4m3x2.f32';
const chunkOf = (inst: string, chunk: number) => sweeps[inst]?.chunks.slice(chunk * 8, chunk * 8 + 8);

describe('digests', () => {
  test('are computed in chunks of 2^24 inputs, on the requested number of threads, and printed in order', async () => {
    const wanted = `   62  ${[62, 63, 64].map((chunk) => chunkOf(e4m3, chunk)).join(' ')}\n`;
    for (const threads of ['1', '3']) {
      const { code, stdout } = await spawned(['sweep', e4m3, '--chunks', '62..64', '--threads', threads]);
      expect([code, stdout]).toEqual([0, wanted]);
    }
  });

  test('a 16-bit source has one chunk', async () => {
    const { stdout } = await ptxlab(['sweep', 'cvt.rni.u8.bf16']);
    expect(stdout).toBe(`    0  ${small['cvt.rni.u8.bf16']?.checksum}\n`);
  });

  test('a 64-bit result is two words', async () => {
    const { stdout } = await spawned(['sweep', 'cvt.f64.f32', '--chunks', '63']);
    expect(stdout).toBe(`   63  ${chunkOf('cvt.f64.f32', 63)}\n`);
  });

  test('as JSON', async () => {
    const { stdout } = await spawned(['sweep', '--json', 'cvt.rn.f16.f32', '--chunks', '71']);
    expect(JSON.parse(stdout)).toMatchObject({
      inst: 'cvt.rn.f16.f32',
      inputBits: 32,
      chunkSize: 2 ** 24,
      chunks: { 71: chunkOf('cvt.rn.f16.f32', 71) },
      total: null,
      expected: null,
      inputs: 2 ** 24,
    });
  });

  test('can use given random bits and scales', async () => {
    const inst = 'cvt.rs.satfinite.e4m3x4.f32';
    const digests = new Set<string>();
    for (const rbits of ['0', 'ffffffff']) {
      digests.add((await spawned(['sweep', inst, '--chunks', '63', '--rbits', rbits])).stdout);
    }
    expect(digests.size).toBe(2);
  });
});

describe('comparing', () => {
  test('with a digest file', async () => {
    const { code, stdout } = await spawned(['sweep', e4m3, '--chunks', '63..64', '--expect', golden]);
    expect([code, stdout]).toEqual([0, `${e4m3}: 2 chunks agree\n`]);
  });

  test('names the first wrong chunk and exits 1', async () => {
    const words = Array.from({ length: 256 }, (_, chunk) =>
      chunk === 61 || chunk === 63 ? '00000000' : chunkOf(e4m3, chunk),
    );
    const file = put(folder, 'wrong.json', JSON.stringify({ sweeps: { [e4m3]: words.join('') } }));
    const { code, stdout } = await spawned(['sweep', e4m3, '--chunks', '60..67', '--expect', file]);
    expect(code).toBe(1);
    expect(stdout).toBe(
      `${e4m3}: chunk 61 (inputs 0x3d000000 to 0x3dffffff) has digest ${chunkOf(e4m3, 61)}, not 00000000\n`,
    );
    const { stdout: json } = await spawned(['sweep', '--json', e4m3, '--chunks', '63', '--expect', file]);
    const firstWrong = { chunk: 63, found: chunkOf(e4m3, 63), expected: '00000000' };
    expect(JSON.parse(json)).toMatchObject({ expected: { agrees: false, firstWrong } });
  });

  test('every form in a file, if no instruction is named', async () => {
    const file = put(folder, 'small.json', JSON.stringify({ small }));
    const { code, stdout } = await ptxlab(['sweep', '--quiet', '--expect', file]);
    const names = Object.keys(small);
    expect([code, stdout]).toEqual([0, names.map((name) => `${name}: 1 chunk agrees\n`).join('')]);
  });

  test('with the digests that come with ptxlab', async () => {
    const { code, stdout } = await ptxlab(['sweep', 'cvt.rn.f16x2.e4m3x2', '--published']);
    expect([code, stdout]).toEqual([0, 'cvt.rn.f16x2.e4m3x2: 1 chunk agrees\n']);
  });
});

describe('saving', () => {
  test('a digest file grows, and chunks in it are not computed again', async () => {
    const out = join(folder, 'kept.json');
    const sweep = (chunks: string) => spawned(['sweep', e4m3, '--chunks', chunks, '--out', out]);
    await sweep('62');
    const again = await sweep('62..63');
    expect(again.stderr).toMatch(/^16777216 inputs/);
    expect((await sweep('62..63')).stderr).toBe('nothing left to compute\n');
    await ptxlab(['sweep', 'cvt.u8.u16', '--out', out]);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({
      format: 'ptxlab digests 1',
      sweeps: {
        [e4m3]: `${'.'.repeat(62 * 8)}${chunkOf(e4m3, 62)}${chunkOf(e4m3, 63)}`,
        'cvt.u8.u16': small['cvt.u8.u16']?.checksum,
      },
    });
    expect((await spawned(['sweep', e4m3, '--chunks', '62..63', '--expect', out])).code).toBe(0);
  });

  test('an interrupt stops it at once, and finished chunks are kept', async () => {
    const out = join(folder, 'interrupted.json');
    const child = await start(['sweep', 'cvt.rn.f64.u32', '--out', out, '--threads', '1']);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    while (!existsSync(out)) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const signal = await new Promise((resolve) => child.on('close', (_, name) => resolve(name)));
    expect([signal, stderr]).toEqual(['SIGINT', '']);
    expect(readFileSync(out, 'utf8')).toMatch(/"cvt\.rn\.f64\.u32":"[\da-f]{8}/);
  });
});

describe('wrong usage exits 2, and an instruction that cannot be swept exits 1', () => {
  test.each<readonly [string, readonly string[], number, string]>([
    ['no instruction', [], 2, 'sweep needs an instruction'],
    ['chunks beyond the end', [e4m3, '--chunks', '250..256'], 2, 'chunks are numbered 0 to 255'],
    ['chunks that are not a range', [e4m3, '--chunks', '5-6'], 2, "not '5-6'"],
    ['no threads', [e4m3, '--threads', '0'], 2, '--threads takes a whole number from 1 to 256'],
    ['a file that does not exist', [e4m3, '--expect', 'none.json'], 2, 'none.json: no such file'],
    ['a file that is not a digest file', [e4m3, '--expect', join(root, 'package.json')], 2, 'not a digest file'],
    ['an instruction that the file lacks', ['cvt.rn.bf16x2.f32', '--expect', golden], 2, 'has no cvt.rn.bf16x2.f32'],
    ['random bits that are not hex', [e4m3, '--rbits', 'xyz'], 2, '--rbits takes 8 hex digits'],
    ['a 64-bit source', ['cvt.rn.f32.f64'], 1, 'NOT_SWEPT'],
    ['no conversion', ['add.u32'], 1, 'NOT_SWEPT'],
    ['no instruction of PTX', ['cvt.rn.f99.f32'], 1, 'PTX2'],
  ])('%s', async (_, args, exit, message) => {
    const { code, stdout, stderr } = await ptxlab(['sweep', ...args]);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });
});
