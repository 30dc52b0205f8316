/** Reads bytes from files in Node. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireArgument } from '../base/require.ts';
import { text } from '../base/rules.ts';
import type { ByteSource } from '../tensors/bytes.ts';
import { fileError, withFileErrors } from './file-errors.ts';

/** Node reads or writes at most 2^31 - 1 bytes per call. */
export const bytesAtOnce: number = 2 ** 30;

export interface OpenFile extends ByteSource {
  readonly path: string;
  /** The modification time that the file had when it was opened, in nanoseconds since 1970. */
  readonly modified: bigint;
  /** Throws TensorFileError `changed` if the file was modified since it was opened. */
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}

export function requirePath(path: string): void {
  requireArgument('the path of a file', path, text);
}

/** Opens a file for reading; throws TensorFileError if it is not a file, does not exist, or may not be read. */
export async function openFile(path: string): Promise<OpenFile> {
  requirePath(path);
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const handle = await withFileErrors(path, () => open(path, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    const size = await regularSize(handle, path);
    const opened = await stateOf(handle, path);
    return {
      ...sourceOf(handle, path, size),
      modified: opened.modified,
      async requireUnchanged() {
        const { bytes, modified } = await stateOf(handle, path);
        if (bytes !== opened.bytes || modified !== opened.modified)
          throw fileError('changed', path, 'changed while it was being read');
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Returns a function that opens other files in the folder of `path`. `openTensorFile` needs such a function, because
 * the shards of a model are in the same folder as their index.
 */
export function openBeside(path: string): (name: string) => Promise<OpenFile> {
  requirePath(path);
  return (name) => openFile(join(dirname(path), name));
}

/** Reads from an open file. Error messages refer to the file as `path`. */
export function sourceOf(handle: FileHandle, path: string, size: number): ByteSource & { readonly path: string } {
  return { path, size, read: (offset, into) => withFileErrors(path, () => readAll(handle, path, offset, into)) };
}

/**
 * Size and modification time of the open file. Both can be read even if the file has been renamed since it was opened.
 */
async function stateOf(
  handle: FileHandle,
  path: string,
): Promise<{ readonly bytes: bigint; readonly modified: bigint }> {
  const { size, mtimeNs } = await withFileErrors(path, () => handle.stat({ bigint: true }));
  return { bytes: size, modified: mtimeNs };
}

/** The size of an open file. Throws TensorFileError if it is not a regular file. */
export async function regularSize(handle: FileHandle, path: string): Promise<number> {
  const found = await withFileErrors(path, () => handle.stat());
  if (found.isDirectory()) throw fileError('is-a-directory', path, 'is a directory, not a file');
  if (!found.isFile()) throw fileError('not-a-file', path, 'not a regular file');
  return found.size;
}

async function readAll(handle: FileHandle, path: string, offset: number, into: Uint8Array): Promise<void> {
  for (let done = 0; done < into.byteLength; ) {
    const { bytesRead } = await handle.read(into, done, Math.min(into.byteLength - done, bytesAtOnce), offset + done);
    if (bytesRead === 0) throw fileError('truncated', path, `ends at byte ${offset + done}; more bytes were expected`);
    done += bytesRead;
  }
}
