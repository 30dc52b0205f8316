/** Creates folders. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError, hostError, systemCode } from './file-errors.ts';

/**
 * Creates a folder, and any parent folders that do not exist. Node's recursive `mkdir` is not used, because it never
 * finishes if the path is below /proc, where folders cannot be created.
 *
 * @throws TensorFileError with the path of the folder that cannot be created
 */
export async function makeFolder(path: string): Promise<void> {
  const trouble = await troubleOfFolder(path);
  if (trouble === null) return;
  if (systemCode(trouble) === 'ENOTDIR') throw fileError('not-found', path, 'a folder above it is a file');
  if (systemCode(trouble) !== 'ENOENT') throw hostError(path, trouble);
  if (path !== dirname(path)) await makeFolder(dirname(path));
  if ((await troubleOfFolder(path)) !== null) throw fileError('not-found', path, 'this folder cannot be created');
}

/**
 * Tries to create one folder. Returns the error if this fails, or null if the folder was created or if a file or folder
 * with this name already exists.
 */
async function troubleOfFolder(path: string): Promise<unknown> {
  try {
    await mkdir(path);
    return null;
  } catch (error) {
    return systemCode(error) === 'EEXIST' ? null : error;
  }
}
