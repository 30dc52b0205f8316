/** Checks how the files of the bundle load each other. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { compiledFolder } from '../../src/cli/bundle/compiled-files.ts';
import { built, mainFile, root } from './ptxlab.ts';

const bin = dirname(mainFile);

beforeAll(built, 120_000);

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
    for (const [, imported = ''] of readFileSync(`${bin}/${file}`, 'utf8').matchAll(/=require\("\.\/([^"]+)"\)/g))
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

test('import() is called only in the file that Node loads itself', () => {
  const files = readdirSync(bin).filter((file) => file.endsWith('.js'));
  const importing = files.filter((file) => /[^.\w}]import\(/.test(readFileSync(`${bin}/${file}`, 'latin1')));
  expect(importing).toEqual([expect.stringMatching(/^import-url-/)]);
});

test('V8 uses the code that was compiled when the bundle was built', () => {
  const names = readdirSync(compiledFolder(bin)).map((file) => file.replace(/\.bin$/, ''));
  expect(names).toContain('run-process.js');
  const code = `
    import { scriptOf } from ${JSON.stringify(pathToFileURL(join(root, 'src/cli/bundle/compiled-files.ts')))};
    const refused = ${JSON.stringify(names)}.filter((name) => scriptOf('${bin}', name).cachedDataRejected !== false);
    console.log(refused.join());`;
  // This runs in a separate process, because the process that runs the tests has different V8 flags.
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['\n', '']);
});
