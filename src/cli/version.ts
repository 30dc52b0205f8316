import { readFileSync } from 'node:fs';
import { isJsonObject } from './json-object.ts';

/** The version from package.json, which is two folders above the built file. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const content: unknown = JSON.parse(text);
  if (isJsonObject(content) && typeof content['version'] === 'string') return content['version'];
  throw new Error('package.json has no version');
}
