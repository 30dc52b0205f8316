import { readBranchHints } from '#branch-hints';

/** Compiles a module that `wasm` wrote, so that V8 reads its branch hints. */
export function compileModule(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  readBranchHints();
  return new WebAssembly.Module(bytes);
}
