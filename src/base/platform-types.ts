/**
 * Platform names that public types use. In a program that is compiled without `lib.dom` and without the Node types,
 * these names would be undefined, so they are declared here as empty interfaces. In all other programs, these
 * interfaces merge with the real ones and add nothing.
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
