/**
 * The files on which the checker's speed is measured: PTX files of 100 kB to 3 MB, compiled by nvcc from the sources in
 * the folder `cuda` with -O3, -G and -lineinfo for several targets. They are created once and kept in
 * `.scratch/check-set`. If nvcc is not installed, a generated 3 MB module is used instead.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeModule } from './make-module.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = ['test/bench/cuda', 'test/kernels/cuda'].map((path) => join(root, path));
const folder = join(root, '.scratch', 'check-set');
const smallest = 100_000;
const largest = 3_000_000;

/**
 * The files that are compiled from each source: their names and the compiler's options. Files that cannot be compiled
 * for a target are left out.
 */
const builds: readonly (readonly [string, readonly string[]])[] = [
  ['sm_75-debug', ['-arch=sm_75', '-G', '-DSMALL']],
  ['sm_80', ['-arch=sm_80', '-O3']],
  ['sm_90-lines', ['-arch=sm_90', '-O3', '-lineinfo']],
  ['sm_100a', ['-arch=sm_100a', '-O3']],
  ['sm_120-lines-small', ['-arch=sm_120', '-O3', '-lineinfo', '-DSMALL']],
];

export interface RealFiles {
  /** In alphabetical order. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** How the files were made, for the report. */
  readonly origin: string;
}

/** Returns the files. Files that do not exist yet are created first, which takes several minutes. */
export function realFiles(): RealFiles {
  const done = join(folder, 'done');
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(done, build() ? 'nvcc' : 'generated modules, because nvcc is missing');
  }
  const names = readdirSync(folder).filter((name) => name.endsWith('.ptx'));
  const all = names.sort().map((name) => ({ file: join(folder, name), size: statSync(join(folder, name)).size }));
  const fitting = all.filter(({ size }) => size >= smallest && size <= largest);
  const files = fitting.map(({ file }) => file);
  const bytes = fitting.reduce((sum, { size }) => sum + size, 0);
  return { files, bytes, origin: readFileSync(done, 'utf8') };
}

/** Creates the files. Returns false if nvcc is not installed. */
function build(): boolean {
  if (spawnSync('nvcc', ['--version']).error !== undefined) {
    const text = [...makeModule(largest - 200_000)].join('');
    for (let i = 0; i < 9; i++) writeFileSync(join(folder, `generated-${i}.ptx`), text);
    return false;
  }
  for (const path of sources) {
    const programs = readdirSync(path).filter((name) => name.endsWith('.cu'));
    for (const program of programs) for (const [name, options] of builds) buildOne(path, program, name, options);
  }
  return true;
}

function buildOne(path: string, program: string, name: string, options: readonly string[]): void {
  const made = join(folder, `${program.replace(/\.cu$/, '')}.${name}.ptx`);
  // A previous run that was interrupted may already have made this file.
  if (existsSync(made)) return;
  const { status } = spawnSync('nvcc', ['-w', '-ptx', ...options, program, '-o', `${made}.new`], { cwd: path });
  if (status === 0) renameSync(`${made}.new`, made);
  else rmSync(`${made}.new`, { force: true });
}
