/** Tests the workflow that publishes releases: what it is allowed to do, and how it checks the tag of a release. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './ptxlab.ts';

const text = readFileSync(join(root, '.github/workflows/publish.yml'), 'utf8');
const [head = '', ...jobs] = text.split(/^ {2}(?=\w+:\n {4}(?:needs|runs-on))/m);
const job = (name: string): string => jobs.find((one) => one.startsWith(`${name}:`)) ?? '';

describe('the workflow', () => {
  test('runs only for a release, and grants nothing to all jobs', () => {
    expect(head).toMatch(/^on:\n {2}release:\n {4}types: \[published\]\npermissions: \{\}\n/m);
  });

  test('uses other actions by the hash of a commit', () => {
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, name]) => name);
    expect(uses).toHaveLength(7);
    for (const name of uses) expect(name).toMatch(/@[\da-f]{40}$/);
  });

  test('has no expression in a command, and no secret', () => {
    for (const [command] of text.matchAll(/^ *- run: .*$|^ *run: .*$/gm)) expect(command).not.toContain('${{');
    expect(text).not.toContain('secrets.');
  });

  test.each(['npm', 'pypi'])('publishes to %s after the tests, with an identity of its own', (name) => {
    expect(job(name)).toMatch(/needs: verify\n/);
    expect(job(name)).toContain(
      `environment: ${name}\n    permissions:\n      contents: read\n      id-token: write\n`,
    );
  });

  test('gives the job that runs the tests no identity', () => {
    expect(job('verify')).toContain('npm run verify');
    expect(job('verify')).not.toContain('id-token');
  });

  test('runs scripts that exist', () => {
    const { scripts }: { scripts: object } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const names = [...text.matchAll(/npm run (\S+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });
});

test.each([
  ['the version', 0],
  ['v0.0.0', 1],
  ['', 1],
])('a release with the tag "%s" ends with %i', (tag, code) => {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const env = { ...process.env, TAG: tag === 'the version' ? `v${version}` : tag };
  expect(spawnSync(process.execPath, [join(root, 'tools/require-version.mjs')], { env }).status).toBe(code);
});
