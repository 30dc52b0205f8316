/** Steps that threads execute together: each brings values, waits for the others, and gets what the group made of them. */
import { alone, type FactsOf, type Uniformity } from './facts.ts';
import type { Ref } from './ref.ts';

/**
 * What the threads of a warp do together. `shfl`: from value, lane operand and bounds to value and whether the lane was
 * in bounds. `vote`: from predicate to predicate, or to the mask of those that hold. `match`: from value to mask, for
 * `match.all` also to whether all agree. `redux`: from value to the value over all. `elect`: to the leader's lane and
 * whether this is it. `active`: to the mask of those that came. `sync`: to nothing, all have come.
 */
export type CollectiveFunction =
  | 'shfl.up'
  | 'shfl.down'
  | 'shfl.bfly'
  | 'shfl.idx'
  | 'vote.all'
  | 'vote.any'
  | 'vote.uni'
  | 'vote.ballot'
  | 'match.any'
  | 'match.all'
  | `redux.${'add' | 'min' | 'max'}.${'u32' | 's32'}`
  | `redux.${'and' | 'or' | 'xor'}`
  | 'elect'
  | 'active'
  | 'sync';

/** bar.red: how many predicates hold, whether all do, whether any does. */
export type BarrierReduction = 'popc' | 'and' | 'or';

/** Fields of each kind. */
export interface GroupSteps {
  /**
   * The thread is counted at barrier `barrier`, and `waits` until `count` threads (all of the block where null) have
   * come. With `reduce` each brings a predicate `from` and gets its reduction over all `to`.
   */
  readonly barrier: {
    readonly barrier: Ref;
    readonly count: Ref | null;
    readonly waits: boolean;
    readonly reduce: BarrierReduction | null;
    readonly to: readonly Ref[];
    readonly from: readonly Ref[];
  };
  /**
   * Threads of a warp exchange values: those in `mask`, or those that come to it together where there is none. Each
   * gives `from` and gets `to`.
   */
  readonly collective: {
    readonly fn: CollectiveFunction;
    readonly to: readonly Ref[];
    readonly from: readonly Ref[];
    readonly mask: Ref | null;
  };
}

type Collective = GroupSteps['collective'];

/** By the first word of its name. The group itself depends on the mask, and so does every result. */
function collectiveUniformity({ fn }: Collective): Uniformity<Collective> {
  const [word] = fn.split('.');
  switch (word) {
    case 'vote':
    case 'redux':
    case 'active':
    case 'sync':
      return { among: 'warp', given: ['mask'] };
    case 'match':
      return fn === 'match.all' ? { among: 'warp', given: ['mask'] } : { among: 'warp', given: 'inputs' };
    default:
      return { among: 'thread', given: 'inputs' };
  }
}

export const groupFacts: FactsOf<GroupSteps> = {
  barrier: {
    values: { barrier: 'in', count: 'in', to: 'out', from: 'in' },
    ...alone,
    flow: 'next',
    group: 'block',
    same: { among: 'block', given: ['barrier', 'count'] },
  },
  collective: {
    values: { to: 'out', from: 'in', mask: 'in' },
    ...alone,
    flow: 'next',
    group: 'warp',
    same: collectiveUniformity,
  },
};
