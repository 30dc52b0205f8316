/**
 * Bundles ptxlab into a single file. The wheel of the Python package contains this file and runs it as its server.
 * Build the wheel afterwards:
 *
 *     npm run python:build && python3 -m pip wheel --no-deps --wheel-dir dist/python ./python
 */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';
import { licensesOf, packagesOf } from './licenses.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const server = join(root, 'python/src/ptxlab/_server');
const out = join(server, 'dist/bin');

/**
 * Worker threads would need files of their own. The wheel therefore does not support them, and all launches run on one
 * thread.
 */
const withoutWorkers: Plugin = {
  name: 'without-workers',
  resolveId: (id) => (id === '#host' ? '\0no-workers' : null),
  load: (id) => (id === '\0no-workers' ? 'export const host = { ready: async () => false, processors: 1 };' : null),
};

rmSync(server, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { output } = await build({
  cwd: root,
  input: { ptxlab: 'src/cli/main.ts' },
  platform: 'node',
  external: /^node:/,
  plugins: [withoutWorkers],
  output: {
    dir: out,
    codeSplitting: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
});
const packages = packagesOf(output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])));
writeFileSync(join(server, 'THIRD-PARTY.txt'), licensesOf(packages));
// The server reads its version from package.json. Node also needs this file: without the `type` in package.json, it
// would treat the server as CommonJS.
copyFileSync(join(root, 'package.json'), join(server, 'package.json'));
copyFileSync(join(root, 'LICENSE'), join(server, 'LICENSE'));
