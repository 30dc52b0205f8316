/**
 * A file that one run begins and another may finish. It has a temporary name derived from its own, and a journal that
 * says which process writes it, what it is made from, and how far it has come.
 */
import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TensorFileError } from '../tensors/tensor-error.ts';
import type { FilePlace } from '../tensors/tensor-file.ts';
import { createFiles } from './node-joined.ts';
import { withFileErrors, createFile, type PendingFile, requireRoom } from './node-files.ts';

interface Journal {
  /** Process that writes or wrote the file. */
  readonly process: number;
  /** When that process began, in the system's units, because its number may have been reused. Null if unknown. */
  readonly started: string | null;
  /** Describes the inputs and options as text: only a run with the same ones may continue. */
  readonly work: string;
  /** How far it has come; null before anything has been synced. */
  readonly position: unknown;
}

export interface UnfinishedOptions {
  readonly size: number;
  /** Several files instead of one, in the target's folder; the last is the target. Null for a single file. */
  readonly files?: readonly FilePlace[] | null;
  readonly replace: boolean;
  readonly work: string;
  /** Continue an earlier run, if there is one. */
  readonly resume: boolean;
}

export interface UnfinishedFile {
  readonly file: PendingFile;
  /** The position that an earlier run reached; null for a new file. */
  readonly position: unknown;
  /** Syncs the written data, and records that everything before a position is complete. */
  note(position: unknown): Promise<void>;
  /** Gives the file its name. */
  commit(): Promise<void>;
  /** Leaves everything in place, for a run that resumes. */
  suspend(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

/**
 * Begins a file, or continues one.
 *
 * @throws TensorFileError `exists` if another process is writing it, or an earlier one left it and the caller did not
 *   say what to do with it
 */
export async function openUnfinished(target: string, options: UnfinishedOptions): Promise<UnfinishedFile> {
  const { size, replace, work, resume, files = null } = options;
  const folder = dirname(target);
  const parts = (files ?? [{ name: basename(target) }]).map(({ name }) => join(folder, temporaryOf(name)));
  const journal = join(folder, `${temporaryOf(target)}.json`);
  const found = await readText(journal);
  const left = journalOf(found);
  if (left !== null && left.process !== process.pid && (await isAlive(left))) throw isWritten(target, left.process);
  const goesOn = resume && left !== null && left.position !== null;
  if (goesOn && left.work !== work) {
    throw new TensorFileError(
      'exists',
      `${target} was started from another input or with other options: --force starts over`,
    );
  }
  if (!goesOn && left !== null && !resume && !replace) {
    throw new TensorFileError('exists', `${target} is unfinished: --resume continues it, --force starts over`);
  }
  const started = await startOf(process.pid);
  const textOf = (reached: unknown): string =>
    JSON.stringify({ process: process.pid, started, work, position: reached } satisfies Journal);
  // The owner of the journal owns the file, so files without a living owner may be taken.
  const isOurs = await claim(journal, found, textOf(goesOn ? left.position : null), target).catch(
    async (error: unknown) => {
      // If not even the journal fits, the error still names the size of the whole.
      if (error instanceof TensorFileError && error.code === 'disk-full') await requireRoom(target, size);
      throw error;
    },
  );
  if (!isOurs) throw isWritten(target, null);
  const create = async (): Promise<PendingFile> => {
    if (!goesOn) await removeAll(parts);
    return files === null
      ? createFile(target, { size, replace, temporary: temporaryOf(target), resume: goesOn })
      : createFiles(target, { files, replace, temporaryOf, resume: goesOn });
  };
  const file = await create().catch(async (error: unknown) => {
    if (!goesOn) await removeAll([journal]);
    throw error;
  });
  const write = (reached: unknown): Promise<void> => writeJournal(journal, textOf(reached), target);
  return { position: goesOn ? left.position : null, ...unfinishedFile(file, journal, write) };
}

function unfinishedFile(
  file: PendingFile,
  journal: string,
  write: (reached: unknown) => Promise<void>,
): Omit<UnfinishedFile, 'position'> {
  return {
    file,
    async note(reached) {
      await file.sync();
      await write(reached);
    },
    async commit() {
      try {
        await file.commit();
        await removeAll(await leftoversOf(journal));
      } finally {
        await removeAll([journal]);
      }
    },
    suspend: () => file.suspend(),
    async discard() {
      await file.discard();
      await removeAll([journal]);
    },
  };
}

function temporaryOf(target: string): string {
  return `.${basename(target).slice(0, 200)}.ptxlab-part`;
}

function isWritten(target: string, by: number | null): TensorFileError {
  return new TensorFileError(
    'exists',
    `${target} is being written by ${by === null ? 'another process' : `process ${by}`}`,
  );
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}

/** Null if there is none, or if it is not a valid journal. */
function journalOf(text: string | null): Journal | null {
  try {
    const journal: unknown = JSON.parse(text ?? 'null');
    return isJournal(journal) ? journal : null;
  } catch {
    return null;
  }
}

/**
 * Replaces the journal that was found, if any, with a new one. If several processes find the same one, only one
 * succeeds: only one can move the old one away, and a link fails if a new one exists.
 */
async function claim(path: string, found: string | null, own: string, target: string): Promise<boolean> {
  const unique = `${path}.${randomBytes(6).toString('hex')}`;
  const [fresh, old] = [`${unique}.new`, `${unique}.old`];
  try {
    await withFileErrors(dirname(path), () => writeFile(fresh, own, { flush: true }), target);
    if (found !== null) {
      if (!(await succeeds(rename(path, old)))) return false;
      if ((await readText(old)) !== found) {
        // Another process was faster, and this is its journal.
        await succeeds(link(old, path));
        return false;
      }
    }
    return await succeeds(link(fresh, path));
  } finally {
    await removeAll([fresh, old]);
  }
}

async function succeeds(action: Promise<void>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}

/** Whole or not at all. */
async function writeJournal(path: string, text: string, target: string): Promise<void> {
  const fresh = `${path}.new`;
  try {
    await withFileErrors(path, () => writeFile(fresh, text, { flush: true }), target);
    await withFileErrors(path, () => rename(fresh, path));
  } catch (error) {
    await removeAll([fresh]);
    throw error;
  }
}

/** Files that runs left when they were killed while writing the journal. */
async function leftoversOf(journal: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(journal), basename(journal)];
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((one) => one.startsWith(name) && /^(?:\.[0-9a-f]{12})?\.(?:new|old)$/.test(one.slice(name.length)))
    .map((one) => join(folder, one));
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await unlink(path).catch(() => undefined);
}

async function isAlive({ process: id, started }: Journal): Promise<boolean> {
  try {
    process.kill(id, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return started === null || started === (await startOf(id));
}

/** When a process began, if the system has /proc. */
async function startOf(id: number): Promise<string | null> {
  // The name of the program, in parentheses, may contain any characters.
  const fields = (await readText(`/proc/${id}/stat`))?.replace(/^.*\)/s, '').trim().split(' ');
  return fields?.[19] ?? null;
}

function isJournal(value: unknown): value is Journal {
  if (typeof value !== 'object' || value === null) return false;
  return 'process' in value && typeof value.process === 'number' && 'work' in value && typeof value.work === 'string';
}
