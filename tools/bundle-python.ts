/**
 * Bundles the command line for the wheel of the Python package. The package runs the command line as its server. Build
 * the wheel afterwards:
 *
 *     npm run python:build && python3 -m pip wheel --no-deps --wheel-dir dist/python ./python
 *
 * An argument names another folder for the bundle; this folder is deleted first.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';
import { bundleCommandLine } from './command-line.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const server = process.argv[2] ?? join(root, 'python/src/ptxlab/_server');
const out = join(server, 'dist/bin');

/**
 * Worker threads would need files of their own. The wheel therefore does not support them, and all launches run on one
 * thread.
 */
const withoutWorkers: Plugin = {
  name: 'without-workers',
  resolveId: (id) => (id === '#host' ? join(root, 'src/hosts/one-thread.ts') : null),
};

rmSync(server, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
// The server reads its version from package.json.
for (const name of ['package.json', 'LICENSE']) copyFileSync(join(root, name), join(server, name));
await bundleCommandLine(out, withoutWorkers);
