/**
 * `ptxlab ptxas --link DIR`: creates a program named `ptxas` in a folder, for tools that expect to find ptxas there.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileTrouble } from '../../hosts/file-errors.ts';
import { makeFolder } from '../../hosts/node-folders.ts';
import { UsageError } from '../exit.ts';
import { write } from '../output.ts';
import type { Session } from '../session.ts';
import { ptxasFile } from '../version.ts';

/**
 * Creates the folder if it does not exist.
 *
 * @throws UsageError if no folder is specified, or if the folder already contains a file named `ptxas`
 */
export async function linkCommand([folder, ...others]: readonly string[], { stdout }: Session): Promise<0> {
  if (folder === undefined || others.length > 0) throw new UsageError('ptxas --link needs one folder');
  const path = join(folder, 'ptxas');
  const script = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(ptxasFile)} "$@"\n`;
  await makeFolder(folder);
  try {
    writeFileSync(path, script, { flag: 'wx', mode: 0o755 });
  } catch (error) {
    throw new UsageError(`${path}: ${fileTrouble(error)}`);
  }
  await write(stdout, `${path}\n`);
  return 0;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
