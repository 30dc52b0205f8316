import { join } from 'node:path';
/**
 * Tests, for each command, that the built program has the same output and exit code as the command run in this process.
 */
import { expect, test } from 'vitest';
import { moduleOf, ptxlab, put, root, scratch, spawned } from './ptxlab.ts';
import { floats, putSafetensors } from './tensor-files.ts';

const folder = scratch();
const one = putSafetensors(folder, 'one.safetensors', { w: floats(1, 2) });
const two = putSafetensors(folder, 'two.safetensors', { w: floats(1, 3) });
const kernel = put(folder, 'kernel.ptx', moduleOf('trap;'));
const wrong = put(folder, 'wrong.ptx', moduleOf('cvt.f16.f32 %h, %f;'));

test.each<readonly [string, readonly string[], number]>([
  ['help', ['--help'], 0],
  ['an unknown command', ['chekc'], 2],
  ['check', ['check', '--color', 'always', wrong], 1],
  ['check, an unreadable file', ['check', join(folder, 'none.ptx')], 2],
  ['eval', ['eval', '--explain', 'cvt.rn.f16.f32', '0.1'], 0],
  ['run', ['run', kernel], 1],
  ['explain', ['explain', 'cvt.rs.satfinite.e4m3x4.f32'], 0],
  ['forms', ['forms', '--opcode', 'cvt'], 0],
  ['sweep', ['sweep', '-q', 'cvt.rn.f16x2.e4m3x2', '--published'], 0],
  ['convert', ['convert', one, `${root}none/o.npz`, '--to', 'f16', '--dry-run'], 0],
  ['inspect', ['inspect', one], 0],
  ['diff', ['diff', one, two], 1],
])('%s', async (_, args, code) => {
  const outcome = await spawned(args);
  expect(outcome).toEqual(await ptxlab(args));
  expect(outcome.code).toBe(code);
});

test('stdin', async () => {
  const input = moduleOf('cvt.f16.f32 %h, %f;');
  const outcome = await spawned(['check', '-'], { input });
  expect(outcome).toEqual(await ptxlab(['check', '-'], { input }));
  expect(outcome.code).toBe(1);
});
