import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from './json-object.ts';

/** The version from package.json, which is two folders above the folder of the built file. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const content: unknown = JSON.parse(text);
  if (isJsonObject(content) && typeof content['version'] === 'string') return content['version'];
  throw new Error('package.json has no version');
}

/**
 * The path of the built program. It is correct both for the sources and for the built files, because the built files
 * are all in one folder.
 */
export const programFile: string = builtFile('ptxlab.js');

/** The built `ptxlab-ptxas`. */
export const ptxasFile: string = builtFile('ptxlab-ptxas.js');

function builtFile(name: string): string {
  return fileURLToPath(new URL(`../../dist/bin/${name}`, import.meta.url));
}

/**
 * A hash of the built program, from a file that the build writes; `unbuilt` if there is no such file because the
 * sources are run directly.
 */
export function programHash(): string {
  try {
    return readFileSync(new URL('./sha256.txt', import.meta.url), 'utf8').trim();
  } catch {
    return 'unbuilt';
  }
}
