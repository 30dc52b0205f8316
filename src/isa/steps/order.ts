/** Describes how memory accesses and fences are ordered with respect to other threads (section 8 of PTX ISA 9.1). */
import type { BitField } from '../mbarrier-fields.ts';

/** The threads that observe the order of an operation: the threads of the block, the cluster, the GPU or the system. */
export type MemoryScope = 'cta' | 'cluster' | 'gpu' | 'sys';

/**
 * Asynchronous operations, which a thread starts and which complete later: cp.async copies, bulk copies, wgmma
 * products, and tcgen05 products and copies. The thread waits for groups of these operations, or uses an mbarrier
 * object to track their completion.
 */
export type AsyncKind = 'copy' | 'bulk' | 'wgmma' | 'tcgen05';

/** The memory order of a strong access. Weak accesses have no memory order. */
export interface MemoryOrder {
  readonly semantics: 'relaxed' | 'acquire' | 'release' | 'acq_rel';
  readonly scope: MemoryScope;
  /** The kind of asynchronous operations whose completion the access signals; absent if it signals none. */
  readonly completes?: AsyncKind;
  /**
   * The bits of the accessed value that contain the number of the current phase. What an access releases during a phase
   * can be acquired only when that phase is over. Absent for values without phases.
   */
  readonly phases?: BitField;
}

/** Whether an access has release semantics. */
export function releases({ semantics }: MemoryOrder): boolean {
  return semantics === 'release' || semantics === 'acq_rel';
}

/** Whether an access has acquire semantics. */
export function acquires({ semantics }: MemoryOrder): boolean {
  return semantics === 'acquire' || semantics === 'acq_rel';
}

/** The memory order of atomic operations that do not specify one. */
export const relaxedOnGpu: MemoryOrder = { semantics: 'relaxed', scope: 'gpu' };

/** The memory order of multimem instructions that do not specify one. */
export const relaxedInSystem: MemoryOrder = { semantics: 'relaxed', scope: 'sys' };

export const releasedToCluster: MemoryOrder = { semantics: 'release', scope: 'cluster' };

/** The memory order of the updates of mbarrier objects when asynchronous operations complete. */
export const completed: Readonly<Record<'copy' | 'bulk' | 'tcgen05', MemoryOrder>> = {
  copy: { ...releasedToCluster, completes: 'copy' },
  bulk: { ...releasedToCluster, completes: 'bulk' },
  tcgen05: { ...releasedToCluster, completes: 'tcgen05' },
};
