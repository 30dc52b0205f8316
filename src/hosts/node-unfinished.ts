/**
 * An output file that a later run can complete if the run that writes it is interrupted. The temporary name of the file
 * is derived from its final name. A journal next to the file records which process is writing the file, which inputs
 * and options it is made from, and how much of it is complete.
 */
import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TensorFileError } from '../tensors/tensor-error.ts';
import type { FilePlace } from '../tensors/tensor-file.ts';
import { createFiles } from './node-joined.ts';
import { fileError, withFileErrors } from './file-errors.ts';
import { createFile, type PendingFile, requireFolderOf, requireRoom } from './node-pending-file.ts';

interface Journal {
  /** ID of the process that is writing or last wrote the file. */
  readonly process: number;
  /** When that process started, as /proc reports it; needed because process IDs are reused. Null if unknown. */
  readonly started: string | null;
  /** The inputs and options as text. Only a run with the same inputs and options may continue the file. */
  readonly work: string;
  /**
   * The position up to which the file is complete. The caller chooses how positions are represented. Null before
   * anything has been synced.
   */
  readonly position: unknown;
}

export interface UnfinishedOptions {
  readonly size: number;
  /**
   * The files that make up the output, if there are several. All of these files are in the target's folder, and the
   * target is the last of them. Null for a single file.
   */
  readonly files?: readonly FilePlace[] | null;
  readonly replace: boolean;
  readonly work: string;
  /** Whether to continue an earlier run, if one exists. */
  readonly resume: boolean;
}

export interface UnfinishedFile {
  readonly file: PendingFile;
  /** The position up to which an earlier run completed the file; null for a new file. */
  readonly position: unknown;
  /** Syncs the written data, and records that everything before `position` is complete. */
  note(position: unknown): Promise<void>;
  /** Gives the file its final name. */
  commit(): Promise<void>;
  /** Closes the file but keeps it and its journal, so that a later run can continue. */
  suspend(): Promise<void>;
  /** Removes the file and its journal. */
  discard(): Promise<void>;
}

/**
 * Creates an output file, or continues one that an earlier run did not complete.
 *
 * @throws TensorFileError `exists` if another process is writing the file, or if an earlier process left it unfinished
 *   and neither `resume` nor `replace` is set
 */
export async function openUnfinished(target: string, options: UnfinishedOptions): Promise<UnfinishedFile> {
  const { size, replace, work, resume, files = null } = options;
  await requireFolderOf(target);
  const folder = dirname(target);
  const parts = (files ?? [{ name: basename(target) }]).map(({ name }) => join(folder, temporaryOf(name)));
  const journal = join(folder, `${temporaryOf(target)}.json`);
  const found = await readText(journal);
  const left = journalOf(found);
  if (left !== null && left.process !== process.pid && (await isAlive(left))) throw isWritten(target, left.process);
  const goesOn = resume && left !== null && left.position !== null;
  if (goesOn && left.work !== work) {
    throw fileError(
      'exists',
      target,
      'was started from a different input or with different options; --force starts over',
    );
  }
  if (!goesOn && left !== null && !resume && !replace) {
    throw fileError('exists', target, 'unfinished; --resume continues it, --force starts over');
  }
  const started = await startOf(process.pid);
  const textOf = (reached: unknown): string =>
    JSON.stringify({ process: process.pid, started, work, position: reached } satisfies Journal);
  // The process that owns the journal also owns the file. If that process is no longer running, this process may take
  // over both the journal and the file.
  const isOurs = await claim(journal, found, textOf(goesOn ? left.position : null), target).catch(
    async (error: unknown) => {
      // If the disk does not even have room for the journal, the error should still state the size of the whole file.
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
  return fileError('exists', target, `is being written by ${by === null ? 'another process' : `process ${by}`}`);
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}

/** Parses a journal; null if the text is missing or is not a valid journal. */
function journalOf(text: string | null): Journal | null {
  try {
    const journal: unknown = JSON.parse(text ?? 'null');
    return isJournal(journal) ? journal : null;
  } catch {
    return null;
  }
}

/**
 * Writes a new journal, which replaces the journal `found` if there was one. If several processes find the same
 * journal, only one of them succeeds: only one can move the old journal away, and creating a link to the new journal
 * fails if another process has already done so.
 */
async function claim(path: string, found: string | null, own: string, target: string): Promise<boolean> {
  const unique = `${path}.${randomBytes(6).toString('hex')}`;
  const [fresh, old] = [`${unique}.new`, `${unique}.old`];
  try {
    await withFileErrors(target, () => writeFile(fresh, own, { flush: true }));
    if (found !== null) {
      if (!(await succeeds(rename(path, old)))) return false;
      if ((await readText(old)) !== found) {
        // Another process has replaced the journal with its own in the meantime. That journal must be put back.
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

/** Writes the journal completely or not at all. */
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

/** Finds temporary files that a run left behind because it was killed while replacing the journal. */
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

/** The start time of a process according to /proc; null if the system has no /proc or there is no such process. */
async function startOf(id: number): Promise<string | null> {
  // The program name is in parentheses and may contain any characters, even parentheses. The fields are therefore
  // counted from the last closing parenthesis.
  const fields = (await readText(`/proc/${id}/stat`))?.replace(/^.*\)/s, '').trim().split(' ');
  return fields?.[19] ?? null;
}

function isJournal(value: unknown): value is Journal {
  if (typeof value !== 'object' || value === null) return false;
  return 'process' in value && typeof value.process === 'number' && 'work' in value && typeof value.work === 'string';
}
