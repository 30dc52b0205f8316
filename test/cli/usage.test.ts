/** Tests help, the version and wrong usage. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ptxlab, root, scratch } from './ptxlab.ts';

const vecadd = join(root, 'examples/kernels/bench_vecadd.ptx');

test.each([[], ['check'], ['eval'], ['run'], ['explain'], ['forms'], ['lsp'], ['sweep']])(
  'help of ptxlab %s begins with examples',
  async (...command) => {
    const { code, stdout, stderr } = await ptxlab([...command, '--help']);
    expect(stdout).toMatch(/^Examples:\n {2}ptxlab /);
    expect(stdout).toContain('Usage: ptxlab');
    expect([code, stderr]).toEqual([0, '']);
  },
);

test('--version prints the version of the package and nothing else', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(await ptxlab(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('wrong usage exits 2 with one hint on stderr', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['no command', [], /^Examples:/],
    ['an unknown command', ['chekc'], /^ptxlab: unknown command 'chekc' \(did you mean check\?\); see --help\n$/],
    [
      'an unknown option',
      ['check', '--fromat', 'json', 'x'],
      /^ptxlab: unknown option '--fromat' \(did you mean --format\?\); see --help/,
    ],
    ['an unknown format', ['check', '-f', 'xml', 'x'], /Allowed choices are pretty, ptxas, json, sarif, github/],
    ['no file', ['check'], /check needs a file or folder, or - for stdin/],
    ['an unknown target', ['check', '-t', 'sm_8O', 'x'], /unknown target 'sm_8O' \(did you mean 'sm_80'\?\)/],
    ['an empty target list', ['check', '-t', ',', 'x'], /--target needs a name/],
    [
      'an unknown version',
      ['check', '--isa', '6.6', 'x'],
      /unknown PTX version '6\.6' \(known versions are 1\.0 to 9\.4\)/,
    ],
    ['a kind of warning other than error', ['check', '-Wall', 'x'], /Allowed choices are error/],
    ['an unknown opcode', ['forms', '--opcode', 'cvtt'], /no forms of 'cvtt' \(did you mean cvta?\?\)/],
    ['too many arguments', ['forms', 'cvt'], /^ptxlab: too many arguments .* but got 1; see --help\n$/],
    ['nothing to evaluate', ['eval'], /eval needs an instruction/],
    ['an option that eval does not know', ['eval', '--explian', 'cvt.rn.f16.f32', '1'], /did you mean --explain\?/],
    ['a batch file that does not exist', ['check', '--batch', 'none.ndjson'], /^ptxlab: none\.ndjson: no such file\n$/],
    ['two batch files', ['eval', '--batch', 'a', 'b'], /takes its requests from a single file/],
    ['an unknown value of --color', ['--color', 'red', 'forms'], /Allowed choices are auto, always, never/],
  ])('%s', async (_, args, hint) => {
    const { code, stdout, stderr } = await ptxlab(args);
    expect(stderr).toMatch(hint);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('every command that reads files reports one that cannot be read', () => {
  const folder = scratch();
  const loop = join(folder, 'loop');
  symlinkSync(loop, loop);
  const kernel = ['--arg', '1', '--arg', '2', '--arg', '3'];
  const readers: Readonly<Record<string, (path: string) => readonly string[]>> = {
    check: (path) => ['check', path],
    'check --batch': (path) => ['check', '--batch', path],
    'eval --batch': (path) => ['eval', '--batch', path],
    run: (path) => ['run', path],
    'run --job': (path) => ['run', '--job', path],
    'run --arg': (path) => ['run', vecadd, '--arg', `file:${path}`, ...kernel],
    sweep: (path) => ['sweep', 'cvt.rn.satfinite.e4m3x2.f32', '--expect', path],
    convert: (path) => ['convert', path, join(folder, 'out.safetensors'), '--to', 'f16'],
    inspect: (path) => ['inspect', path],
    diff: (path) => ['diff', path, path],
  };
  test.each<[string, string]>([
    [join(folder, 'none'), 'no such file'],
    [folder, 'is a directory, not a file'],
    [join(vecadd, 'inside'), 'no such file'],
    [join(folder, 'n'.repeat(300)), 'the name is too long'],
    [loop, 'a symbolic link that cannot be followed'],
  ])('%s: %s', async (path, reason) => {
    const said = await Promise.all(Object.values(readers).map(async (args) => (await ptxlab(args(path))).stderr));
    const names = Object.keys(readers);
    const reasonFor = (name: string): string =>
      name === 'check' && path === folder ? 'contains no .ptx files' : reason;
    expect(said.map((text, i) => [names[i], text])).toEqual(
      names.map((name) => [name, `ptxlab: ${path}: ${reasonFor(name)}\n`]),
    );
  });
});

test('forms --matrix accepts the opcode that it shows and refuses others', async () => {
  const [plain, named] = await Promise.all([
    ptxlab(['forms', '--matrix']),
    ptxlab(['forms', '--matrix', '--opcode', 'cvt']),
  ]);
  expect(named).toEqual(plain);
  const { code, stderr } = await ptxlab(['forms', '--matrix', '--opcode', 'add']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--matrix shows the conversions of cvt')]);
});
