/**
 * What an engine does not do yet. A kernel whose PTX has the pattern is expected to fail there: its test turns red, and
 * the row must go, as soon as the engine does it.
 */
export interface Awaited {
  readonly engine: 'interp' | 'jit';
  readonly what: string;
  readonly pattern: RegExp;
}

const onBoth = (what: string, pattern: RegExp): readonly Awaited[] => [
  { engine: 'interp', what, pattern },
  { engine: 'jit', what, pattern },
];

export const awaited: readonly Awaited[] = [
  ...onBoth('call', /\bcall(\.uni)?\b/),
  ...onBoth('bar.warp.sync', /\bbar\.warp\.sync\b/),
  ...onBoth('bar.arrive', /\bbar\.arrive\b/),
  ...onBoth('bar.red', /\bbar\.red\b|\bbarrier\.red\b/),
  ...onBoth('[%r+n] in shared memory that wraps at 2^32', /sub\.s32 \t(%r\d+), .*\n(.*\n)?.*ld\.shared.*\[\1\+\d+\]/),
  { engine: 'jit', what: 'the condition code', pattern: /\b(addc|subc|madc)\./ },
  { engine: 'jit', what: 'atomics', pattern: /\b(atom|red)\./ },
  { engine: 'jit', what: 'spinning', pattern: /\bnanosleep\b|\bmembar\b|\bfence\b/ },
  { engine: 'jit', what: 'collectives', pattern: /\b(shfl|vote|match|redux|activemask)\b/ },
  { engine: 'jit', what: 'approximate functions', pattern: /\b(ex2|lg2|sin|cos|tanh|rsqrt)\.approx/ },
  { engine: 'jit', what: 'fma and directed roundings of f64', pattern: /\bfma\.rn\.f64\b|\.r[zmp]\.f64\b/ },
  { engine: 'jit', what: 'prmt', pattern: /\bprmt\./ },
];

/** Modules that do not load, for their functions' addresses in initial values. */
export const unloadable: RegExp = /^calls\./;
