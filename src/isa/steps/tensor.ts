/** Steps that access the tensor memory of the thread's block. */
import type { AccessSpace } from '../spaces.ts';
import type { TensorCopy } from '../tensor-copy.ts';
import type { TensorProduct } from '../tensor-product.ts';
import { alone, type FactsOf } from './facts.ts';
import type { Ref } from './ref.ts';

export interface TensorSteps {
  /**
   * Multiplies matrices. `d` is an address in tensor memory, `b` is the descriptor of a matrix in shared memory, and
   * `a` is either an address or a descriptor. `instruction` is the instruction descriptor. If `adds` is true, the
   * product is added to the previous value of D. If `scale` is not null, the previous value is multiplied by 2^-`scale`
   * first. Bits of `unchanged` that are 1 mark lanes of D that are not written; `unchanged` is null if all lanes are
   * written.
   */
  readonly 'tensor-product': {
    readonly product: TensorProduct;
    readonly tensorSpace: AccessSpace;
    readonly space: AccessSpace;
    readonly d: Ref;
    readonly a: Ref;
    readonly b: Ref;
    readonly instruction: Ref;
    readonly adds: Ref;
    readonly scale: Ref | null;
    /** The addresses of the scale factors of A and B in tensor memory; null if the elements have no scale factors. */
    readonly scales: readonly Ref[] | null;
    /** The address of the metadata of a sparse A in tensor memory; null if A is not sparse. */
    readonly metadata: Ref | null;
    /** The zero-column mask descriptor; null if there is none. */
    readonly zeroColumns: Ref | null;
    readonly unchanged: readonly Ref[] | null;
  };
  /**
   * Copies a matrix from shared memory to the address `to` in tensor memory. `source` is the descriptor of the matrix.
   */
  readonly 'tensor-copy': {
    readonly copy: TensorCopy;
    readonly tensorSpace: AccessSpace;
    readonly space: AccessSpace;
    readonly to: Ref;
    readonly source: Ref;
  };
  /**
   * Loads 32-bit words. `address` is an offset in tensor memory, and `offsets` are the byte offsets of the words
   * relative to `address`. Other steps check that the access is valid.
   */
  readonly 'tensor-load': {
    readonly space: 'tensor';
    readonly address: Ref;
    readonly offsets: readonly number[];
    readonly to: readonly Ref[];
  };
  /** Stores 32-bit words. The fields have the same meaning as in `tensor-load`. */
  readonly 'tensor-store': {
    readonly space: 'tensor';
    readonly address: Ref;
    readonly offsets: readonly number[];
    readonly from: readonly Ref[];
  };
}

export const tensorFacts: FactsOf<TensorSteps> = {
  'tensor-product': {
    ...alone,
    flow: 'next',
    starts: 'tcgen05',
    values: {
      d: 'in',
      a: 'in',
      b: 'in',
      instruction: 'in',
      adds: 'in',
      scale: 'in',
      scales: 'in',
      metadata: 'in',
      zeroColumns: 'in',
      unchanged: 'in',
    },
    // The matrix A needs no entry of its own, because it is in one of the listed state spaces. Every step also reads
    // the word that records which columns are allocated.
    memory: [
      { access: 'read', space: 'space', address: 'b' },
      { access: 'read', space: 'tensorSpace', address: 'd' },
      { access: 'write', space: 'tensorSpace', address: 'd' },
    ],
  },
  'tensor-copy': {
    ...alone,
    flow: 'next',
    starts: 'tcgen05',
    values: { to: 'in', source: 'in' },
    memory: [
      { access: 'read', space: 'space', address: 'source' },
      { access: 'read', space: 'tensorSpace', address: 'to' },
      { access: 'write', space: 'tensorSpace', address: 'to' },
    ],
  },
  'tensor-load': {
    ...alone,
    flow: 'next',
    values: { address: 'in', to: 'out' },
    memory: [{ access: 'read', space: 'space', address: 'address' }],
    same: { among: 'grid', given: 'inputs' },
  },
  'tensor-store': {
    ...alone,
    flow: 'next',
    values: { address: 'in', from: 'in' },
    memory: [{ access: 'write', space: 'space', address: 'address' }],
  },
};
