/**
 * Bundles the VS Code extension together with the command line, and packs it into a .vsix file.
 *
 *     tsx tools/pack-vscode.ts [file.vsix]
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { build } from 'esbuild';
import { licensesOf, packagesOf } from './licenses.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'apps/vscode');
const folder = join(source, 'dist/extension');
const packagePath = process.argv[2] ?? join(source, 'dist/ptxlab.vsix');

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'dist'), { recursive: true });
for (const name of ['README.md', 'language-configuration.json', 'syntaxes']) {
  cpSync(join(source, name), join(folder, name), { recursive: true });
}
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { type: _, ...manifest } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));

const { metafile } = await build({
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'error',
  metafile: true,
  entryPoints: [join(source, 'src/extension.ts')],
  outfile: join(folder, 'dist/extension.cjs'),
  format: 'cjs',
  external: ['vscode'],
});
const packages = packagesOf(Object.keys(metafile.inputs).map((file) => resolve(file)));
writeFileSync(join(folder, 'dist/THIRD-PARTY.txt'), licensesOf(packages));
// Editors run the server with their own copy of Node, which cannot use the code that this copy has compiled.
cpSync(join(root, 'dist/bin'), join(folder, 'dist/bin'), {
  recursive: true,
  filter: (path) => path !== join(root, 'dist/bin/compiled'),
});
await createVSIX({ cwd: folder, packagePath, dependencies: false, allowMissingRepository: true });
