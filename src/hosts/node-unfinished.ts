/**
 * A file that one run begins and another may finish: under a temporary name that follows from its own, with a journal
 * beside it that says who writes it, what is to come of it, and how far it has come.
 */
import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TensorFileError } from '../tensors/tensor-error.ts';
import type { FilePlace } from '../tensors/tensor-file.ts';
import { createFiles } from './node-joined.ts';
import { attempt, createFile, type PendingFile, requireRoom } from './node-files.ts';

interface Journal {
  /** Process that writes the file, or wrote it. */
  readonly process: number;
  /** When that process began, as the system counts: its number may be another's by now. Null where nobody says. */
  readonly started: string | null;
  /** What the file is made of and how, as text: only the same may go on with it. */
  readonly work: string;
  /** How far it has come; null before anything is safe on the disk. */
  readonly position: unknown;
}

export interface UnfinishedOptions {
  readonly size: number;
  /** Several files instead of one, in the target's folder; the last is the target. Null for one. */
  readonly files?: readonly FilePlace[] | null;
  readonly replace: boolean;
  readonly work: string;
  /** Go on with what an earlier run left, if it left something. */
  readonly resume: boolean;
}

export interface UnfinishedFile {
  readonly file: PendingFile;
  /** Where an earlier run came to; null where this one begins. */
  readonly position: unknown;
  /** Makes what was written safe, and notes that everything before a position was. */
  note(position: unknown): Promise<void>;
  /** Gives the file its name. */
  commit(): Promise<void>;
  /** Leaves all as it is, for a run that resumes. */
  suspend(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

/**
 * Begins a file, or goes on with it.
 *
 * @throws TensorFileError `exists` where another process writes it, or one left it and nobody said what to do with it
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
      `${target} was begun from another input or with other options: --force begins anew`,
    );
  }
  if (!goesOn && left !== null && !resume && !replace) {
    throw new TensorFileError('exists', `${target} was left unfinished: --resume goes on with it, --force begins anew`);
  }
  const started = await startOf(process.pid);
  const textOf = (reached: unknown): string =>
    JSON.stringify({ process: process.pid, started, work, position: reached } satisfies Journal);
  const write = (reached: unknown): Promise<void> => writeJournal(journal, textOf(reached), target);
  // Whoever has the journal has the file, so that what lies there without a living owner is nobody's.
  const isOurs = await claim(journal, found, textOf(goesOn ? left.position : null), target).catch(
    async (error: unknown) => {
      // Where not even a journal fits it is known how much the whole needs.
      if (error instanceof TensorFileError && error.code === 'disk-full') await requireRoom(target, size);
      throw error;
    },
  );
  if (!isOurs) throw isWritten(target, null);
  let file: PendingFile;
  try {
    if (!goesOn) await removeAll(parts);
    file =
      files === null
        ? await createFile(target, { size, replace, temporary: temporaryOf(target), resume: goesOn })
        : await createFiles(target, { files, replace, temporaryOf, resume: goesOn });
  } catch (error) {
    if (!goesOn) await removeAll([journal]);
    throw error;
  }
  const position = goesOn ? left.position : null;
  return {
    file,
    position,
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

/** Null where there is none, or one that is no journal: nothing is known of what it is about. */
function journalOf(text: string | null): Journal | null {
  try {
    const journal = JSON.parse(text ?? 'null') as Journal | null;
    return typeof journal?.process === 'number' && typeof journal.work === 'string' ? journal : null;
  } catch {
    return null;
  }
}

/**
 * Puts an own journal in the place of the one that was found there, or of none. Of several processes that find the same
 * one gets it: only one moves the old one away, and a link fails where a new one is.
 */
async function claim(path: string, found: string | null, own: string, target: string): Promise<boolean> {
  const unique = `${path}.${randomBytes(6).toString('hex')}`;
  const [fresh, old] = [`${unique}.new`, `${unique}.old`];
  try {
    await attempt(dirname(path), () => writeFile(fresh, own, { flush: true }), target);
    if (found !== null) {
      if (!(await succeeds(rename(path, old)))) return false;
      if ((await readText(old)) !== found) {
        // Somebody was faster, and this is theirs.
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
    await attempt(path, () => writeFile(fresh, text, { flush: true }), target);
    await attempt(path, () => rename(fresh, path));
  } catch (error) {
    await removeAll([fresh]);
    throw error;
  }
}

/** What runs that were killed while they wrote the journal have left beside it. */
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

/** When a process began, where the system has /proc. */
async function startOf(id: number): Promise<string | null> {
  // The name of the program, in parentheses, may hold anything.
  const fields = (await readText(`/proc/${id}/stat`))?.replace(/^.*\)/s, '').trim().split(' ');
  return fields?.[19] ?? null;
}
