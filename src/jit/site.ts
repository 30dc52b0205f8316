/** Places in a program where compiled code calls the engine, with what the engine must know to go on or to complain. */
import type { AccessSpace, WindowSpace } from '../isa/steps.ts';

export type Site = {
  /** Line in the PTX text. */
  readonly line: number;
} & (
  | { readonly kind: 'access'; readonly space: AccessSpace; readonly access: 'load' | 'store'; readonly size: number }
  | { readonly kind: 'window'; readonly space: WindowSpace }
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'trap' }
  | { readonly kind: 'loop' }
  /** `brx.idx` with as many targets. */
  | { readonly kind: 'switch'; readonly count: number }
);

type WithoutLine<T> = T extends unknown ? Omit<T, 'line'> : never;

/** Notes a site of the instruction that is being lowered; gives its number. */
export type SiteOf = (site: WithoutLine<Site>) => number;
