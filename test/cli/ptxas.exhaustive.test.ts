/**
 * Compares the stand-in for ptxas with the real ptxas on this machine. Both programs check mutants of real modules.
 * They must agree on the verdict, the exit code and the first line with an error. Some differences are accepted: those
 * that are due to peculiarities of ptxas (docs/spec-questions.md), and syntax errors that ptxas reports one line later.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { targets } from '../../src/isa/targets.ts';
import { ModuleMutator, modulesOf } from '../fuzz/module-mutants.ts';
import { ptxlab, put, root, scratch } from './ptxlab.ts';

const hasPtxas = spawnSync('ptxas', ['--version']).status === 0;
const seed = Number(process.env['PTXLAB_SEED'] ?? Date.now() % 2 ** 31);
const folder = scratch();
afterAll(() => rmSync(folder, { recursive: true }));

const folders = ['cuda', 'compilers', 'inline', 'matrices'].map((name) => join(root, 'test/kernels', name));
const modules = folders.flatMap((kernels) =>
  readdirSync(kernels)
    .filter((file) => file.endsWith('.ptx'))
    .flatMap((file) => modulesOf(file, readFileSync(join(kernels, file), 'utf8'))),
);

/** Returns the lowest line number of all errors or, if no error has a line number, the message of the first one. */
function fault(stderr: string): string {
  const lines = [...stderr.matchAll(/(m\.ptx|<macro util>), line (\d+); (?:error|fatal)/g)];
  const own = lines.filter(([, name]) => name === 'm.ptx');
  const numbers = (own.length > 0 ? own : lines).map(([, , line]) => Number(line));
  return numbers.length > 0 ? `line ${Math.min(...numbers)}` : (/(?:error|fatal).*/.exec(stderr)?.[0] ?? '');
}

describe.skipIf(!hasPtxas)('skipped without ptxas on this machine', () => {
  test(`200 accepted and 200 refused mutants, seed ${seed}`, async () => {
    const mutator = new ModuleMutator(modules, seed);
    const verdicts: string[] = [];
    const lines: string[] = [];
    const counts = { accepted: 0, refused: 0 };
    while (counts.accepted < 200 || counts.refused < 200) {
      const { file, text, what } = mutator.next();
      const own = /\.target\s+(sm_\w+)/.exec(text)?.[1] ?? 'sm_75';
      const named = mutator.pick([own, own, mutator.pick(targets.filter(({ sm }) => sm >= 75)).name]);
      const arch = mutator.pick([named, named.replace('sm', 'compute')]);
      const args = ['-O0', '-arch', arch, put(folder, 'm.ptx', text), '-o', '/dev/null'];
      const theirs = spawnSync('ptxas', args, { encoding: 'utf8', timeout: 20_000 });
      if (theirs.status === null || /is not defined for option|Memory allocation/.test(theirs.stderr)) continue;
      counts[theirs.status === 0 ? 'accepted' : 'refused']++;
      const ours = await ptxlab(['ptxas', ...args]);
      if (ours.code === theirs.status && fault(ours.stderr) === fault(theirs.stderr)) continue;
      (ours.code === theirs.status ? lines : verdicts).push(
        `${file} ${arch} ${what}\n  ptxas: ${theirs.stderr}\n  ours:  ${ours.stderr}`,
      );
    }
    expect(verdicts.length, verdicts.join('\n')).toBeLessThanOrEqual(1);
    expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(12);
  });
});
