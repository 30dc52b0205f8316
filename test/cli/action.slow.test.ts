/**
 * Tests the GitHub action: runs its script with the variables that GitHub sets, and checks that the action's other
 * files contain nothing forbidden.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { built, mainFile, moduleOf, ptxlab, put, root, scratch } from './ptxlab.ts';

const folder = scratch();
afterAll(() => rmSync(folder, { recursive: true }));

const bad = moduleOf('.reg .b16 %h<3>; .reg .f32 %f<3>;\ncvt.f16.f32 %h1, %f2;');

interface Step {
  readonly code: number | null;
  readonly stdout: string;
  readonly outputs: ReadonlyMap<string, string>;
  readonly summary: string;
}

/** Runs a step of the action in a workspace with these files. */
async function step(name: string, files: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): Promise<Step> {
  await built();
  const workspace = join(folder, `workspace-${Math.random()}`);
  mkdirSync(workspace, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    put(workspace, file, text);
  }
  const [output, summary] = [join(workspace, '.output'), join(workspace, '.summary')];
  writeFileSync(output, '');
  writeFileSync(summary, '');
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'action/run.mjs'), name], {
    cwd: workspace,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: workspace,
      PTXLAB_PROGRAM: mainFile,
      ...env,
    },
  });
  const outputs = new Map(
    Array.from(
      readFileSync(output, 'utf8').matchAll(/^([\w-]+)<<(.+)\n([^]*?)\n\2\n/gm),
      ([, key = '', , value = '']) => [key, value],
    ),
  );
  return { code: status, stdout, outputs, summary: readFileSync(summary, 'utf8') };
}

describe('the step check', () => {
  test('writes annotations, a SARIF file, outputs and a summary; the job fails later', async () => {
    const { code, stdout, outputs, summary } = await step('check', { 'build/a.ptx': bad }, {});
    expect(code).toBe(0);
    expect(stdout).toMatch(/^::error file=build\/a\.ptx,line=7,/);
    expect([outputs.get('findings'), outputs.get('exit')]).toEqual(['1', '1']);
    expect(JSON.parse(readFileSync(outputs.get('sarif') ?? '', 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect(summary).toMatch(/^### ptxlab check: 1 finding\n\n {4}build\/a\.ptx: 1 error/);
  });

  test('checks the files that match, for the targets', async () => {
    const files = { 'build/a.ptx': moduleOf(''), 'b.ptx': bad };
    const { stdout, outputs } = await step('check', files, { PTXLAB_FILES: 'build/*.ptx\n', PTXLAB_TARGET: 'sm_90' });
    expect([outputs.get('findings'), outputs.get('exit')]).toEqual(['0', '0']);
    expect(stdout).toContain('build/a.ptx: no findings for sm_90');
  });

  test('treats inputs as data', async () => {
    const env = { PTXLAB_TARGET: 'sm_80; touch hacked', PTXLAB_FILES: '**/*.ptx' };
    const { outputs } = await step('check', { 'a.ptx': bad }, env);
    expect([outputs.get('exit'), outputs.get('sarif')]).toEqual(['2', '']);
  });

  test('lets no file name become a command or an option', async () => {
    const files = { '::set-output name=x::y.ptx': bad, '--help.ptx': moduleOf('') };
    const { code, stdout } = await step('check', files, {});
    const token = /^::stop-commands::(.+)$/m.exec(stdout)?.[1] ?? '';
    const [before = ''] = stdout.split('::stop-commands::');
    expect(code).toBe(0);
    expect(before).toMatch(/^::error file=%3A%3Aset-output name=x%3A%3Ay\.ptx,/);
    expect(stdout.trimEnd().endsWith(`::${token}::`)).toBe(true);
  });

  test.each(['build', 'build/', './build/a.ptx', 'build/*.{ptx,cu}', '**/?.ptx', '.hid/*.ptx\nbuild/*'])(
    'finds a module by %j',
    async (pattern) => {
      const { outputs } = await step('check', { 'build/a.ptx': bad, '.hid/b.ptx': bad }, { PTXLAB_FILES: pattern });
      expect([outputs.get('findings'), outputs.get('exit')]).toEqual([pattern.includes('hid') ? '2' : '1', '1']);
    },
  );

  test('warns if there are no modules', async () => {
    const { code, stdout, outputs } = await step('check', {}, {});
    expect([code, stdout, outputs.get('exit')]).toEqual([0, '::warning::no file matches **/*.ptx\n', '0']);
  });

  test.each(['*.none', '**/*.ptx\n*.none', 'build/a.ptx build/b.ptx'])(
    'fails if nothing matches a line of %j',
    async (patterns) => {
      const { code, stdout, outputs } = await step(
        'check',
        { 'build/a.ptx': moduleOf('') },
        { PTXLAB_FILES: patterns },
      );
      const last = patterns.split('\n').at(-1);
      expect([code, stdout, outputs.get('exit')]).toEqual([0, `::error::no file matches ${last}\n`, '2']);
    },
  );
});

test.each([
  ['0', 0],
  ['1', 1],
  ['2', 2],
  ['', 2],
  ['x', 2],
])('the step finish with the exit code "%s" exits with %i', async (exit, code) => {
  expect((await step('finish', {}, { PTXLAB_EXIT: exit })).code).toBe(code);
});

test('the step install refuses what is not a version', async () => {
  const env = { PTXLAB_VERSION: '1.0.0 && true', PTXLAB_PROGRAM: join(folder, 'missing') };
  const { code, stdout } = await step('install', {}, env);
  expect([code, stdout]).toEqual([2, "::error::'1.0.0 && true' is not a version of ptxlab\n"]);
});

describe('action.yml', () => {
  const text = readFileSync(join(root, 'action.yml'), 'utf8');

  test('has no expression in a command', () => {
    const commands = [...text.matchAll(/^ *run: (.*)$/gm)].map(([, command]) => command);
    expect(commands).toHaveLength(3);
    for (const command of commands) expect(command).not.toContain('${{');
  });

  test('uses other actions by the hash of a commit', () => {
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, name]) => name);
    expect(uses).toHaveLength(3);
    for (const name of uses) expect(name).toMatch(/@[\da-f]{40}$/);
  });

  test('gives the script all variables that it reads', () => {
    const script = readFileSync(join(root, 'action/run.mjs'), 'utf8');
    const read = new Set(Array.from(script.matchAll(/PTXLAB_(?!PROGRAM)\w+/g), ([name]) => name));
    for (const name of read) expect(text).toContain(`${name}: \${{`);
  });
});

test('the problem matcher finds file, line, severity and message', async () => {
  const text = readFileSync(join(root, 'action/problem-matcher.json'), 'utf8');
  const regexp = /"regexp": (".*")/.exec(text)?.[1] ?? '""';
  const { stdout } = await ptxlab(['check', put(folder, 'a.ptx', bad), '--format', 'ptxas']);
  const [, file, line, severity, message] = new RegExp(String(JSON.parse(regexp)), 'm').exec(stdout) ?? [];
  expect([file, line, severity]).toEqual([join(folder, 'a.ptx'), '7', 'error']);
  expect(message).not.toBe('');
});

const hasPreCommit = spawnSync('pre-commit', ['--version']).status === 0;

test.skipIf(!hasPreCommit)('the hook of docs/ci.md, run by pre-commit; skipped without it', async () => {
  await built();
  const place = join(folder, 'hook');
  mkdirSync(place);
  const [, config = ''] =
    /## pre-commit\n\n```yaml\n([^`]*)```/.exec(readFileSync(join(root, 'docs/ci.md'), 'utf8')) ?? [];
  const local = config
    .replace('entry: ptxlab', `entry: ${process.execPath} ${mainFile}`)
    .replace('language: node', 'language: system')
    .replace(/.*additional_dependencies.*\n/, '');
  put(place, '.pre-commit-config.yaml', local);
  put(place, 'good.ptx', moduleOf(''));
  put(place, 'bad.ptx', bad);
  const git = (...args: readonly string[]): void => {
    spawnSync('git', args, { cwd: place });
  };
  git('init', '--quiet');
  git('add', '.');
  const hook = (file: string): { readonly status: number | null; readonly stdout: string } =>
    spawnSync('pre-commit', ['run', 'ptxlab-check', '--files', file], { cwd: place, encoding: 'utf8' });
  expect(hook('good.ptx').status).toBe(0);
  const { status, stdout } = hook('bad.ptx');
  expect([status, stdout]).toEqual([1, expect.stringContaining('PTX2030')]);
});
