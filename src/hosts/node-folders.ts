/** Makes folders. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError, hostError, systemCode } from './file-errors.ts';

/**
 * Makes a folder and the folders above it, unless they exist. Node's recursive `mkdir` never finishes below /proc,
 * where no folder can be made.
 *
 * @throws TensorFileError that names the folder that cannot be made
 */
export async function makeFolder(path: string): Promise<void> {
  const trouble = await troubleOfFolder(path);
  if (trouble === null) return;
  if (systemCode(trouble) === 'ENOTDIR') throw fileError('not-found', path, 'a folder above it is a file');
  if (systemCode(trouble) !== 'ENOENT') throw hostError(path, trouble);
  if (path !== dirname(path)) await makeFolder(dirname(path));
  if ((await troubleOfFolder(path)) !== null) throw fileError('not-found', path, 'this folder cannot be made');
}

/** The error from making one folder; null if something with this name exists afterwards. */
async function troubleOfFolder(path: string): Promise<unknown> {
  try {
    await mkdir(path);
    return null;
  } catch (error) {
    return systemCode(error) === 'EEXIST' ? null : error;
  }
}
