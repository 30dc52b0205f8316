/**
 * `check --baseline`: findings that were accepted stay accepted when code moves, and only new findings are reported.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moduleOf, ptxlab, put, scratch } from './ptxlab.ts';

const folder = scratch();
afterAll(() => rmSync(folder, { recursive: true }));

const registers = '.reg .b32 %r<99>; .reg .f32 %f<99>; .reg .b16 %h<99>;';
const old = 'cvt.f16.f32 %h1, %f2;';
const module = (...lines: readonly string[]): string => moduleOf([registers, ...lines].join('\n'));

async function check(text: string, ...flags: readonly string[]): Promise<readonly [code: number | null, out: string]> {
  const file = put(folder, 'kernel.ptx', text);
  const { code, stdout, stderr } = await ptxlab(['check', file, '--baseline', join(folder, 'base.json'), ...flags]);
  return [code, stdout + stderr];
}

describe('a baseline with one finding', () => {
  beforeAll(async () => {
    expect(await check(module(old), '--update-baseline')).toEqual([
      0,
      `${join(folder, 'base.json')}: accepts 1 finding\n`,
    ]);
  });

  test('names the file relative to itself, and the line without numbers', () => {
    const findings = [
      { file: 'kernel.ptx', target: 'sm_80', code: 'PTX2030', text: 'cvt.f16.f32 %h#, %f#;', count: 1 },
    ];
    expect(JSON.parse(readFileSync(join(folder, 'base.json'), 'utf8'))).toEqual({ version: 1, findings });
  });

  test.each<readonly [string, string]>([
    ['the same module', module(old)],
    ['moved lines', module('add.u32 %r1, %r2, 1;', '', old)],
    ['other registers and spaces', module('  cvt.f16.f32   %h7, %f14;')],
  ])('accepts %s', async (_, text) => {
    const [code, out] = await check(text, '--format', 'ptxas');
    expect([code, out]).toEqual([0, expect.stringContaining('no findings')]);
  });

  test.each<readonly [string, string]>([
    ['another instruction', module(old, 'cvt.bf16.f32 %h1, %f2;')],
    ['the same one twice', module(old, old)],
  ])('does not accept %s', async (_, text) => {
    const [code, out] = await check(text);
    expect([code, out]).toEqual([1, expect.stringContaining('1 error for sm_80')]);
  });
});

test.each<readonly [string, readonly string[], string]>([
  ['a missing file', ['--baseline', 'missing.json'], '--update-baseline writes it'],
  ['no file', ['--update-baseline'], '--update-baseline needs --baseline FILE'],
  ['a file of something else', ['--baseline', '-'], 'is not JSON'],
])('a mistake exits with 2: %s', async (_, flags, message) => {
  mkdirSync(folder, { recursive: true });
  const file = put(folder, 'kernel.ptx', module(old));
  const { code, stderr } = await ptxlab(['check', file, ...flags], { input: 'nothing' });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test.each(['kernel.ptx', 'other.json'])('--update-baseline does not replace %s', async (name) => {
  const file = put(folder, 'kernel.ptx', module(old));
  const other = name === 'kernel.ptx' ? file : put(folder, name, '{"a": 1}');
  const before = readFileSync(other);
  const { code } = await ptxlab(['check', '--update-baseline', '--baseline', other, file]);
  expect(code).toBe(2);
  expect(readFileSync(other)).toEqual(before);
});

test('--format junit has a failure for each error', async () => {
  const file = put(folder, 'kernel.ptx', module(old));
  const { code, stdout } = await ptxlab(['check', file, '--format', 'junit']);
  expect(code).toBe(1);
  expect(stdout).toContain('tests="1" failures="1" errors="0"');
  expect(stdout).toMatch(/<failure message="cvt\.f16\.f32 needs a rounding modifier: [^"]*">/);
});
