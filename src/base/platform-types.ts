/**
 * Platform names that public types mention. A program compiled without `lib.dom` and without the Node types gets them
 * from here as empty interfaces. Everywhere else, these interfaces merge with the real ones and add nothing.
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
