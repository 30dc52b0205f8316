/** Opens tensor files by path. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type OpenOptions, openTensorFile } from '../tensors/open.ts';
import type { TensorFile } from '../tensors/tensor-file.ts';
import { openBeside, openFile, type OpenFile } from './node-open-file.ts';

export interface OpenTensors {
  readonly file: TensorFile;
  /** Size of the file in bytes. For a sharded model, this is the total size of all of its files. */
  readonly size: number;
  /** Throws TensorFileError `changed` if one of the files was modified since it was opened. */
  readonly requireUnchanged: () => Promise<void>;
  /** Closes the file, and the other shards if there are any. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the tensor file at `path` and reads only its header. Throws TensorFileError.
 *
 * @param through called with each file after it is opened; returns the file to read instead
 */
export async function openTensors(
  path: string,
  options: OpenOptions = {},
  through: (opened: OpenFile) => OpenFile = (opened) => opened,
): Promise<OpenTensors> {
  const opened: OpenFile[] = [];
  const keep = async (opening: Promise<OpenFile>): Promise<OpenFile> => {
    const source = await opening;
    opened.push(source);
    return through(source);
  };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((source) => source.close()));
  };
  const beside = openBeside(path);
  try {
    const source = await keep(openFile(path));
    const file = await openTensorFile(source, {
      name: path,
      openBeside: (name) => keep(beside(name)),
      readBeside: (name) => readSmallFile(join(dirname(path), name)),
      ...options,
    });
    const requireUnchanged = async (): Promise<void> => {
      for (const one of opened) await one.requireUnchanged();
    };
    return { file, size: opened.reduce((sum, { size }) => sum + size, 0), requireUnchanged, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The maximum size of a configuration file in bytes. Real configurations are much smaller. */
const longestConfiguration = 2 ** 24;

/** The contents of a small regular file; null if it cannot be read. */
async function readSmallFile(path: string): Promise<Uint8Array | null> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= longestConfiguration ? await readFile(path) : null;
  } catch {
    return null;
  }
}
