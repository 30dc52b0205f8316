import { enableWasmFeatures } from '#wasm-features';

/** Compiles a module written by the code in `wasm`, after enabling the WebAssembly features that such modules use. */
export function compileModule(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  enableWasmFeatures();
  return new WebAssembly.Module(bytes);
}
