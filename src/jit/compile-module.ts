import { enableWasmFeatures } from '#wasm-features';

/**
 * Compiles a module that the code in `wasm` has generated, after enabling the WebAssembly features that such modules
 * use.
 */
export function compileModule(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  enableWasmFeatures();
  return new WebAssembly.Module(bytes);
}
