/** Steps that reach memory, or compute with the windows of the generic address space. */
import type { AccessSpace, WindowSpace } from '../spaces.ts';
import { alone, type FactsOf, pure } from './facts.ts';
import type { Ref } from './ref.ts';
import type { ValueStep } from './value.ts';

/** Fields of each kind. Accesses are of as many elements of `width` bits as there are names, the first name lowest. */
export interface MemorySteps {
  readonly load: {
    readonly space: AccessSpace;
    readonly width: number;
    readonly to: readonly Ref[];
    readonly address: Ref;
    readonly readOnly: boolean;
    /** Others may write there at any time (volatile, relaxed, acquire): a loop around it may be waiting for that. */
    readonly watched: boolean;
    /** Nothing that is loaded is used, so nobody need have written it. */
    readonly unused: boolean;
  };
  readonly store: {
    readonly space: AccessSpace;
    readonly width: number;
    readonly from: readonly Ref[];
    readonly address: Ref;
    /** Others may be looking at any time (volatile, relaxed, release): what was written before, they see too. */
    readonly watched: boolean;
  };
  /**
   * Copies `size` bytes between memories, both addresses being multiples of it. Only the first `count` are read, where
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
  /** Elements are read to `old`, `steps` make `next` of them, `next` is written back, and nobody comes between. */
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
    // Beyond that, results are the same as far as the space is one memory.
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
    // Each thread finds what the one before it left.
    same: { among: 'thread', given: 'inputs' },
  },
  window: pure({ to: 'out', from: 'in' }),
  'in-window': pure({ to: 'out', from: 'in' }),
};
