import { readBranchHints } from '#branch-hints';

/** Compiles a module that was written by the code in `wasm`, and makes V8 use the module's branch hints. */
export function compileModule(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  readBranchHints();
  return new WebAssembly.Module(bytes);
}
