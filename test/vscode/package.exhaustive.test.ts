/** Tests the packed extension: its size, its files, and the language server that it contains. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { beforeAll, expect, it } from 'vitest';
import { frame } from '../../src/cli/lsp/frames.ts';
import { root, scratch } from '../cli/ptxlab.ts';

const folder = scratch();
const file = join(folder, 'ptxlab.vsix');
let names: readonly string[] = [];

beforeAll(() => {
  const packed = spawnSync('npm', ['run', 'vscode:build', '--', file], { cwd: root, encoding: 'utf8' });
  expect(packed.status, packed.stderr).toBe(0);
  const files = Object.entries(unzipSync(readFileSync(file)));
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  names = files.map(([name]) => name);
}, 300_000);

it('is smaller than 2 MB', () => {
  expect(statSync(file).size).toBeLessThan(2e6);
});

it('has every file that its manifest names', () => {
  const { main, contributes } = JSON.parse(readFileSync(join(folder, 'extension/package.json'), 'utf8'));
  const needed = [main, contributes.languages[0].configuration, contributes.grammars[0].path, './dist/THIRD-PARTY.txt'];
  expect(names).toEqual(expect.arrayContaining(needed.map((path: string) => path.replace(/^\./, 'extension'))));
});

it('has a server that answers', () => {
  const input = [{ id: 1, method: 'initialize', params: {} }, { id: 2, method: 'shutdown' }, { method: 'exit' }];
  const server = join(folder, 'extension/dist/bin/ptxlab.js');
  const { stdout, stderr, status } = spawnSync(process.execPath, [server, 'lsp', '--stdio'], {
    input: input.map(frame).join(''),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('"hoverProvider":true');
});

it('has the commands that its palette offers', () => {
  const server = join(folder, 'extension/dist/bin/ptxlab.js');
  const kernel = join(root, 'examples/kernels/bench_vecadd.ptx');
  const outputs = [
    ['explain', 'cvt.rn.f16.f32 %h1, %f1;'],
    ['eval', '--explain', 'cvt.rn.f16.f32', '0.1'],
    ['run', '--help'],
    ['check', '-q', kernel],
  ].map((args) => spawnSync(process.execPath, [server, ...args], { encoding: 'utf8' }));
  expect(outputs.map(({ status, stderr }) => [status, stderr])).toEqual(outputs.map(() => [0, '']));
});
