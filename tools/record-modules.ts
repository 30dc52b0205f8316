/**
 * Compiles the modules in test/golden/modules with the installed ptxas, writes the verdicts of ptxas into these files,
 * and reports where the checker disagrees.
 *
 * tsx tools/record-modules.ts [FILE.txt …]
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../src/check/check.ts';
import { scratchFolder } from '../test/bench/scratch-folder.ts';
import { caseFiles, folder, type ModuleCase, readCases } from '../test/golden/module-cases.ts';

const scratch = scratchFolder();

/**
 * Compiles a module as a whole program. For PTX 3.1 and later, compiles relocatable code (`-c`) instead if the module
 * refers to a definition that may be in another module, or contains something that is allowed only in relocatable code.
 */
function verdictOf(one: ModuleCase): string {
  const whole = runOn(one, []);
  return /Unresolved extern|'--compile-only'/.test(whole) && Number(one.version) >= 3.1 ? runOn(one, ['-c']) : whole;
}

/** ptxas compiles only for sm_75 and later, so older PTX is compiled for sm_75. */
function runOn({ source, target }: ModuleCase, options: readonly string[]): string {
  const path = join(scratch, 'm.ptx');
  writeFileSync(path, source);
  const arch = Number(/\d+/.exec(target)?.[0]) < 75 ? 'sm_75' : target.replace(/,.*/, '');
  const run = spawnSync('ptxas', [...options, '-O0', `-arch=${arch}`, path, '-o', join(scratch, 'out')], {
    encoding: 'utf8',
  });
  const said = run.stdout + run.stderr;
  const first = (kinds: string): string | undefined => new RegExp(`(?:${kinds})\\s*: (.*)`).exec(said)?.[1];
  const refusal = first('error|fatal')?.trim() ?? said.trim();
  if (run.status !== 0)
    return `${/^(32-Bit|Unresolved extern function|In ABI compilation)/.test(refusal) ? 'warning' : 'error'}: ${refusal}`;
  const warning = first('warning');
  return warning === undefined ? 'accepted' : `warning: ${warning}`;
}

function ourVerdict(source: string): string {
  const { diagnostics } = check(source);
  for (const kind of ['error', 'warning']) {
    const found = diagnostics.find(({ severity }) => severity === kind);
    if (found !== undefined) return `${kind}: ${found.code} ${found.message}`;
  }
  return 'accepted';
}

const named = process.argv.slice(2);
for (const file of named.length > 0 ? named : caseFiles()) {
  const cases = readCases(file).map((one) => ({ ...one, verdict: verdictOf(one).replaceAll(scratch, '') }));
  const parts = cases.map(({ title, input, verdict }) => `# ${title}\n${input}==>\n${verdict}\n`);
  writeFileSync(new URL(file, folder), parts.join('\n'));
  for (const { title, version, target, source, verdict } of cases) {
    const ours = ourVerdict(source);
    const [kind, theirs] = [ours, verdict].map((text) => text.split(':', 1)[0]);
    if (kind === theirs || (kind === 'warning' && theirs === 'accepted') || title.startsWith('quirk:')) continue;
    console.log(`${file}: ${title} (${version}, ${target})\n  ptxas: ${verdict}\n  ours:  ${ours}`);
  }
}
