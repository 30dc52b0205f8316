/**
 * The exports of `#wasm-features`, which package.json maps to hosts/node-wasm-features.ts in Node, and to
 * hosts/browser-wasm-features.ts elsewhere.
 */

/**
 * Makes the WebAssembly engine use branch hints and relaxed vector instructions in modules that are compiled after this
 * call, if it supports them.
 */
export declare function enableWasmFeatures(): void;
