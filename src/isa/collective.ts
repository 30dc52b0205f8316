/**
 * Operations that threads execute together: each thread contributes values and receives a result computed from the
 * values of all threads.
 */

import type { Fragment } from './fragments.ts';
import { sentBy, type MatrixProduct, widthsOf } from './matrix-product.ts';

/** The groups of threads that can execute an operation together. */
export type GroupScope = 'warp' | 'warpgroup' | 'block' | 'cluster';

/**
 * `shfl` takes a value, a lane operand and bounds; it returns the value of another lane and whether that lane was in
 * bounds. `vote` takes a predicate; it returns a predicate, or the mask of lanes where it is true. `match` takes a
 * value; it returns the mask of lanes with the same value and, for `all`, whether all lanes agree. `redux` takes a
 * value and returns the reduction over all lanes. `elect` returns the lane of the elected leader, and whether the
 * receiving thread is the leader. `active` returns the mask of lanes that arrived. `sync` returns no value; it
 * completes once all threads have arrived. `transpose` works on an 8 by 8 matrix of 16-bit elements: it takes two
 * adjacent elements of a row, and returns two elements of the transposed matrix. `mma` takes fragments of matrices and
 * returns fragments of their product. `addresses` takes an address, a stride and some words. Its results are the
 * addresses of the elements that the lane accesses, constants that depend on the lane, and the words, unchanged.
 */
export type Collective =
  | { readonly form: 'shfl'; readonly mode: 'up' | 'down' | 'bfly' | 'idx' }
  | { readonly form: 'vote'; readonly mode: 'all' | 'any' | 'uni' | 'ballot' }
  | { readonly form: 'match'; readonly mode: 'any' | 'all'; readonly width: 32 | 64 }
  | { readonly form: 'redux'; readonly op: 'add' | 'min' | 'max'; readonly type: 'u32' | 's32' }
  | { readonly form: 'redux'; readonly op: 'and' | 'or' | 'xor'; readonly type: 'b32' }
  | { readonly form: 'elect' }
  | { readonly form: 'active' }
  | { readonly form: 'sync' }
  | { readonly form: 'transpose' }
  /** Different products have different values of `name`. */
  | { readonly form: 'mma'; readonly name: string; readonly product: MatrixProduct }
  | { readonly form: 'addresses'; readonly name: string; readonly plan: AddressPlan };

/**
 * Describes how the lanes of a warp load or store a matrix: which addresses each lane accesses, and how they are
 * computed.
 */
export interface AddressPlan {
  /** Describes which elements of the matrix each lane holds. */
  readonly fragment: Fragment;
  /**
   * One entry for each access of a lane. The address of an access is the sum of three parts: the address that lane
   * `sources[i]` provides, `strides[i]` times the stride, and `bytes[i]` bytes, where `i` is the number of the
   * accessing lane.
   */
  readonly accesses: readonly {
    readonly sources: readonly number[];
    readonly strides: readonly number[];
    readonly bytes: readonly number[];
  }[];
  /** The size in bits of one unit of the stride operand. */
  readonly strideBits: number;
  /** Constants, one for each lane. */
  readonly constants: readonly (readonly number[])[];
  /** The widths of the words that are passed through the operation unchanged. */
  readonly words: readonly (32 | 64)[];
}

/**
 * Describes which threads take part in an operation, and the widths in bits of the values that each of them contributes
 * and receives.
 */
export interface Exchanged {
  readonly scope: GroupScope;
  readonly sends: readonly number[];
  readonly receives: readonly number[];
}

/**
 * True if an operation has no mask and its results show which threads take part. In that case, only threads that
 * arrived through the same function calls take part together. Any other operation without a mask requires all threads
 * of the warp.
 */
export function separatesCalls({ fn: { form }, mask }: { readonly fn: Collective; readonly mask: unknown }): boolean {
  return mask === null && (form === 'active' || form === 'vote' || form === 'shfl');
}

export function exchangedBy(collective: Collective): Exchanged {
  const scope = 'warp';
  switch (collective.form) {
    case 'shfl':
      return { scope, sends: [32, 32, 32], receives: [32, 1] };
    case 'vote':
      return { scope, sends: [1], receives: [collective.mode === 'ballot' ? 32 : 1] };
    case 'match':
      return { scope, sends: [collective.width], receives: collective.mode === 'all' ? [32, 1] : [32] };
    case 'redux':
      return { scope, sends: [32], receives: [32] };
    case 'elect':
      return { scope, sends: [], receives: [32, 1] };
    case 'active':
      return { scope, sends: [], receives: [32] };
    case 'sync':
      return { scope, sends: [], receives: [] };
    case 'transpose':
      return { scope, sends: [32], receives: [32] };
    case 'mma':
      return { scope, sends: sentBy(collective.product), receives: widthsOf(collective.product.d.fragment) };
    case 'addresses': {
      const { accesses, constants, words } = collective.plan;
      return {
        scope,
        sends: [64, 32, ...words],
        receives: [...accesses.map(() => 64), ...constants.map(() => 32), ...words],
      };
    }
  }
}

/** Threads that execute the same operation have the same key, for example `shfl.up` or `match.any.b64`. */
export function keyOf(collective: Collective): string {
  switch (collective.form) {
    case 'shfl':
    case 'vote':
      return `${collective.form}.${collective.mode}`;
    case 'match':
      return `match.${collective.mode}.b${collective.width}`;
    case 'redux':
      return `redux.${collective.op}.${collective.type}`;
    case 'mma':
    case 'addresses':
      return collective.name;
    default:
      return collective.form;
  }
}
