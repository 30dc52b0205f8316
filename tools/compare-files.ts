/**
 * Compares the checker with the ptxas that is installed on this machine, using whole PTX files. Prints every file that
 * only one of the two rejects, with the start of each message.
 *
 * tsx tools/compare-files.ts FILE.ptx …
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SourceText } from '../src/base/source-text.ts';
import { check } from '../src/check/check.ts';

const shown = 4;

/**
 * Returns the messages of ptxas, or null if it accepts the file. ptxas compiles only for sm_75 and later, so older PTX
 * is compiled for sm_75.
 */
function theirErrors(file: string, text: string): readonly string[] | null {
  const [, number = '75', suffix = ''] = /^\s*\.target\s+sm_(\d+)([af]?)/m.exec(text) ?? [];
  const arch = Number(number) < 75 ? 'sm_75' : `sm_${number}${suffix}`;
  const run = spawnSync('ptxas', ['-O0', `-arch=${arch}`, '-o', '/dev/null', file], { encoding: 'utf8' });
  if (run.status === 0) return null;
  const said = `${run.stdout}${run.stderr}`.split('\n').filter((line) => /error|fatal/.test(line));
  return said.map((line) => line.replace(/^.*?(line \d+; )?(error|fatal)\s*: /, '$1'));
}

function ourErrors(text: string): readonly string[] {
  const source = new SourceText(text);
  return check(text)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ span, code, message }) => `line ${source.position(span.start).line}; ${code} ${message}`);
}

const files = process.argv.slice(2);
let disagreements = 0;
for (const file of files) {
  const text = readFileSync(file, 'latin1');
  const theirs = theirErrors(file, text);
  const ours = ourErrors(text);
  if ((theirs === null) === (ours.length === 0)) continue;
  disagreements++;
  const said = theirs === null ? ours : theirs;
  console.log(`${file}: ${theirs === null ? 'refused here only' : 'refused by ptxas only'}`);
  for (const line of said.slice(0, shown)) console.log(`  ${line}`);
}
console.log(`${files.length} files, ${disagreements} disagreements`);
process.exitCode = disagreements === 0 ? 0 : 1;
