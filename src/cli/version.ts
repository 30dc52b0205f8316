import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from './json-object.ts';

/** The version from package.json, which is two folders above the built file. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const content: unknown = JSON.parse(text);
  if (isJsonObject(content) && typeof content['version'] === 'string') return content['version'];
  throw new Error('package.json has no version');
}

/** The built program. Both paths are correct for the sources and for the built files, which are all in one folder. */
export const programFile: string = builtFile('ptxlab.js');

/** The built `ptxlab-ptxas`. */
export const ptxasFile: string = builtFile('ptxlab-ptxas.js');

function builtFile(name: string): string {
  return fileURLToPath(new URL(`../../dist/bin/${name}`, import.meta.url));
}

/** A hash of the files of the built program, which the build writes; `unbuilt` if the sources run directly. */
export function programHash(): string {
  try {
    return readFileSync(new URL('./sha256.txt', import.meta.url), 'utf8').trim();
  } catch {
    return 'unbuilt';
  }
}
