/** `ptxlab ptxas --link DIR`: puts a program named `ptxas` into a folder, for tools that look for one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileTrouble } from '../../hosts/file-errors.ts';
import { UsageError } from '../exit.ts';
import { write } from '../output.ts';
import type { Session } from '../session.ts';

/** @throws UsageError if the folder is not named, does not exist, or already has a file of that name */
export async function linkCommand([folder, ...others]: readonly string[], { stdout }: Session): Promise<0> {
  if (folder === undefined || others.length > 0) throw new UsageError('ptxas --link needs one folder');
  const path = join(folder, 'ptxas');
  const program = fileURLToPath(new URL('../../bin/ptxlab-ptxas.js', import.meta.url));
  const script = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(program)} "$@"\n`;
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
