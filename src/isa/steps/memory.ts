/** Steps that access memory, and steps that convert or test addresses in the generic address space. */
import type { AccessSpace, WindowSpace } from '../spaces.ts';
import { alone, type FactsOf, pure } from './facts.ts';
import type { AsyncKind, MemoryOrder } from './order.ts';
import type { Ref } from './ref.ts';
import type { ValueStep } from './value.ts';

/** The maximum number of dimensions of a tensor. */
export const mostDimensions = 5;

/** The maximum number of im2col offsets: one for each dimension except the channels and the images. */
export const mostOffsets = 3;

/**
 * A box of a tensor and its place in shared memory. `tensor` is the address of the tensor in global memory, and `map`
 * contains the other words of its tensor map (machine/tensor-maps/tensor-map.ts). `coordinates` specify where the box
 * starts, innermost dimension first, and `address` is the address of the box in shared memory. In the mode `rows`, a
 * box consists of four rows of a matrix; the coordinates are the number of the first column and the numbers of the
 * rows. In the mode `im2col`, a box consists of pixels.
 */
type Box = {
  readonly mode: BoxMode;
  readonly space: AccessSpace;
  readonly address: Ref;
  readonly tensorSpace: AccessSpace;
  readonly tensor: Ref;
  readonly map: readonly Ref[];
  readonly coordinates: readonly Ref[];
};

export type BoxMode = 'tile' | 'rows' | 'im2col';

/** The operations of bulk reductions, with and without tensors. */
export const reductions = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor'] as const;

/** The operation that a reduction applies to elements of a tensor. The types of the elements are in the tensor map. */
export type BoxReduction = (typeof reductions)[number];

/** The kinds of steps that copy or reduce boxes. */
export type BoxKind = 'load-box' | 'store-box' | 'multicast-box' | 'reduce-box';

const boxValues = { address: 'in', tensor: 'in', map: 'in', coordinates: 'in' } as const;

/**
 * Fields of each kind. An access transfers one element of `width` bits for each name in its list (`to`, `from` or
 * `old`). The first name stands for the element at the lowest address.
 */
export interface MemorySteps {
  readonly load: {
    readonly space: AccessSpace;
    readonly width: number;
    readonly to: readonly Ref[];
    readonly address: Ref;
    /** The proxy through which the load reaches memory (section 8.6 of PTX ISA 9.1). */
    readonly proxy: 'generic' | 'async';
    /**
     * Null if the load is weak. Otherwise, other threads may write to the location at any time, so a loop that contains
     * the load may be waiting for such a write.
     */
    readonly order: MemoryOrder | null;
    /** True if the loaded values are not used, in which case the memory need not have been written before. */
    readonly unused: boolean;
  };
  readonly store: {
    readonly space: AccessSpace;
    readonly width: number;
    readonly from: readonly Ref[];
    readonly address: Ref;
    /**
     * Null if the store is weak. Otherwise, other threads may read the location at any time, and when they see this
     * store, they also see everything that was written before it.
     */
    readonly order: MemoryOrder | null;
    /**
     * For a store that completes later, the mbarrier object that tracks its completion; another step changes the
     * object. The object is in the same state space as `address`. Null for other stores.
     */
    readonly object: Ref | null;
  };
  /**
   * Copies `size` bytes from `source` to `address`, which must both be multiples of `size`. If `count` is less than
   * `size`, only the first `count` bytes are read, and the remaining bytes become zeros.
   */
  readonly transfer: {
    readonly space: AccessSpace;
    readonly address: Ref;
    readonly sourceSpace: AccessSpace;
    readonly source: Ref;
    readonly size: Ref;
    readonly count: Ref;
  };
  /**
   * Copies `size` bytes from `source` to `address` in pieces of 16 bytes. Both addresses are multiples of 16. A size
   * that is not a multiple of 16 is rounded down. If there is a `mask`, byte i of each piece is copied only if bit i of
   * the mask is set.
   */
  readonly bulk: {
    readonly space: AccessSpace;
    readonly address: Ref;
    readonly sourceSpace: AccessSpace;
    readonly source: Ref;
    readonly size: Ref;
    readonly mask: Ref | null;
    /** The numbers of bytes at the beginning and at the end that are not copied; null if all bytes are copied. */
    readonly left: Ref | null;
    readonly right: Ref | null;
    /** Whether the copy completes later, so that programs have to wait for it. */
    readonly awaited: boolean;
    /**
     * The mbarrier object that tracks the completion of the copy; another step changes the object. Null if there is no
     * such object.
     */
    readonly object: Ref | null;
  };
  /** Stores zeros in `size` bytes. The address and the size are multiples of 8. */
  readonly clear: {
    readonly space: AccessSpace;
    readonly address: Ref;
    readonly size: Ref;
  };
  /**
   * Combines `size` bytes from `source` with the elements at `address`, one after the other. For each element, `from`
   * and `to` are set to its two addresses, and `value` to the element at `from`; the element at `to` is then updated as
   * in an atomic step. Both addresses are multiples of 16. A size that is not a multiple of 16 is rounded down.
   */
  readonly 'bulk-atomic': {
    readonly space: AccessSpace;
    readonly address: Ref;
    readonly sourceSpace: AccessSpace;
    readonly source: Ref;
    readonly size: Ref;
    readonly width: number;
    readonly from: Ref;
    readonly to: Ref;
    readonly value: Ref;
    readonly old: Ref;
    readonly next: Ref;
    readonly steps: readonly ValueStep[];
    readonly order: MemoryOrder;
  };
  /**
   * Copies a box of a tensor to shared memory. The mbarrier object `object` tracks the completion of the copy. In the
   * mode `im2col`, all pixels are moved by `offsets`; the other modes have no offsets.
   */
  readonly 'load-box': Box & { readonly offsets: readonly Ref[]; readonly object: Ref };
  /** Copies a box from shared memory to a tensor. Elements outside the tensor are not copied. */
  readonly 'store-box': Box;
  /** Combines the elements of a box in shared memory with those of a tensor, each of them atomically. */
  readonly 'reduce-box': Box & { readonly op: BoxReduction };
  /**
   * Copies a box of a tensor to the shared memory of those blocks of the cluster whose bits are set in `mask`. In each
   * block, the mbarrier object with the same offset as `object` tracks the completion of the copy.
   */
  readonly 'multicast-box': Box & { readonly offsets: readonly Ref[]; readonly mask: Ref; readonly object: Ref };
  /** Atomically reads elements into `old`, runs `steps` to compute `next`, and writes `next` back. */
  readonly atomic: {
    readonly space: AccessSpace;
    readonly width: number;
    readonly address: Ref;
    readonly old: readonly Ref[];
    readonly next: readonly Ref[];
    readonly steps: readonly ValueStep[];
    readonly order: MemoryOrder;
  };
  /** Puts the operations that the thread has started into a group. */
  readonly 'commit-group': { readonly of: AsyncKind };
  /**
   * Waits until at most `pending` groups are in progress; null waits for all operations. With `onlyReads`, the thread
   * waits only until bulk copies have read their sources.
   */
  readonly 'wait-group': { readonly of: AsyncKind; readonly pending: Ref | null; readonly onlyReads: boolean };
  /** Orders the accesses of the thread as observed by the threads of a scope or, if `order` is null, by bulk copies. */
  readonly fence: { readonly order: MemoryOrder | null };
  /** cvta: `to-generic` adds the base address of the window, and `from-generic` subtracts it. */
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
    looks: ({ order }) => order !== null,
    starts: ({ proxy }) => (proxy === 'async' ? 'wgmma' : null),
    // Threads that load from the same location get the same value, unless other threads may write to it at any time.
    same: ({ order }) => ({ among: order === null ? 'grid' : 'thread', given: 'inputs' }),
  },
  store: {
    ...alone,
    starts: ({ object }) => (object === null ? null : 'bulk'),
    flow: 'next',
    values: { from: 'in', address: 'in', object: 'in' },
    memory: [{ access: 'write', space: 'space', address: 'address' }],
  },
  transfer: {
    ...alone,
    starts: 'copy',
    flow: 'next',
    values: { address: 'in', source: 'in', size: 'in', count: 'in' },
    memory: [
      { access: 'read', space: 'sourceSpace', address: 'source' },
      { access: 'write', space: 'space', address: 'address' },
    ],
  },
  clear: {
    ...alone,
    flow: 'next',
    values: { address: 'in', size: 'in' },
    memory: [{ access: 'write', space: 'space', address: 'address' }],
  },
  bulk: {
    ...alone,
    starts: ({ awaited }) => (awaited ? 'bulk' : null),
    flow: 'next',
    values: { address: 'in', source: 'in', size: 'in', mask: 'in', left: 'in', right: 'in', object: 'in' },
    memory: [
      { access: 'read', space: 'sourceSpace', address: 'source' },
      { access: 'write', space: 'space', address: 'address' },
    ],
  },
  'bulk-atomic': {
    ...alone,
    starts: 'bulk',
    flow: 'next',
    values: {
      address: 'in',
      source: 'in',
      size: 'in',
      from: 'out',
      to: 'out',
      value: 'out',
      old: 'out',
      next: 'in',
      steps: 'inner',
    },
    memory: [
      { access: 'read', space: 'sourceSpace', address: 'source' },
      { access: 'update', space: 'space', address: 'address' },
    ],
    same: { among: 'thread', given: 'inputs' },
  },
  'load-box': {
    ...alone,
    starts: 'bulk',
    flow: 'next',
    values: { ...boxValues, offsets: 'in', object: 'in' },
    memory: [
      { access: 'read', space: 'tensorSpace', address: 'tensor' },
      { access: 'write', space: 'space', address: 'address' },
      { access: 'update', space: 'space', address: 'object' },
    ],
  },
  'store-box': {
    ...alone,
    starts: 'bulk',
    flow: 'next',
    values: boxValues,
    memory: [
      { access: 'read', space: 'space', address: 'address' },
      { access: 'write', space: 'tensorSpace', address: 'tensor' },
    ],
  },
  'reduce-box': {
    ...alone,
    starts: 'bulk',
    flow: 'next',
    values: boxValues,
    memory: [
      { access: 'read', space: 'space', address: 'address' },
      { access: 'update', space: 'tensorSpace', address: 'tensor' },
    ],
  },
  'multicast-box': {
    ...alone,
    starts: 'bulk',
    flow: 'next',
    values: { ...boxValues, offsets: 'in', mask: 'in', object: 'in' },
    memory: [
      { access: 'read', space: 'tensorSpace', address: 'tensor' },
      { access: 'write', space: 'space', address: 'address' },
      { access: 'update', space: 'space', address: 'object' },
    ],
  },
  atomic: {
    ...alone,
    flow: 'next',
    values: { address: 'in', old: 'out', next: 'in', steps: 'inner' },
    memory: [{ access: 'update', space: 'space', address: 'address' }],
    looks: true,
    // Threads execute the operation one after the other, so each thread reads the value that the previous one wrote.
    same: { among: 'thread', given: 'inputs' },
  },
  'commit-group': { ...alone, values: {}, flow: 'next', looks: true },
  'wait-group': { ...alone, values: { pending: 'in' }, flow: 'next', looks: true },
  fence: { ...alone, values: {}, flow: 'next', looks: true },
  window: pure({ to: 'out', from: 'in' }),
  'in-window': pure({ to: 'out', from: 'in' }),
};
