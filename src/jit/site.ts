/** Places in a program where compiled code calls the engine, with what the engine must know to go on or to complain. */
import type { AccessSpace, WindowSpace } from '../isa/spaces.ts';

export type Site = {
  /** Line in the PTX text. */
  readonly line: number;
} & (
  | { readonly kind: 'access'; readonly space: AccessSpace; readonly access: 'load' | 'store'; readonly size: number }
  | { readonly kind: 'window'; readonly space: WindowSpace }
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'trap' }
  /** A call for which there is no room: of a function by its index. */
  | { readonly kind: 'stack'; readonly fn: number }
  /** A call through a register that holds no address of a function it may call. */
  | { readonly kind: 'callee'; readonly name: string }
  | { readonly kind: 'builtin'; readonly fn: number }
  | { readonly kind: 'loop' }
  /** `brx.idx` with as many targets. */
  | { readonly kind: 'switch'; readonly count: number }
);

type WithoutLine<T> = T extends unknown ? Omit<T, 'line'> : never;

/** Notes a site of the instruction that is being lowered; gives its number. */
export type SiteOf = (site: WithoutLine<Site>) => number;
