/**
 * Operations that threads execute together: each thread brings values and receives a result computed from the values of
 * all.
 */

/** Operations that a group of threads can execute together. */
export type GroupScope = 'warp' | 'warpgroup' | 'block' | 'cluster';

/**
 * `shfl`: takes a value, lane operand and bounds; gives the value of another lane and whether that lane was in bounds.
 * `vote`: takes a predicate; gives a predicate, or the mask of lanes where it is true. `match`: takes a value; gives
 * the mask of lanes with the same value and, for `all`, whether all agree. `redux`: takes a value; gives the reduction
 * over all. `elect`: gives the leader's lane and whether it is this one. `active`: gives the mask of lanes that
 * arrived. `sync`: gives nothing once all have arrived.
 */
export type Collective =
  | { readonly form: 'shfl'; readonly mode: 'up' | 'down' | 'bfly' | 'idx' }
  | { readonly form: 'vote'; readonly mode: 'all' | 'any' | 'uni' | 'ballot' }
  | { readonly form: 'match'; readonly mode: 'any' | 'all'; readonly width: 32 | 64 }
  | { readonly form: 'redux'; readonly op: 'add' | 'min' | 'max'; readonly type: 'u32' | 's32' }
  | { readonly form: 'redux'; readonly op: 'and' | 'or' | 'xor'; readonly type: 'b32' }
  | { readonly form: 'elect' }
  | { readonly form: 'active' }
  | { readonly form: 'sync' };

/** The threads that take part, and the width in bits of the values that each brings and receives. */
export interface Exchanged {
  readonly scope: GroupScope;
  readonly brings: readonly number[];
  readonly gets: readonly number[];
}

export function exchangedBy(collective: Collective): Exchanged {
  const scope = 'warp';
  switch (collective.form) {
    case 'shfl':
      return { scope, brings: [32, 32, 32], gets: [32, 1] };
    case 'vote':
      return { scope, brings: [1], gets: [collective.mode === 'ballot' ? 32 : 1] };
    case 'match':
      return { scope, brings: [collective.width], gets: collective.mode === 'all' ? [32, 1] : [32] };
    case 'redux':
      return { scope, brings: [32], gets: [32] };
    case 'elect':
      return { scope, brings: [], gets: [32, 1] };
    case 'active':
      return { scope, brings: [], gets: [32] };
    case 'sync':
      return { scope, brings: [], gets: [] };
  }
}

/** Threads that do the same operation have the same key; for example `shfl.up`, `match.any.b64`. */
export function keyOf(collective: Collective): string {
  switch (collective.form) {
    case 'shfl':
    case 'vote':
      return `${collective.form}.${collective.mode}`;
    case 'match':
      return `match.${collective.mode}.b${collective.width}`;
    case 'redux':
      return `redux.${collective.op}.${collective.type}`;
    default:
      return collective.form;
  }
}
