/** Tests the command line as it is bundled for the wheel of the Python package. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, scratch } from '../cli/ptxlab.ts';

const kernel = join(root, 'examples/kernels/reverse_sm75.ptx');

const folder = scratch();

it('runs launches and conversions on one thread if they ask for several', () => {
  const bundle = join(folder, 'server');
  execFileSync(process.execPath, [join(root, 'node_modules/tsx/dist/cli.mjs'), 'tools/bundle-python.ts', bundle], {
    cwd: root,
  });
  const ptxlab = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [join(bundle, 'dist/bin/ptxlab.js'), ...args], { encoding: 'utf8', cwd: folder });
  const args = ['zeros:f32[2]', 'f32[]:1,2', '2'].flatMap((one) => ['--arg', one]);
  const launch = ['run', kernel, '--grid', '2', '--block', '64', ...args, '--out', '0:out.npy', '--force'];
  expect(ptxlab(...launch, '--workers', '2')).toBe(ptxlab(...launch));
  ptxlab('convert', 'out.npy', 'half.npy', '--to', 'f16');
  expect(ptxlab('inspect', 'half.npy')).toContain('<f2');
});
