/**
 * The strong writes that a thread has observed. A strong read observes the write whose value it reads. If an atomic
 * operation made this write, the read also observes the write that the operation read, and so on. The thread's accesses
 * after the read come after the observed writes, whether or not these writes are releases. However, they need not come
 * after earlier accesses by the writing threads (observation order and causality order, PTX ISA 9.1, section 8).
 */
import type { MemoryScope } from '../../isa/steps/order.ts';

/** The strong writes to a word since the last weak write. */
export interface WriteChain {
  /** Whether the word is in global memory. */
  readonly isGlobal: boolean;
  /** The last write. */
  last: { readonly block: number; readonly scope: MemoryScope };
  /** The number of writes so far. */
  count: number;
  /**
   * For each actor, the number of its last write. A write is included only if a chain of atomic operations leads from
   * it to the last write.
   */
  readonly writes: Map<number, number>;
}

/** For each chain, the number of the last write that was observed. */
export type Observations = Map<WriteChain, number>;

/**
 * The writes to global memory that the threads of each block had observed when they met at barriers for the whole
 * block.
 */
export class BlockObservations {
  private readonly shared = new Map<number, WeakMap<WriteChain, number>>();

  /** At a barrier, shares the observations of a thread with the other threads of its block. */
  share(block: number, observed: Observations): void {
    if (observed.size === 0) return;
    const shared = this.shared.get(block) ?? new WeakMap<WriteChain, number>();
    this.shared.set(block, shared);
    for (const [chain, write] of observed)
      if (chain.isGlobal) shared.set(chain, Math.max(write, shared.get(chain) ?? 0));
    observed.clear();
  }

  /** Whether a thread, or its block at an earlier barrier, has observed an actor's last write in a chain. */
  include(block: number, observed: Observations, chain: WriteChain, actor: number): boolean {
    const write = chain.writes.get(actor);
    if (write === undefined) return false;
    return (observed.get(chain) ?? 0) >= write || (this.shared.get(block)?.get(chain) ?? 0) >= write;
  }

  /** Called when a block has ended. */
  end(block: number): void {
    this.shared.delete(block);
  }
}
