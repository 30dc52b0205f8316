/**
 * Which strong writes a thread has observed. A strong read observes the write whose value it reads and, if this write is
 * that of an atomic operation, the write that the operation read, and so on. What the thread does after the read comes
 * after the observed writes, whether or not they release anything, but not after what their threads did before
 * (observation order and causality order, PTX ISA 9.1, section 8).
 */
import type { MemoryScope } from '../../isa/steps/order.ts';

/** The strong writes to a word since the last weak one. */
export interface WriteChain {
  /** Whether the word is in global memory. */
  readonly isGlobal: boolean;
  /** The last write. */
  last: { readonly block: number; readonly scope: MemoryScope };
  /** The number of writes so far. */
  count: number;
  /**
   * For each actor, the number of its last write. Only writes from which a chain of atomic operations leads to the last
   * write are included.
   */
  readonly writes: Map<number, number>;
}

/** For each chain, the number of the last write that was observed. */
export type Observations = Map<WriteChain, number>;

/** Whether the last write of an actor in a chain was observed. */
export function hasObserved(observed: Pick<Observations, 'get'>, chain: WriteChain, actor: number): boolean {
  const write = chain.writes.get(actor);
  return write !== undefined && (observed.get(chain) ?? 0) >= write;
}
