/**
 * What an engine does not do yet. A kernel whose PTX has the pattern is expected to fail there: its test turns red, and
 * the row must go, as soon as the engine does it.
 */
export interface Awaited {
  readonly engine: 'interp' | 'jit';
  readonly what: string;
  readonly pattern: RegExp;
}

export const awaited: readonly Awaited[] = [
  { engine: 'jit', what: 'call', pattern: /\bcall(\.uni)?\b/ },
  { engine: 'jit', what: 'approximate functions', pattern: /\b(ex2|lg2|sin|cos|tanh|rsqrt)\.approx/ },
];

/** Modules that do not load, for their functions' addresses in initial values. */
export const unloadable: RegExp = /^calls\./;
