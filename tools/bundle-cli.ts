/**
 * Bundles the command line into `dist/bin`, where the package's `ptxlab` starts. For `check`, Node then loads three
 * files instead of two hundred, which halves the time of a short command.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist/bin');

/** Needed at every start. The rest of `cli` is loaded by command. */
const start =
  /commander|base\/error\.ts|tensors\/containers\.ts|cli\/(command-parts|exit|output|program|version|\w+-commands)\.ts/;

/** Shared by the commands about PTX; `check` needs nothing else. */
const ptx = /src\/(base|check|diagnostics|isa|syntax|cli\/check)\/|cli\/(check|io|ndjson|options|style)\.ts/;

/** commander imports this for commands that are separate programs. There are none, and loading it takes 5 ms. */
const withoutChildProcess: Plugin = {
  name: 'without-child-process',
  resolveId: (id) => (id === 'node:child_process' ? '\0no-child-process' : null),
  load: (id) => (id === '\0no-child-process' ? 'export {}' : null),
};

await build({
  cwd: root,
  // A worker's file is found relative to the file that starts it.
  input: { ptxlab: 'src/cli/main.ts', 'sweep-worker': 'src/hosts/sweep-worker.ts' },
  platform: 'node',
  // Only commander is bundled: the other libraries are needed by few commands.
  external: [/^#host$/, /^node:(?!child_process)/, /^(?!commander)@?[a-z][^:]*$/],
  plugins: [withoutChildProcess],
  output: {
    dir: out,
    cleanDir: true,
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: 'start', test: start, priority: 1 },
        { name: 'ptx', test: ptx },
      ],
    },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
});
cpSync(join(root, 'node_modules/commander/LICENSE'), join(out, 'commander-LICENSE.txt'));
