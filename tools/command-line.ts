/**
 * Bundles the command line, for the package and for Python. With the bundle, `check` loads three files instead of two
 * hundred, which halves the time that a short command takes.
 */
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'rolldown';
import { definedNumber } from './build-number.ts';
import { compileBundle } from './compile-bundle.ts';
import { licensesOf, packagesOf } from './licenses.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The files that every command needs, and the files that are needed both by commands for PTX and by commands for
 * tensors. They do not include the table of instructions, because the commands for tensors do not use it. The rest of
 * `cli` is loaded only by the commands that need it.
 */
const start =
  /commander|src\/base\/|isa\/(operand-patterns|random-layout|spaces|targets|types|variant|steps\/ref|forms\/conversion\/cvt-steps)\.ts|renderers\/(printable|style|wrap)\.ts|tensors\/containers\.ts|cli\/(columns|command-line|command-parts|count-flag|exit|io|number-text|output|process-session|program|run-process|style|version|\w+-commands)\.ts/;

/**
 * The modules that the commands for PTX share. Unless `check` uses colors, it loads no shared chunks other than `start`
 * and this one.
 */
const ptx =
  /src\/(base|check|diagnostics|isa|syntax|cli\/check)\/|cli\/(check|json-file|ndjson|options|settings-file)\.ts/;

/**
 * Everything that is needed to compute a shard of a sweep. This is a separate chunk, so that running thousands of
 * shards takes little more time than a single run.
 */
const shard =
  /src\/hosts\/(file-errors|node-files|node-output|sweep-threads)\.ts|jit\/(exported-function|arrays\/sweep-runner)\.ts|tensors\/(bytes|tensor-error)\.ts|cli\/(work|sweep\/digest-text|shards\/(cut|manifest|results|shard-number|sweep-units|sweep-work|what))\.ts/;

/**
 * The modules that the host shares with the devices. Without this group, these modules would be in a chunk that
 * commands for tensors load, and such commands would then load `ptx`.
 */
const machine = /src\/machine\/(extents|fault|launch|time-limit)\.ts/;

/**
 * commander imports node:child_process to support commands that are separate programs. ptxlab has no such commands, and
 * loading the module would take 5 ms.
 */
const withoutChildProcess: Plugin = {
  name: 'without-child-process',
  resolveId: (id, importer) => {
    if (id !== 'node:child_process') return null;
    return importer?.includes('node_modules/commander') === true ? '\0no-child-process' : { id, external: true };
  },
  load: (id) => (id === '\0no-child-process' ? 'export {}' : null),
};

/** Node reads ASCII text faster than other text, and V8 needs only half the memory for it. */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle: (_, chunks) => {
    for (const chunk of Object.values(chunks)) if (chunk.type === 'chunk') chunk.code = escaped(chunk.code);
  },
};

function escaped(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const optionsFor = (out: string, host: Plugin): BuildOptions => ({
  cwd: root,
  // The file of a worker is looked up relative to the file that starts the worker, so both must be in the same folder.
  input: {
    ptxlab: 'src/cli/bundle/ptxlab.ts',
    'ptxlab-ptxas': 'src/cli/bundle/ptxlab-ptxas.ts',
    'run-process': 'src/cli/run-process.ts',
    'command-line': 'src/cli/command-line.ts',
    'sweep-worker': 'src/hosts/sweep-worker.ts',
  },
  platform: 'node',
  transform: { define: definedNumber() },
  // The libraries that the command line uses are part of the bundle. Installing the package therefore installs only the
  // code that is needed, not whole libraries.
  external: [/^node:(?!child_process)/, 'piscina'],
  plugins: [withoutChildProcess, host, asciiOnly],
  output: {
    dir: out,
    cleanDir: true,
    // V8 can keep the compiled code of CommonJS modules, and Node loads such modules faster.
    format: 'cjs',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: 'launcher', test: /cli\/bundle\/(start|compiled-files)/ },
        { name: 'import-url', test: /hosts\/import-url\.ts/, priority: 3 },
        { name: 'start', test: start, priority: 2 },
        { name: 'shard', test: shard, priority: 1 },
        { name: 'ptx', test: ptx },
        { name: 'machine', test: machine },
      ],
    },
    minify: {
      compress: false,
      mangle: { keepNames: { function: true, class: true } },
      codegen: { removeWhitespace: true },
    },
  },
});

/**
 * Writes the command line into the folder `out`, together with the code that V8 compiles for it. `host` is the plugin
 * that resolves `#host`.
 */
export async function bundleCommandLine(out: string, host: Plugin): Promise<void> {
  const { output } = await build(optionsFor(out, host));
  // These files are CommonJS modules, but their extension is .js, as in the rest of the package, which uses ES modules.
  writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n');
  // Make the files executable after every build, because npx does so only when it first links a checkout.
  for (const program of ['ptxlab.js', 'ptxlab-ptxas.js']) chmodSync(join(out, program), 0o755);
  // Plans that spread work over several machines use this hash to identify the program.
  writeFileSync(join(out, 'sha256.txt'), `${hashOfFiles(out)}\n`);
  await compileBundle(out);
  const files = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  writeFileSync(join(out, 'THIRD-PARTY.txt'), licensesOf(packagesOf(files)));
}

function hashOfFiles(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}
