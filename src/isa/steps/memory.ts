/** Steps that access memory, or compute with the windows of the generic address space. */
import type { AccessSpace, WindowSpace } from '../spaces.ts';
import { alone, type FactsOf, pure } from './facts.ts';
import type { Ref } from './ref.ts';
import type { ValueStep } from './value.ts';

/** Fields of each kind. An access has one element of `width` bits for each name, first name lowest. */
export interface MemorySteps {
  readonly load: {
    readonly space: AccessSpace;
    readonly width: number;
    readonly to: readonly Ref[];
    readonly address: Ref;
    readonly readOnly: boolean;
    /** Others may write there at any time (volatile, relaxed, acquire), so a loop around it may be waiting for that. */
    readonly watched: boolean;
    /** The loaded values are unused, so the memory need not have been written. */
    readonly unused: boolean;
  };
  readonly store: {
    readonly space: AccessSpace;
    readonly width: number;
    readonly from: readonly Ref[];
    readonly address: Ref;
    /** Others may read it at any time (volatile, relaxed, release), and they also see everything written before. */
    readonly watched: boolean;
  };
  /**
   * Copies `size` bytes between memories; both addresses are multiples of it. Only the first `count` bytes are read, if
   * that is less; the others become zeros.
   */
  readonly transfer: {
    readonly space: AccessSpace;
    readonly address: Ref;
    readonly sourceSpace: AccessSpace;
    readonly source: Ref;
    readonly size: Ref;
    readonly count: Ref;
  };
  /** Reads elements to `old`, runs `steps` to compute `next`, and writes `next` back, atomically. */
  readonly atomic: {
    readonly space: AccessSpace;
    readonly width: number;
    readonly address: Ref;
    readonly old: readonly Ref[];
    readonly next: readonly Ref[];
    readonly steps: readonly ValueStep[];
  };
  /** cvta: `to-generic` adds the window's base, `from-generic` removes it. */
  readonly window: {
    readonly direction: 'to-generic' | 'from-generic';
    readonly space: WindowSpace;
    readonly width: 32 | 64;
    readonly to: Ref;
    readonly from: Ref;
  };
  readonly 'in-window': { readonly space: WindowSpace; readonly to: Ref; readonly from: Ref };
}

export const memoryFacts: FactsOf<MemorySteps> = {
  load: {
    ...alone,
    flow: 'next',
    values: { to: 'out', address: 'in' },
    memory: [{ access: 'read', space: 'space', address: 'address' }],
    looks: ({ watched }) => watched,
    // Otherwise, results are the same among the threads that share the memory of the space.
    same: ({ watched }) => ({ among: watched ? 'thread' : 'grid', given: 'inputs' }),
  },
  store: {
    ...alone,
    flow: 'next',
    values: { from: 'in', address: 'in' },
    memory: [{ access: 'write', space: 'space', address: 'address' }],
  },
  transfer: {
    ...alone,
    flow: 'next',
    values: { address: 'in', source: 'in', size: 'in', count: 'in' },
    memory: [
      { access: 'read', space: 'sourceSpace', address: 'source' },
      { access: 'write', space: 'space', address: 'address' },
    ],
  },
  atomic: {
    ...alone,
    flow: 'next',
    values: { address: 'in', old: 'out', next: 'in', steps: 'inner' },
    memory: [{ access: 'update', space: 'space', address: 'address' }],
    looks: true,
    // Each thread finds the value that the previous one left.
    same: { among: 'thread', given: 'inputs' },
  },
  window: pure({ to: 'out', from: 'in' }),
  'in-window': pure({ to: 'out', from: 'in' }),
};
