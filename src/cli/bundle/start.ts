/** Starts the bundled command line. The entry points are bundled into the same folder as the files that they load. */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { bundleLoader, compiledFolder } from './compiled-files.ts';

const folder = import.meta.dirname;

/** `args` are the words after the program's name, such as `['check', 'kernel.ptx']`. */
export function startBundle(args: readonly string[]): Promise<void> {
  const { runProcess } = load('run-process.js') as typeof import('../run-process.ts');
  return runProcess(args);
}

/**
 * Loads a file of the bundle. If the bundle was built by a different version of Node, its compiled code cannot be used.
 * In that case, Node compiles the file again. Node 22 and later versions cache the result in a temporary folder.
 */
function load(name: string): unknown {
  if (existsSync(compiledFolder(folder))) return bundleLoader(folder)(name);
  const enableCompileCache: unknown = Reflect.get(nodeModule, 'enableCompileCache');
  if (typeof enableCompileCache === 'function') enableCompileCache();
  return nodeModule.createRequire(join(folder, name))(`./${name}`);
}
