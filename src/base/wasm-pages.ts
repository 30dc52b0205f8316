/** The pages of WebAssembly memories. */

/** Size of a page in bytes. */
export const wasmPageBytes = 65_536;

/** Maximum number of pages in a memory with 32-bit addresses. */
export const mostWasmPages = 65_536;
