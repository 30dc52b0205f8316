/**
 * Keeps compiled kernels in a folder of the user, as the CUDA driver does, so that later processes do not have to
 * compile them again. The environment variable `PTXLAB_CACHE` names another folder, or is `off`.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { once } from '../base/once.ts';

/** When the files of the folder have more bytes than this, the oldest are removed until half of it is left. */
const mostBytes = 256 * 2 ** 20;

/** The most bytes that are stored for one kernel. */
const mostForOne = 16 * 2 ** 20;

/** A file that is used again is marked as new, but not more often than this, in milliseconds. */
const day = 24 * 3600 * 1000;

const extension = '.code';

export function readCode(key: string): unknown {
  const folder = folderOf();
  if (folder === null) return null;
  const path = join(folder, nameOf(key));
  try {
    const value: unknown = deserialize(readFileSync(path));
    keep(path);
    return value;
  } catch {
    return null;
  }
}

export function writeCode(key: string, value: object): void {
  const folder = folderOf();
  if (folder === null) return;
  const path = join(folder, nameOf(key));
  const other = `${path}.${randomUUID()}`;
  try {
    const bytes = serialize(value);
    if (bytes.byteLength > mostForOne) return;
    removeOldest();
    // Other processes never see a file that is not complete.
    writeFileSync(other, bytes, { mode: 0o600 });
    renameSync(other, path);
  } catch {
    rmSync(other, { force: true });
  }
}

function nameOf(key: string): string {
  return `${createHash('sha256').update(key).digest('hex')}${extension}`;
}

/** The folder, which is created if necessary; null if nothing is to be stored, or if other users can write to it. */
const folderOf: () => string | null = once(() => {
  try {
    const folder = chosenFolder();
    if (folder === null) return null;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? folder : null;
  } catch {
    return null;
  }
});

function chosenFolder(): string | null {
  const { PTXLAB_CACHE: chosen, XDG_CACHE_HOME: ofUser, LOCALAPPDATA: ofWindows } = process.env;
  if (chosen === 'off') return null;
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  if (process.platform === 'win32') return ofWindows === undefined ? null : join(ofWindows, 'ptxlab', 'code');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'ptxlab', 'code');
  return join(ofUser === undefined || ofUser === '' ? join(homedir(), '.cache') : ofUser, 'ptxlab', 'code');
}

function keep(path: string): void {
  const now = Date.now();
  if (now - statSync(path).mtimeMs > day) utimesSync(path, now / 1000, now / 1000);
}

/** Removes the oldest files if there are too many bytes. Looks at the folder once in each process. */
const removeOldest: () => void = once(() => {
  const folder = folderOf();
  if (folder === null) return;
  const files = readdirSync(folder)
    .filter((name) => name.includes(extension))
    .map((name) => join(folder, name))
    .map((path) => ({ path, facts: statSync(path, { throwIfNoEntry: false }) }))
    .sort((a, b) => (a.facts?.mtimeMs ?? 0) - (b.facts?.mtimeMs ?? 0));
  let bytes = files.reduce((sum, { facts }) => sum + (facts?.size ?? 0), 0);
  if (bytes <= mostBytes) return;
  for (const { path, facts } of files) {
    if (bytes <= mostBytes / 2) return;
    rmSync(path, { force: true });
    bytes -= facts?.size ?? 0;
  }
});
