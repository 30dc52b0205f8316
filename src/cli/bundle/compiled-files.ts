/**
 * Loads the files of the bundle together with the code that V8 compiled for them when the bundle was built. Without the
 * compiled code, reading and compiling the files would take up most of the run time of a short command.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/**
 * The folder with the compiled code of the files in `folder`. Only the version of V8 that compiled the code can use it,
 * so each version has a folder of its own.
 */
export function compiledFolder(folder: string): string {
  return join(folder, 'compiled', process.versions.v8);
}

/** The path of the file that contains the compiled code of `name`. */
export function compiledFile(folder: string, name: string): string {
  return join(compiledFolder(folder), `${name}.bin`);
}

/** Matches the one file that Node itself loads, because this file calls `import()`, which stored code must not do. */
const loadedByNode = /^\.\/import-url-/;

type CommonJsWrapper = (
  exports: unknown,
  require: (id: string) => unknown,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void;

/**
 * Returns a function that loads a file of the bundle, such as `run-process.js`, and returns what it exports. The files
 * are CommonJS modules. V8 rejects compiled code that does not match its version or flags; the file is then compiled
 * again. `onCompiled` is called for each file that is loaded.
 */
export function bundleLoader(
  folder: string,
  onCompiled: (name: string, script: Script) => void = () => undefined,
): (name: string) => unknown {
  const requireFromNode = createRequire(join(folder, 'package.json'));
  const loaded = new Map<string, { exports: unknown }>();
  const load = (name: string): unknown => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const script = scriptOf(folder, name);
    onCompiled(name, script);
    const run: CommonJsWrapper = script.runInThisContext();
    run.call(module.exports, module.exports, requireFromBundle, module, join(folder, name), folder);
    return module.exports;
  };
  const requireFromBundle = (id: string): unknown =>
    id.startsWith('./') && !loadedByNode.test(id) ? load(id.slice(2)) : requireFromNode(id);
  return load;
}

/** A file of the bundle, wrapped in a function and compiled. The files are ASCII. */
export function scriptOf(folder: string, name: string): Script {
  const filename = join(folder, name);
  const code = readFileSync(filename, 'latin1');
  const cachedData = readIfPresent(compiledFile(folder, name));
  return new Script(`(function (exports, require, module, __filename, __dirname) { ${code}\n})`, {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
