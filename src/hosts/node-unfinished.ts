/**
 * A file that one run begins and another may finish: under a temporary name that follows from its own, with a journal
 * beside it that says who writes it, what is to come of it, and how far it has come.
 */
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
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
  const mine: Journal = { process: process.pid, work, position: goesOn ? left.position : null };
  if (goesOn) await writeJournal(paths.journal, mine);
  else {
    if (left !== null) await removeAll([paths.journal]);
    await claim(target, paths.journal, mine);
    // Whoever has the journal has what lies beside it.
    await removeAll([paths.part]);
  }
  const file = await createFile(target, { size, replace, temporary, resume: goesOn }).catch(async (error: unknown) => {
    if (!goesOn) await removeAll([paths.journal]);
    throw error;
  });
  const write = (position: unknown): Promise<void> => writeJournal(paths.journal, { ...mine, position });
  return {
    file,
    position: mine.position,
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

/** Null where there is none; one that cannot be read says nothing, and nobody is there any more. */
async function readJournal(path: string): Promise<Journal | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Journal;
  } catch (error) {
    return error instanceof SyntaxError ? { process: 0, work: '', position: null } : null;
  }
}

/** Makes the journal appear whole, if there is none: of two processes that try, one can. */
async function claim(target: string, path: string, journal: Journal): Promise<void> {
  const own = `${path}.${process.pid}`;
  try {
    await writeFile(own, JSON.stringify(journal), { flush: true });
    await link(own, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // A folder that may not be written, or that is not there, is reported by who makes the file itself.
    if (code === 'EEXIST') throw new TensorFileError('exists', `${target} is being written by another process`);
  } finally {
    await removeAll([own]);
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
  if (id === 0) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
