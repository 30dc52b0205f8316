/** Sizes, closed pipes, full disks and interrupts: the process ends as it should and never with a stack trace. */
import { existsSync, openSync, ftruncateSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { mainFile, moduleOf, ptxlab, put, scratch, start } from './ptxlab.ts';

const folder = scratch();
const flood = put(
  folder,
  'flood.ptx',
  moduleOf(`.reg .f32 %f; .reg .b16 %h;\n${'cvt.f16.f32 %h, %f;\n'.repeat(50_000)}`),
);

test('a reader that goes away ends the process without a word', async () => {
  const child = await start(['check', '-q', '-f', 'ptxas', flood]);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout.once('data', () => child.stdout.destroy());
  await new Promise((resolve) => child.on('close', resolve));
  expect(stderr).toBe('');
});

test.runIf(existsSync('/dev/full'))('a full disk is told in one line and exits 2', async () => {
  await ptxlab(['--version']);
  const shell = spawnSync('sh', [
    '-c',
    '"$0" "$1" check -q -f ptxas "$2" > /dev/full',
    process.execPath,
    mainFile,
    flood,
  ]);
  expect(shell.status).toBe(2);
  expect(shell.stderr.toString()).toBe('ptxlab: cannot write the output: ENOSPC\n');
});

test('a sparse file of 1 GB is refused by its size, before it is read', async () => {
  const path = join(folder, 'sparse.ptx');
  const file = openSync(path, 'w');
  ftruncateSync(file, 2 ** 30);
  closeSync(file);
  const { code, stdout, stderr } = await ptxlab(['check', path]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(`ptxlab: ${path}: larger than 256 MiB, the limit for one input\n`);
});

test('100 MB in a single line are read, and a finding at its end shows its surroundings only', async () => {
  const path = put(
    folder,
    'long.ptx',
    `/*${'x'.repeat(100_000_000)}*/ ${moduleOf('cvt.f16.f32 %h, %f;').replaceAll('\n', ' ')}`,
  );
  const { code, stdout } = await ptxlab(['check', '-q', path]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/long\.ptx:1:1000000\d\d\n/);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
});

test('an interrupt ends it at once, without a trace', async () => {
  const child = await start(['check', '--batch']);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.write('{"id":1,"source":""}\n');
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGINT');
  const signal = await new Promise((resolve) => child.on('close', (_, name) => resolve(name)));
  expect([signal, stderr]).toEqual(['SIGINT', '']);
});
