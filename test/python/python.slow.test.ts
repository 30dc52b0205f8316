/** Runs the tests of the Python package with the system's Python. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { built, root } from '../cli/ptxlab.ts';

const python = process.env['PYTHON'] ?? 'python3';
const hasPackages = spawnSync(python, ['-c', 'import numpy, pytest']).status === 0;

it.skipIf(!hasPackages)('the tests of the Python package (skipped without python3, numpy and pytest)', async () => {
  await built();
  const env = {
    ...process.env,
    PTXLAB_NODE: process.execPath,
    PYTHONPATH: join(root, 'python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
    // A wheel that was built or installed in the checkout would register the package's plugin a second time.
    PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
  };
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(root, 'test/python')];
  const { status, stdout, stderr } = spawnSync(python, args, { env, encoding: 'utf8', cwd: root });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
});

const hasMypy = spawnSync(python, ['-m', 'mypy', '--version']).status === 0;

it.skipIf(!hasMypy)('the types of the Python package (skipped without mypy)', () => {
  const args = ['-m', 'mypy', '--config-file', 'pyproject.toml', '--cache-dir', '/dev/null', 'src'];
  const { status, stdout } = spawnSync(python, args, { encoding: 'utf8', cwd: join(root, 'python') });
  expect(status, stdout).toBe(0);
});
