/** Writes a command's output files. Each file appears under its final name only once it is complete. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { TensorFileError } from '../tensors/tensor-error.ts';
import { fileError } from './file-errors.ts';
import { createFile, type PendingFile, requireReplaceable } from './node-pending-file.ts';

export interface OutputFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Writes files, which get their final names only when all of them are on disk.
 *
 * @throws TensorFileError if a file cannot be written, for example because it exists and may not be replaced, or
 *   because the disk is full; no temporary files are left behind
 */
export async function writeFiles(files: readonly OutputFile[], replace: boolean): Promise<void> {
  const begun: PendingFile[] = [];
  try {
    for (const { path, bytes } of files) {
      const file = await createFile(path, { size: bytes.byteLength, replace });
      begun.push(file);
      await file.write(0, bytes);
      await file.sync();
    }
    for (const file of begun) await file.commit();
  } finally {
    for (const file of begun) await file.discard();
  }
}

/**
 * Checks whether the output files can be written. Commands call this before they begin the work that produces the
 * output.
 *
 * @param inputs the paths of the input files, which must not be overwritten; paths that do not name a file are ignored
 * @throws TensorFileError `exists` if an output already exists, is given twice or is also an input; `not-a-file` or
 *   `is-a-directory` if an output path names something that a file cannot replace; `not-found` if the folder of an
 *   output does not exist
 */
export async function requireOutputs(
  outputs: readonly string[],
  inputs: readonly string[],
  replace: boolean,
): Promise<void> {
  await refuseSameFiles(inputs, outputs);
  const places = new Set<string>();
  for (const path of outputs) {
    await requireReplaceable(path, replace);
    const place = await placeOf(path);
    if (places.has(place)) throw fileError('exists', path, 'is given as an output twice');
    places.add(place);
  }
}

/** @throws TensorFileError if an output file is also an input, even under another name or through a link */
export async function refuseSameFiles(inputs: readonly string[], outputs: readonly string[]): Promise<void> {
  const read = new Map<string, string>();
  for (const path of inputs) read.set((await identityOf(path)) ?? path, path);
  for (const path of outputs) {
    const same = read.get((await identityOf(path)) ?? '');
    if (same !== undefined) throw new TensorFileError('exists', `${same} and ${path} are the same file`);
  }
}

async function identityOf(path: string): Promise<string | null> {
  return stat(path).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => null,
  );
}

/** The absolute path of a file, with symbolic links to folders resolved. */
async function placeOf(path: string): Promise<string> {
  const folder = dirname(resolve(path));
  const real = await realpath(folder).catch(() => {
    throw fileError('not-found', folder, 'no such folder');
  });
  return join(real, basename(path));
}
