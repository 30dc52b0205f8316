/**
 * Measures how fast real files are checked. The result is compared with the time that ptxas takes to check the same
 * files, excluding code generation.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realFiles } from './real-files.ts';
import type { Row } from './run-kernels.ts';
import { scratchFolder } from './scratch-folder.ts';

const passes = 7;
const script = fileURLToPath(new URL('check-passes.mjs', import.meta.url));
const program = fileURLToPath(new URL('../../dist/bin/ptxlab.js', import.meta.url));

interface Passes {
  readonly seconds: readonly number[];
  readonly mebibytes: number;
}

/**
 * Measures `check` and returns the rows of the report: the time of the first pass in a new process, the time of passes
 * 3 to 7, and the amount of memory used.
 */
export function realCheckRows(): readonly Row[] {
  const { files, bytes, origin } = realFiles();
  const run = spawnSync(process.execPath, [script, String(passes), ...files], { encoding: 'utf8' });
  const { seconds, mebibytes } = JSON.parse(run.stdout) as Passes;
  const cold = seconds[0] as number;
  const steady = seconds.slice(2).sort((a, b) => a - b)[Math.floor((passes - 2) / 2)] as number;
  const theirs = ptxasSeconds(files);
  const command = commandSeconds(files);
  const what = `check, ${files.length} files by ${origin}, ${(bytes / 1e6).toFixed(1)} MB`;
  return [
    rowOf('ptxlab check, these files in one process', command, bytes, theirs),
    rowOf(`${what}, first pass`, cold, bytes, theirs),
    rowOf(`${what}, passes 3 to 7`, steady, bytes, theirs),
    { what: 'peak memory of that process', figure: `${mebibytes.toFixed(0)} MiB`, beside: 'limit 300 MiB' },
  ];
}

function rowOf(what: string, ours: number, bytes: number, theirs: number | null): Row {
  const figure = `${ours.toFixed(2)} s of CPU time, ${(bytes / 1e6 / ours).toFixed(1)} MB/s`;
  if (theirs === null) return { what, figure, beside: 'no ptxas here' };
  return { what, figure, beside: `${(theirs / ours).toFixed(2)} times as fast as ptxas (${theirs.toFixed(2)} s)` };
}

/** The CPU time of one run of the command on all files, including the start of the process. */
function commandSeconds(files: readonly string[]): number {
  const words = ['node', program, 'check', '--quiet', ...files].map((word) => `'${word}'`).join(' ');
  const run = spawnSync('bash', ['-c', `(${words}) >/dev/null 2>&1\ntimes`], { encoding: 'utf8' });
  return secondsIn(run.stdout);
}

/**
 * Returns the CPU time of child processes: the sum of the user time and the system time in the last line that `times`
 * prints.
 */
function secondsIn(text: string): number {
  const line = text.trim().split('\n').at(-1) ?? '';
  const times = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest));
  return times.reduce((sum, time) => sum + time, 0);
}

/** ptxas's CPU time for each file, minus the time for an empty module; null if ptxas is not installed. */
function ptxasSeconds(files: readonly string[]): number | null {
  const empty = join(scratchFolder(), 'empty.ptx');
  writeFileSync(empty, '.version 9.0\n.target sm_75\n.address_size 64\n');
  const before = ptxas(files);
  const nothing = ptxas(files.map(() => empty));
  return before === null || nothing === null ? null : before - nothing;
}

function ptxas(files: readonly string[]): number | null {
  const lines = files.map((file) => {
    const target = /\.target\s+sm_(\w+)/.exec(readFileSync(file, 'latin1'))?.[1] ?? '75';
    return `ptxas -arch compute_${target} -o /dev/null '${file}'`;
  });
  const run = spawnSync('bash', ['-c', `command -v ptxas || exit 3\n(${lines.join('\n')}) >/dev/null 2>&1\ntimes`], {
    encoding: 'utf8',
  });
  if (run.status === 3 || run.error !== undefined) return null;
  return secondsIn(run.stdout);
}
