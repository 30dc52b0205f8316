/**
 * A file that one run begins and another may finish: under a temporary name that follows from its own, with a journal
 * beside it that says who writes it, what is to come of it, and how far it has come.
 */
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TensorFileError } from '../tensors/tensor-error.ts';
import { createFile, type PendingFile } from './node-files.ts';

interface Journal {
  /** Process that writes the file, or wrote it. */
  readonly process: number;
  /** What the file is made of and how, as text: only the same may go on with it. */
  readonly work: string;
  /** How far it has come; null before anything is safe on the disk. */
  readonly position: unknown;
}

export interface UnfinishedOptions {
  readonly size: number;
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
  const { size, replace, work, resume } = options;
  const temporary = `.${basename(target).slice(0, 200)}.ptxlab-part`;
  const paths = { part: join(dirname(target), temporary), journal: join(dirname(target), `${temporary}.json`) };
  const left = await readJournal(paths.journal);
  if (left !== null && left.process !== process.pid && isAlive(left.process)) {
    throw new TensorFileError('exists', `${target} is being written by process ${left.process}`);
  }
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
  if (!goesOn) await removeAll([paths.journal, ...(left === null ? [] : [paths.part])]);
  const file = await createFile(target, { size, replace, temporary, resume: goesOn });
  const write = (position: unknown): Promise<void> =>
    writeJournal(paths.journal, { process: process.pid, work, position });
  const position = goesOn ? left.position : null;
  await write(position);
  return {
    file,
    position,
    async note(reached) {
      await file.sync();
      await write(reached);
    },
    async commit() {
      await file.commit();
      await removeAll([paths.journal]);
    },
    suspend: () => file.suspend(),
    async discard() {
      await file.discard();
      await removeAll([paths.journal]);
    },
  };
}

async function readJournal(path: string): Promise<Journal | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Journal;
  } catch {
    // None, or one that was cut off: nothing is known of what it is about.
    return null;
  }
}

/** Whole or not at all. */
async function writeJournal(path: string, journal: Journal): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(journal), { flush: true });
  await rename(`${path}.new`, path);
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await unlink(path).catch(() => undefined);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
