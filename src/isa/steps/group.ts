/**
 * Steps that threads execute together. Each thread contributes values, waits for the others, and receives a result that
 * is computed from the values of all of them.
 */
import type { Collective } from '../collective.ts';
import { alone, type FactsOf, type Uniformity } from './facts.ts';
import type { Ref } from './ref.ts';

/**
 * What bar.red computes from the predicates of all threads: how many are true, whether all are true, or whether any is
 * true.
 */
export type BarrierReduction = 'popc' | 'and' | 'or';

/** Fields of each kind. */
export interface GroupSteps {
  /**
   * Arrives at barrier number `barrier`. `internal` barriers have numbers of their own and are not among the barriers
   * that programs can name. With `waits`, the thread then waits until `count` threads have arrived; if `count` is null,
   * it waits for all threads of the block. With `reduce`, each thread contributes the predicate `from`, and `to`
   * receives the value that the reduction computes from the predicates of all threads.
   */
  readonly barrier: {
    readonly barrier: Ref;
    readonly internal: boolean;
    readonly count: Ref | null;
    readonly waits: boolean;
    readonly reduce: BarrierReduction | null;
    readonly to: readonly Ref[];
    readonly from: readonly Ref[];
  };
  /**
   * Threads exchange values, as described in collective.ts. The threads in `mask` take part. If `mask` is null, the
   * threads that arrive together take part. Each of these threads contributes the values `from` and receives the values
   * `to`.
   */
  readonly collective: {
    readonly fn: Collective;
    readonly to: readonly Ref[];
    readonly from: readonly Ref[];
    readonly mask: Ref | null;
  };
}

type CollectiveStep = GroupSteps['collective'];

/** The mask determines which threads belong to the group, so every result depends on it. */
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
