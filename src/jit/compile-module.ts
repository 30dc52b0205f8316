import { enableWasmFeatures } from '#wasm-features';

/** Compiles a module that was written by the code in `wasm`, with the features of WebAssembly that such modules use. */
export function compileModule(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  enableWasmFeatures();
  return new WebAssembly.Module(bytes);
}
