/** Bundles the command line into `dist/bin`, from which the package runs `ptxlab`. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';
import { bundleCommandLine } from './command-line.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Loads the host from its source, like the rest of the bundle. The host looks up the files of its workers in other
 * folders of `dist`. The relative paths to these folders are the same from `dist/bin` as from `dist/hosts`.
 */
const hostFromSource: Plugin = {
  name: 'host-from-source',
  resolveId: (id) => (id === '#host' ? join(root, 'src/hosts/node.ts') : null),
};

await bundleCommandLine(join(root, 'dist/bin'), hostFromSource);
