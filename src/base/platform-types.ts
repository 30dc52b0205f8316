/**
 * Names of the platform that public types mention. A program that is compiled without `lib.dom` and without types for Node
 * finds them here as empty interfaces; everywhere else these merge with the real ones and add nothing.
 */
declare global {
  interface AbortSignal {}
  namespace WebAssembly {
    interface Memory {}
    interface Module {}
    interface Instance {}
  }
}

export {};
