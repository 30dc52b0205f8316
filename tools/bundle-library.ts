/**
 * Bundles the library into `dist`: one file for each entry point of the package, and the files that they share. Without
 * the bundle, Node has to read hundreds of small files to load the device, which takes more than half a second.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { definedNumber } from './build-number.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The entry points of package.json, and the files that worker threads load. */
const entries = [
  'analysis',
  'arrays',
  'debug',
  'device',
  'index',
  'numbers',
  'tensors',
  'hosts/browser',
  'hosts/browser-code-store',
  'hosts/browser-wasm-features',
  'hosts/node',
  'hosts/node-code-store',
  'hosts/node-library',
  'hosts/node-wasm-features',
  'hosts/worker',
  'jit/arrays/array-part',
  'jit/launch/share',
];

const shared = 'shared';
rmSync(join(root, 'dist', shared), { recursive: true, force: true });
await build({
  cwd: root,
  input: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
  platform: 'neutral',
  transform: { define: definedNumber() },
  external: [/^#/, /^node:/, 'fflate', 'piscina'],
  output: { dir: 'dist', format: 'esm', chunkFileNames: `${shared}/[name]-[hash].js` },
});
