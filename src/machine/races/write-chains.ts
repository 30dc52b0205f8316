/** Chains of strong writes to the same word in memory. */
import type { MemoryOrder } from '../../isa/steps/order.ts';
import type { Actors } from './actors.ts';
import { type Clock, narrower } from './clock.ts';
import type { WriteChain } from './observations.ts';

const wordBytes = 4;

/**
 * Records the write chains for all words of global memory, or of a block's shared or tensor memory. Accesses to parts
 * of words are not included.
 */
export class WriteChains {
  private readonly chains = new Map<number, WriteChain>();
  private readonly actors: Actors;
  private readonly isGlobal: boolean;

  constructor(actors: Actors, isGlobal: boolean) {
    this.actors = actors;
    this.isGlobal = isGlobal;
  }

  /** The chain of the word that contains the byte at this offset. */
  at(offset: number): WriteChain | undefined {
    return this.chains.get(offset - (offset % wordBytes));
  }

  /** Records that a strong read by a thread observes earlier writes. */
  observe({ block, observed }: Clock, order: MemoryOrder, offset: number, size: number): void {
    for (let at = offset; at + wordBytes <= offset + size; at += wordBytes) {
      const chain = this.chains.get(at);
      if (chain !== undefined && this.isStrongFor(chain, block, order)) observed.set(chain, chain.count);
    }
  }

  /** Records a strong write. Only a write by an atomic operation continues a chain. */
  write(
    write: { readonly actor: number; readonly isAtomic: boolean },
    { block }: Clock,
    order: MemoryOrder,
    offset: number,
    size: number,
  ): void {
    const last = { block, scope: order.scope };
    for (let at = offset; at + wordBytes <= offset + size; at += wordBytes) {
      const known = this.chains.get(at);
      const chain = known ?? { isGlobal: this.isGlobal, last, count: 0, writes: new Map<number, number>() };
      if (known === undefined) this.chains.set(at, chain);
      else if (!write.isAtomic || !this.isStrongFor(chain, block, order)) chain.writes.clear();
      chain.last = last;
      chain.writes.set(write.actor, ++chain.count);
    }
  }

  /** Records a weak write, which ends a chain because no strong read observes it. */
  end(offset: number, size: number): void {
    if (this.chains.size === 0) return;
    for (let at = offset - (offset % wordBytes); at < offset + size; at += wordBytes) this.chains.delete(at);
  }

  /** Whether the last write of a chain and an access by a block are morally strong. */
  private isStrongFor({ last }: WriteChain, block: number, { scope }: MemoryOrder): boolean {
    return this.actors.includes(narrower(last.scope, scope), block, last.block);
  }
}
