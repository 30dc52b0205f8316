/**
 * Tests the commands `completion`, `man` and `doctor`, which help users set up ptxlab. The output of `completion` is
 * checked with the shells that use it, and the output of `man` with the program `man`.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { ptxlab, put, scratch } from './ptxlab.ts';

const folder = scratch();
afterAll(() => rmSync(folder, { recursive: true }));

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

function run(program: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, MANWIDTH: '80' } });
  return stderr + stdout;
}

async function script(shell: string): Promise<string> {
  return put(folder, shell, (await ptxlab(['completion', shell])).stdout);
}

describe('completion', () => {
  test.skipIf(!has('bash')).each([
    ['ptxlab ch', 'check'],
    ['ptxlab check --for', '--format'],
    ['ptxlab check --format s', 'sarif'],
    ['ptxlab test -f t', 'table tap'],
    ['ptxlab plan check --format s', 'sarif'],
    ['ptxlab plan test --format t', 'table tap'],
    ['ptxlab merge --color n', 'never'],
    ['ptxlab help dif', 'diff'],
    ['ptxlab --col', '--color'],
    ['ptxlab plan sw', 'sweep'],
    ['ptxlab plan sweep --rb', '--rbits'],
  ])('in bash, skipped without it: %s', async (line, expected) => {
    const words = line.split(' ');
    const drive = `source ${await script('bash')}; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _ptxlab; echo "\${COMPREPLY[@]}"`;
    expect(run('bash', ['--norc', '-c', drive])).toBe(`${expected}\n`);
  });

  test.skipIf(!has('fish')).each([
    ['ptxlab ch', /^check\tCheck PTX/],
    ['ptxlab check --for', /^--format\t/],
    ['ptxlab plan sw', /^sweep$/m],
    ['ptxlab check --format=s', /^--format=sarif/],
    ['ptxlab plan check --format=s', /^--format=sarif/],
    ['ptxlab plan test --format=t', /^--format=table\t.*\n--format=tap\t/],
  ])('in fish, skipped without it: %s', async (line, expected) => {
    expect(run('fish', ['--no-config', '-c', `source ${await script('fish')}; complete -C '${line}'`])).toMatch(
      expected,
    );
  });

  test.skipIf(!has('zsh'))('in zsh, skipped without it: the script is well-formed', async () => {
    expect(run('zsh', ['-n', await script('zsh')])).toBe('');
  });

  test('an unknown shell is refused', async () => {
    const { code, stderr } = await ptxlab(['completion', 'tcsh']);
    expect([code, stderr]).toEqual([2, 'ptxlab: completion needs a shell: bash, zsh, fish\n']);
  });
});

test.skipIf(!has('man'))('the man page has every command and no warnings, skipped without man', async () => {
  const text = run('man', ['--warnings', '-l', put(folder, 'ptxlab.1', (await ptxlab(['man'])).stdout)]);
  expect(text).toMatch(/^PTXLAB\(1\)/);
  for (const command of ['check', 'eval', 'run', 'convert', 'plan sweep', 'doctor'])
    expect(text).toContain(`ptxlab ${command}`);
  expect(text).not.toContain('warning:');
});

describe('doctor', () => {
  test('reports that this machine is fine', async () => {
    const { code, stdout } = await ptxlab(['doctor']);
    expect(stdout.split('\n').filter((line) => line.startsWith('fix'))).toEqual([]);
    expect(code).toBe(0);
    expect(stdout).toContain('a kernel on 2 workers  right results');
  });

  test('as JSON', async () => {
    const { stdout } = await ptxlab(['doctor', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, examinations: expect.arrayContaining([]) });
  });
});
