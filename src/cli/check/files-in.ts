/** Finds the files to which the arguments of `check` and `plan check` refer. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { err, ok, type Result } from '../../base/result.ts';
import { fileTrouble } from '../../hosts/file-errors.ts';

/**
 * Returns the `.ptx` files in a folder and its subfolders, sorted by path. Hidden folders and node_modules are left
 * out. A file that can be reached in several ways, because of links, is included only once. A path that is not a folder
 * is returned unchanged, whether or not the file exists. If a folder cannot be read or contains no modules, the error
 * is a one-line message that begins with the path of the folder.
 */
export async function filesIn(path: string): Promise<Result<readonly string[], string>> {
  if (!(await isFolder(path))) return ok([path]);
  try {
    const files = await search(path.replace(/(?<=.)\/+$/, ''));
    files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return files.length > 0 ? ok(files) : err(`${path}: contains no .ptx files`);
  } catch (error) {
    return err(`${path}: ${fileTrouble(error)}`);
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isLeftOut(folder: string): boolean {
  return folder.startsWith('.') || folder === 'node_modules';
}

/**
 * Links are followed last, so that a file that is found both directly and through a link is listed under its direct
 * path.
 */
async function search(start: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [start];
  const links: string[] = [];
  const seen = new Set<string>();
  const isNew = (place: string): boolean => seen.size < seen.add(place).size;
  const look = async (folder: string): Promise<void> => {
    const place = await realpath(folder);
    if (!isNew(place)) return;
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const { name } = entry;
      const path = `${folder.replace(/\/$/, '')}/${name}`;
      if (entry.isDirectory()) folders.push(...(isLeftOut(name) ? [] : [path]));
      else if (entry.isSymbolicLink()) links.push(path);
      else if (name.endsWith('.ptx') && isNew(`${place}/${name}`)) files.push(path);
    }
  };
  const follow = async (link: string): Promise<void> => {
    if (await isFolder(link)) folders.push(...(isLeftOut(basename(link)) ? [] : [link]));
    // A broken link is reported later, when the file is read.
    else if (link.endsWith('.ptx') && isNew(await realpath(link).catch(() => link))) files.push(link);
  };
  while (folders.length + links.length > 0) {
    for (const folder of folders.splice(0)) await look(folder);
    if (folders.length === 0) for (const link of links.splice(0)) await follow(link);
  }
  return files;
}
