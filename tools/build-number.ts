/** The number of a build: a hash of the sources, so that it changes whenever compiled kernels may change. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('../src', import.meta.url));

/** Replaces `buildNumber` in the code that rolldown bundles. */
export function definedNumber(): Readonly<Record<'buildNumber', string>> {
  const hash = createHash('sha256');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  for (const name of files.sort()) hash.update(`${name}\n`).update(readFileSync(join(sources, name)));
  return { buildNumber: JSON.stringify(hash.digest('hex').slice(0, 32)) };
}
