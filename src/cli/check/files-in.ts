/** The files that the arguments of `check` and `plan check` stand for. */
import { readdir, stat } from 'node:fs/promises';
import { err, ok, type Result } from '../../base/result.ts';
import { fileTrouble } from '../../hosts/file-errors.ts';

/**
 * Returns the `.ptx` files in a folder and the folders below it, in the order of their names. Hidden folders and
 * node_modules are left out. Any other path stands for itself, whether or not there is such a file. If a folder cannot
 * be read or contains no modules, the error is a line that names the folder.
 */
export async function filesIn(path: string): Promise<Result<readonly string[], string>> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return ok([path]);
  try {
    const base = path.replace(/(?<=.)\/+$/, '');
    const names = await readdir(path, { recursive: true });
    const files = names
      .filter((name) => name.endsWith('.ptx') && !isLeftOut(name))
      .map((name) => `${base}/${name}`)
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return files.length > 0 ? ok(files) : err(`${path}: contains no .ptx files`);
  } catch (error) {
    return err(`${path}: ${fileTrouble(error)}`);
  }
}

function isLeftOut(path: string): boolean {
  const folders = path.split(/[\\/]/).slice(0, -1);
  return folders.some((folder) => folder.startsWith('.') || folder === 'node_modules');
}
