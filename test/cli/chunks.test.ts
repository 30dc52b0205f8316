/** Checks which commands load the file of the bundle that contains the instruction table. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mainFile } from './ptxlab.ts';

const bin = dirname(mainFile);

/**
 * The files that are loaded together with a file, because it imports them directly or indirectly. Their names are given
 * without the hashes.
 */
function loadedBy(name: string): ReadonlySet<string> {
  const files = readdirSync(bin);
  const first = files.find(
    (file) => file.startsWith(`${name}-`) && file.length === name.length + '-12345678.js'.length,
  );
  if (first === undefined) throw new Error(`dist/bin has no file ${name}-*.js`);
  const loaded = new Set([first]);
  for (const file of loaded)
    for (const [, imported = ''] of readFileSync(`${bin}/${file}`, 'utf8').matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      loaded.add(imported);
  return new Set([...loaded].map((file) => file.replace(/-[\w-]{8}\.js$/, '')));
}

// The instruction table is in the file `ptx`. Reading it takes longer than starting Node.
describe('the instruction table is not loaded by', () => {
  test.each(['start', 'shard', 'convert-work', 'merge', 'inspect', 'diff'])('%s', (name) => {
    expect(loadedBy(name)).not.toContain('ptx');
  });

  test('and is loaded by eval', () => {
    expect(loadedBy('eval')).toContain('ptx');
  });
});
