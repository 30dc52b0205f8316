/**
 * Checks whether WebAssembly with vector instructions is available. WebAssembly may be missing, too old, or disallowed
 * by a page's content security policy.
 */
import { once } from '../../base/once.ts';
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';

export const canCompile: () => boolean = once(compilesVectors);

function compilesVectors(): boolean {
  const builder = new ModuleBuilder();
  builder.add({ parameters: [], results: ['v128'] }, new Code([]).words(0, 0, 0, 0));
  try {
    return new WebAssembly.Module(builder.encode()) instanceof WebAssembly.Module;
  } catch {
    return false;
  }
}
