import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isObject } from '../base/json-values.ts';

/**
 * The version from package.json, which is two levels above both the folder of this source file and the folder of the
 * built file.
 */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const content: unknown = JSON.parse(text);
  if (isObject(content) && typeof content['version'] === 'string') return content['version'];
  throw new Error('package.json has no version');
}

/**
 * The path of the built program. It is the same whether this code runs from its source or from a built file, because
 * all built files are in one folder.
 */
export const programFile: string = builtFile('ptxlab.js');

/** The built `ptxlab-ptxas`. */
export const ptxasFile: string = builtFile('ptxlab-ptxas.js');

function builtFile(name: string): string {
  return fileURLToPath(new URL(`../../dist/bin/${name}`, import.meta.url));
}

/**
 * A hash of the built program, which the build stores in a file. The result is `unbuilt` if there is no such file,
 * which means that the sources are being run directly.
 */
export function programHash(): string {
  try {
    return readFileSync(new URL('./sha256.txt', import.meta.url), 'utf8').trim();
  } catch {
    return 'unbuilt';
  }
}
