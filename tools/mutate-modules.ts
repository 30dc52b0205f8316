/**
 * Compares the checker with the ptxas that is installed on this machine. The input consists of real modules. The tool
 * either changes one or two of a module's tokens, or checks the module for another version and target. If the checker
 * and ptxas disagree about a module, the tool prints the change and the messages of both. Many of these disagreements
 * are peculiarities of ptxas that docs/spec-questions.md lists.
 *
 * tsx tools/mutate-modules.ts COUNT SEED FILE.ptx …
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../src/check/check.ts';
import { scratchFolder } from '../test/bench/scratch-folder.ts';
import { ModuleMutator, modulesOf } from '../test/fuzz/module-mutants.ts';

const [count = 1000, seed = 1] = process.argv.slice(2, 4).map(Number);

/** The checker's first error, or null. */
function ourFirst(text: string): string | null {
  const error = check(text).diagnostics.find(({ severity }) => severity === 'error');
  return error === undefined ? null : `${error.code} ${error.message}`;
}

const folder = scratchFolder();

/**
 * Returns the first error that ptxas reports; null if ptxas accepts the module, and undefined if the result is
 * inconclusive.
 */
function theirFirst(text: string): string | null | undefined {
  const file = join(folder, 'm.ptx');
  writeFileSync(file, text);
  const arch = /\.target\s+(sm_\w+)/.exec(text)?.[1] ?? '';
  const run = spawnSync('ptxas', ['-c', '-O0', `-arch=${arch}`, file, '-o', '/dev/null'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  const said = run.stdout + run.stderr;
  // ptxas compiles for fewer targets than it recognizes, does not support 32-bit addresses, and ignores limits on
  // memory.
  if (run.status === null || /is not defined for option|32-Bit|Memory allocation failure/.test(said)) return undefined;
  return run.status === 0 ? null : (/(error|fatal)\s*:.*/.exec(said)?.[0] ?? said);
}

const modules = process.argv.slice(4).flatMap((file) => modulesOf(file, readFileSync(file, 'utf8')));
const mutator = new ModuleMutator(modules, seed);
let disagreements = 0;
for (let i = 0; i < count; i++) {
  const { file, text, what } = mutator.next();
  const theirs = theirFirst(text);
  const ours = ourFirst(text);
  if (theirs === undefined || (theirs === null) === (ours === null)) continue;
  disagreements++;
  console.log(`${file} ${what}\n  ptxas: ${theirs ?? 'accepts'}\n  ours:  ${ours ?? 'accepts'}`);
}
console.log(`${count} of ${modules.length} modules, ${disagreements} disagreements`);
