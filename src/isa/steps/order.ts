/** How accesses and fences order memory for other threads (section 8 of PTX ISA 9.1). */
import type { BitField } from '../mbarrier-fields.ts';

/** The threads for which an operation is ordered: those of the block, of the cluster, of the GPU, or of the system. */
export type MemoryScope = 'cta' | 'cluster' | 'gpu' | 'sys';

/**
 * Operations that a thread starts and that complete later: copies of cp.async, bulk copies, products of wgmma, and
 * products and copies of tcgen05. The thread waits for groups of them, or lets an mbarrier object wait for them.
 */
export type AsyncKind = 'copy' | 'bulk' | 'wgmma' | 'tcgen05';

/** The order of a strong access. Weak accesses have none. */
export interface MemoryOrder {
  readonly semantics: 'relaxed' | 'acquire' | 'release' | 'acq_rel';
  readonly scope: MemoryScope;
  /** The operations of the thread that are complete for everyone who sees the access. Absent if it completes none. */
  readonly completes?: AsyncKind;
  /**
   * The bits of the value that number its phases. What an access releases can then be acquired only when its phase is
   * over. Absent for values without phases.
   */
  readonly phases?: BitField;
}

/** Whether an access orders earlier accesses of its thread before later ones of the threads that read its value. */
export function releases({ semantics }: MemoryOrder): boolean {
  return semantics === 'release' || semantics === 'acq_rel';
}

/** Whether an access orders later accesses of its thread after those that the thread whose value it reads released. */
export function acquires({ semantics }: MemoryOrder): boolean {
  return semantics === 'acquire' || semantics === 'acq_rel';
}

/** The order of atomic operations that name none. */
export const relaxedOnGpu: MemoryOrder = { semantics: 'relaxed', scope: 'gpu' };

/** The order of multimem instructions that name none. */
export const relaxedInSystem: MemoryOrder = { semantics: 'relaxed', scope: 'sys' };

export const releasedToCluster: MemoryOrder = { semantics: 'release', scope: 'cluster' };

/** The order of arrivals at the end of operations. */
export const completed: Readonly<Record<'copy' | 'bulk' | 'tcgen05', MemoryOrder>> = {
  copy: { ...releasedToCluster, completes: 'copy' },
  bulk: { ...releasedToCluster, completes: 'bulk' },
  tcgen05: { ...releasedToCluster, completes: 'tcgen05' },
};
