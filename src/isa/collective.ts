/** What threads do together and in step: each brings values, and gets what the group made of all. */

/** Threads that can be asked to do something together. */
export type GroupScope = 'warp' | 'warpgroup' | 'block' | 'cluster';

/**
 * `shfl`: from value, lane operand and bounds to the value of another lane and whether that was in bounds. `vote`: from
 * predicate to predicate, or to the mask of those that hold. `match`: from value to the mask of those that have the same,
 * for `all` also to whether all agree. `redux`: from value to the value over all. `elect`: to the leader's lane and
 * whether this is it. `active`: to the mask of those that came. `sync`: to nothing, all have come.
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

/** Who takes part, and bits of the values that each brings and gets. */
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

/** Threads that do the same have the same key; `shfl.up`, `match.any.b64`. */
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
