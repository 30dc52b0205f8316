/** Writes several files as if they were a single file that contains their concatenated contents. */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { elementAt } from '../base/element-at.ts';
import { requireRange } from '../tensors/bytes.ts';
import type { FilePlace } from '../tensors/tensor-file.ts';
import { createFile, type PendingFile, reopenFile, requireRoom } from './node-pending-file.ts';

export interface NewFiles {
  readonly files: readonly FilePlace[];
  readonly replace: boolean;
  /** Returns the name of a target's temporary file. */
  readonly temporaryOf: (target: string) => string;
  /** Whether to continue writing the files of an earlier run, some of which may already have their final names. */
  readonly resume: boolean;
}

/**
 * Starts writing several files in the folder of `target`. The last of these files is `target` itself. On `commit`, the
 * files get their final names in the given order.
 */
export async function createFiles(target: string, { files, ...how }: NewFiles): Promise<PendingFile> {
  const folder = dirname(target);
  if (!how.resume) await requireRoom(target, sizeOf(files));
  const made: PendingFile[] = [];
  try {
    for (const { name, size } of files) made.push(await beginFile(join(folder, name), size, how));
  } catch (error) {
    await each(made, (file) => (how.resume ? file.suspend() : file.discard()));
    throw error;
  }
  return joinFiles(target, made, files);
}

async function beginFile(
  target: string,
  size: number,
  { replace, resume, temporaryOf }: Omit<NewFiles, 'files'>,
): Promise<PendingFile> {
  const temporary = temporaryOf(target);
  // If there is no temporary file from the earlier run, that run has already completed the target and given it its
  // final name.
  if (resume && !(await isThere(join(dirname(target), temporary)))) return reopenFile(target, size);
  return createFile(target, { size, replace, resume, temporary });
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function joinFiles(target: string, made: readonly PendingFile[], places: readonly FilePlace[]): PendingFile {
  const size = sizeOf(places);
  /**
   * Applies an operation to a range of the single file by calling `action` for each underlying file that the range
   * overlaps.
   */
  const within = async (
    offset: number,
    bytes: Uint8Array,
    action: (file: PendingFile, at: number, part: Uint8Array) => Promise<void>,
  ): Promise<void> => {
    requireRange(size, offset, bytes.length);
    for (const [i, place] of places.entries()) {
      const first = Math.max(offset, place.offset);
      const end = Math.min(offset + bytes.length, place.offset + place.size);
      if (first >= end) continue;
      await action(elementAt(made, i), first - place.offset, bytes.subarray(first - offset, end - offset));
    }
  };
  const discard = (): Promise<void> => each(made, (file) => file.discard());
  return {
    size,
    target,
    temporary: made.at(-1)?.temporary ?? target,
    read: (offset, into) => within(offset, into, (file, at, part) => file.read(at, part)),
    write: (offset, bytes) => within(offset, bytes, (file, at, part) => file.write(at, part)),
    sync: () => each(made, (file) => file.sync()),
    discard,
    suspend: () => each(made, (file) => file.suspend()),
    async commit() {
      try {
        await each(made, (file) => file.sync());
        await each(made, (file) => file.commit());
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}

function sizeOf(files: readonly FilePlace[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

async function each(files: readonly PendingFile[], action: (file: PendingFile) => Promise<void>): Promise<void> {
  for (const file of files) await action(file);
}
