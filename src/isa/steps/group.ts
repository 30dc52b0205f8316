/**
 * Steps that threads execute together: each thread contributes values, waits for the others, and receives a result
 * computed from the values of all.
 */
import type { Collective } from '../collective.ts';
import { alone, type FactsOf, type Uniformity } from './facts.ts';
import type { Ref } from './ref.ts';

/** bar.red: the number of true predicates, whether all are true, or whether any is true. */
export type BarrierReduction = 'popc' | 'and' | 'or';

/** Fields of each kind. */
export interface GroupSteps {
  /**
   * Counts the thread at barrier `barrier`; with `waits`, the thread waits until `count` threads (null: the whole
   * block) have arrived. With `reduce`, each thread contributes a predicate `from` and receives the reduction over all
   * of them in `to`.
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
   * Threads exchange values (collective.ts): the threads in `mask` or, without a mask, those that arrive together. Each
   * of them contributes `from` and receives `to`.
   */
  readonly collective: {
    readonly fn: Collective;
    readonly to: readonly Ref[];
    readonly from: readonly Ref[];
    readonly mask: Ref | null;
  };
}

type CollectiveStep = GroupSteps['collective'];

/** The group itself depends on the mask, so every result does too. */
function collectiveUniformity({ fn }: CollectiveStep): Uniformity<CollectiveStep> {
  switch (fn.form) {
    case 'vote':
    case 'redux':
    case 'active':
    case 'sync':
      return { among: 'warp', given: ['mask'] };
    case 'match':
      return fn.mode === 'all' ? { among: 'warp', given: ['mask'] } : { among: 'warp', given: 'inputs' };
    case 'shfl':
    case 'elect':
    case 'transpose':
    case 'mma':
    case 'addresses':
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
