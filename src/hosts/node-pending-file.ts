/** Writes output files, which appear under their final names only once they are complete. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, stat, statfs, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { requireArgument, requireOptions } from '../base/require.ts';
import { flag, type RulesFor, text, whole } from '../base/rules.ts';
import type { ByteSink, ByteSource } from '../tensors/bytes.ts';
import { fileError, hostError, systemCode, withFileErrors } from './file-errors.ts';
import { bytesAtOnce, regularSize, requirePath, sourceOf } from './node-open-file.ts';

export interface NewFile {
  /** Size of the whole file in bytes, used to check whether the disk has enough room. */
  readonly size: number;
  /**
   * Whether an existing file with the target's name, or a symbolic link to a file, may be replaced. If a file is
   * replaced, the new file gets the permissions of the old one. If a link is replaced, the file to which it points is
   * not changed.
   */
  readonly replace?: boolean;
  /** Name of the temporary file in the target's folder. Default: a unique name. */
  readonly temporary?: string;
  /**
   * Whether to continue writing the temporary file of an earlier run. The temporary file must exist and have the size
   * given by `size`.
   */
  readonly resume?: boolean;
}

/**
 * A file being written under a temporary name. The file has its full size from the start; bytes that were never written
 * are zero. Callers must finish with `commit`, `discard` or `suspend`.
 */
export interface PendingFile extends ByteSource, ByteSink {
  readonly target: string;
  readonly temporary: string;
  /** Resolves once everything written so far is on the disk, so that it would survive a power failure. */
  sync(): Promise<void>;
  /**
   * Renames the temporary file, which must be complete, to its final name. If that fails, the temporary file is
   * removed.
   */
  commit(): Promise<void>;
  /** Removes the temporary file. Does nothing if the file was already committed, discarded or suspended. */
  discard(): Promise<void>;
  /** Leaves the temporary file in place for a later run to resume. */
  suspend(): Promise<void>;
}

const bytesRule = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1');

const newFileRules: RulesFor<NewFile> = { size: bytesRule, replace: flag, temporary: text, resume: flag };

/** Starts writing a file. A file that already exists at `target` is left unchanged until `commit` is called. */
export async function createFile(target: string, options: NewFile): Promise<PendingFile> {
  requirePath(target);
  requireOptions(options, newFileRules, 'createFile');
  requireArgument('the size of the file', options.size, bytesRule);
  const { size, replace = false, resume = false } = options;
  const mode = await requireReplaceable(target, replace);
  const folder = dirname(target);
  const temporary = join(folder, options.temporary ?? temporaryName(target));
  if (!resume) await requireRoom(target, size);
  const created = resume ? 0 : constants.O_CREAT | constants.O_EXCL;
  const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK | created;
  const handle = await withFileErrors(resume ? temporary : target, () => open(temporary, flags, 0o666));
  try {
    const found = await regularSize(handle, temporary);
    if (mode !== null) await handle.chmod(mode);
    if (!resume) await withFileErrors(temporary, () => handle.truncate(size), target);
    else if (found !== size) throw fileError('bad-offsets', temporary, `has ${found} bytes instead of ${size}`);
  } catch (error) {
    await handle.close();
    if (!resume) await unlink(temporary);
    throw error;
  }
  return pendingFile(handle, target, temporary, size, replace);
}

/**
 * Opens an output file that an earlier run completed and renamed, so that the same contents can be written to it again.
 */
export async function reopenFile(target: string, size: number): Promise<PendingFile> {
  const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await withFileErrors(target, () => open(target, flags));
  const found = await regularSize(handle, target).catch(() => null);
  if (found !== size) {
    await handle.close();
    throw fileError('bad-offsets', target, `is not the ${size}-byte file that an earlier run wrote`);
  }
  const file = pendingFile(handle, target, target, size, true);
  return {
    ...file,
    async commit() {
      await file.sync();
      await file.suspend();
    },
    discard: () => file.suspend(),
  };
}

function pendingFile(
  handle: FileHandle,
  target: string,
  temporary: string,
  size: number,
  replace: boolean,
): PendingFile {
  let ended = false;
  const end = async (): Promise<void> => {
    ended = true;
    await handle.close();
  };
  const discard = async (): Promise<void> => {
    if (ended) return;
    await end();
    await unlinkIfThere(temporary);
  };
  return {
    ...sourceOf(handle, temporary, size),
    target,
    temporary,
    async write(offset, bytes) {
      if (offset + bytes.byteLength > size)
        throw fileError('bad-offsets', temporary, `has room for only ${size} bytes`);
      await withFileErrors(temporary, () => writeAll(handle, offset, bytes), target);
    },
    sync: () => withFileErrors(temporary, () => handle.sync(), target),
    discard,
    suspend: end,
    async commit() {
      try {
        await withFileErrors(temporary, () => handle.sync(), target);
        await end();
        await (replace ? replaceBy(temporary, target) : giveName(temporary, target));
      } catch (error) {
        await discard();
        await unlinkIfThere(temporary);
        throw error;
      }
      await syncFolder(dirname(target));
    },
  };
}

async function replaceBy(temporary: string, target: string): Promise<void> {
  await requireReplaceable(target, true);
  await withFileErrors(target, () => rename(temporary, target));
}

/**
 * Creates a link, which fails if another process has created the target in the meantime. A rename would replace the
 * target.
 */
async function giveName(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    // The file system does not support hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw hostError(target, error);
    await requireReplaceable(target, false);
    await withFileErrors(target, () => rename(temporary, target));
    return;
  }
  await withFileErrors(temporary, () => unlink(temporary));
}

/**
 * Returns the permissions of the file at `target`, or null if there is no such file or if `target` is a symbolic link.
 * Throws if there is a file that must not be replaced. Devices, pipes and folders are never replaced, and neither are
 * links to them.
 */
export async function requireReplaceable(target: string, replace: boolean): Promise<number | null> {
  const found = await lstat(target).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw hostError(target, error);
  });
  if (found === null) {
    await requireFolderOf(target);
    return null;
  }
  const isLink = found.isSymbolicLink();
  // If the link is dangling, it cannot point to a device, pipe or folder, so it may be replaced.
  const meant = isLink ? await stat(target).catch(() => null) : found;
  if (meant?.isDirectory() === true) throw fileError('is-a-directory', target, 'is a directory, not a file');
  if (meant?.isFile() === false) throw fileError('not-a-file', target, 'not a regular file');
  if (!replace) throw fileError('exists', target, `${isLink ? 'is a symbolic link that ' : ''}already exists`);
  return isLink ? null : found.mode & 0o777;
}

/** Throws `not-found` if the folder in which a file is to be written does not exist. */
export async function requireFolderOf(target: string): Promise<void> {
  const folder = dirname(target);
  const trouble = await stat(folder).then(() => null, systemCode);
  if (trouble === 'ENOENT') throw fileError('not-found', folder, 'no such folder');
}

/** Throws `disk-full` if the output file's disk does not have enough room. */
export async function requireRoom(target: string, size: number): Promise<void> {
  const folder = dirname(target);
  const { bavail, bsize } = await withFileErrors(folder, () => statfs(folder));
  const free = bavail * bsize;
  if (size <= free) return;
  const words = `does not fit on the disk: ${size} bytes are needed, ${free} are free, ${size - free} are missing`;
  throw fileError('disk-full', target, words);
}

/** A random name for a hidden file. The length of this name is limited even if the name of the target is long. */
function temporaryName(target: string): string {
  return `.${basename(target).slice(0, 50)}.${randomBytes(6).toString('hex')}.ptxlab-part`;
}

async function syncFolder(folder: string): Promise<void> {
  // Not every system allows a folder to be opened or synced. If this fails, nothing more can be done to make the rename
  // survive a crash.
  const handle = await open(folder, constants.O_RDONLY).catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function writeAll(handle: FileHandle, offset: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const length = Math.min(bytes.byteLength - done, bytesAtOnce);
    done += (await handle.write(bytes, done, length, offset + done)).bytesWritten;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw hostError(path, error);
  });
}
