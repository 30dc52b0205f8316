/** The directives of PTX as data. Source: PTX ISA 4.3.1 and chapter 11; numbers of values and order measured from ptxas. */
import type { DeclaredSpace, Linkage } from './tree.ts';

/** Spaces that a declaration may name. `.sreg` is none of them: ptxas refuses to declare special registers. */
export const declaredSpaces: ReadonlySet<string> = new Set<DeclaredSpace>([
  '.reg',
  '.const',
  '.global',
  '.local',
  '.param',
  '.shared',
  '.tex',
]);

export const linkages: ReadonlySet<string> = new Set<Linkage>(['.extern', '.visible', '.weak', '.common']);

/** Directives that start an item and never a statement: one of them inside a body means that a `}` is missing. */
export const moduleDirectives: ReadonlySet<string> = new Set([
  ...linkages,
  '.version',
  '.target',
  '.address_size',
  '.entry',
  '.func',
  '.file',
  '.section',
  '.alias',
]);

/** Directives where reading may go on after a mistake. */
export const statementDirectives: ReadonlySet<string> = new Set([
  ...moduleDirectives,
  ...declaredSpaces,
  '.loc',
  '.pragma',
  '.align',
  '.attribute',
]);

/** A directive between the header and the body of a function: how many integers it takes, and on what it may stand. */
export interface TuningRule {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly on: 'entry' | 'func';
}

export const tuningRules: ReadonlyMap<string, TuningRule> = new Map(
  [
    tuning('.maxntid', 1, 3, 'entry'),
    tuning('.reqntid', 1, 3, 'entry'),
    tuning('.minnctapersm', 1, 1, 'entry'),
    tuning('.maxnctapersm', 1, 1, 'entry'),
    tuning('.maxnreg', 1, 1, 'entry'),
    tuning('.local_maxnreg', 1, 1, 'entry'),
    tuning('.reqnctapercluster', 1, 3, 'entry'),
    tuning('.explicitcluster', 0, 0, 'entry'),
    tuning('.maxclusterrank', 1, 1, 'entry'),
    tuning('.blocksareclusters', 0, 0, 'entry'),
    tuning('.abi_preserve', 1, 1, 'func'),
    tuning('.abi_preserve_control', 1, 1, 'func'),
  ].map((rule) => [rule.name, rule]),
);

function tuning(name: string, least: number, most: number, on: 'entry' | 'func'): TuningRule {
  return { name, least, most, on };
}
