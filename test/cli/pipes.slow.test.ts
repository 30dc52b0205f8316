/**
 * Tests large inputs, closed pipes, full disks and interrupts: the process must end as intended and never with a stack
 * trace.
 */
import { existsSync, openSync, ftruncateSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { built, mainFile, moduleOf, ptxlab, put, scratch, spawned, start } from './ptxlab.ts';

const folder = scratch();
/** The findings for this file are much longer than the buffer of any pipe. */
const flood = put(
  folder,
  'flood.ptx',
  moduleOf(`.reg .f32 %f; .reg .b16 %h;\n${'cvt.f16.f32 %h, %f;\n'.repeat(5_000)}`),
);

test('a reader that goes away ends the process silently', async () => {
  const child = await start(['check', '-q', '-f', 'ptxas', flood]);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(stderr).toBe('');
  expect(code).toBe(1);
});

test.runIf(existsSync('/dev/full'))('a full disk is reported in one line and exits 2', async () => {
  await built();
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

test('a sparse file of 1 GB is refused because of its size, before it is read', async () => {
  const path = join(folder, 'sparse.ptx');
  const file = openSync(path, 'w');
  ftruncateSync(file, 2 ** 30);
  closeSync(file);
  const { code, stdout, stderr } = await ptxlab(['check', path]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(`ptxlab: ${path}: larger than 256 MiB, the limit for one input\n`);
});

test('a single line of 100 MB is read, and a finding at its end shows only its surroundings', async () => {
  const path = put(
    folder,
    'long.ptx',
    `/*${'x'.repeat(100_000_000)}*/ ${moduleOf('cvt.f16.f32 %h, %f;').replaceAll('\n', ' ')}`,
  );
  const { code, stdout } = await spawned(['check', '-q', path]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/long\.ptx:1:1000000\d\d\n/);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
});

test('a directory on stdin is reported and exits 2', async () => {
  await built();
  const outcomes = [
    ['check', '-'],
    ['check', '--batch'],
    ['eval', '--batch'],
  ].map((args) => spawnSync('sh', ['-c', '"$0" "$@" < /', process.execPath, mainFile, ...args]));
  for (const { status, stderr } of outcomes) {
    expect([status, stderr.toString()]).toEqual([2, 'ptxlab: <stdin>: is a directory, not a file\n']);
  }
});

/** Breaks a runtime function before ptxlab starts, to provoke a failure that otherwise cannot happen. */
const broken = {
  NODE_OPTIONS: "--import=data:text/javascript,String.prototype.padEnd=()=>{throw(new(Error)('broken'))}",
};

test('an internal error is one line and exits 2; PTXLAB_DEBUG=1 shows where it happened', async () => {
  const quiet = await spawned(['forms', '--matrix'], { env: broken });
  expect(quiet).toEqual({
    code: 2,
    stdout: '',
    stderr: 'ptxlab: internal error: broken (PTXLAB_DEBUG=1 shows where)\n',
  });
  const loud = await spawned(['forms', '--matrix'], { env: { ...broken, PTXLAB_DEBUG: '1' } });
  expect(loud.stderr).toMatch(/^ptxlab: internal error: broken\nError: broken\n\s+at /);
  expect(loud.code).toBe(2);
});

test('an internal error in a batch is the answer to its line; the next line is read, and the exit code is 2', async () => {
  const env = { NODE_OPTIONS: broken.NODE_OPTIONS.replace('padEnd', 'padStart') };
  const input = '{"inst":"cvt.rn.f16.f32","rows":[["0"]]}\n{"inst":"foo","rows":[]}\n';
  const { code, stdout } = await spawned(['eval', '--batch'], { env, input });
  expect(code).toBe(2);
  expect(stdout.split('\n')[0]).toBe(
    '{"inst":"cvt.rn.f16.f32","error":{"code":"INTERNAL","message":"internal error: broken"}}',
  );
  expect(stdout.split('\n')[1]).toContain('PTX2001');
});

test('an interrupt stops it at once, without a stack trace', async () => {
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
