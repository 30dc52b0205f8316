/**
 * The exports of `#wasm-features`, which package.json maps to hosts/node-wasm-features.ts in Node, and to
 * hosts/browser-wasm-features.ts elsewhere.
 */

/**
 * Makes the WebAssembly engine use branch hints and relaxed vector instructions, if the engine supports them. This
 * affects only modules that are compiled after this call.
 */
export declare function enableWasmFeatures(): void;
