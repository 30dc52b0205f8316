/** The operands of tcgen05.mma, in the form in which the engines pass them. */
import type { TensorProduct } from '../../isa/tensor-product.ts';

/** The operands of an instruction that multiplies matrices. */
export interface ProductCall {
  readonly product: TensorProduct;
  /** The address of D in tensor memory. */
  readonly d: bigint;
  /** The address of A in tensor memory, or a descriptor of A in shared memory. */
  readonly a: bigint;
  /** A descriptor of B in shared memory. */
  readonly b: bigint;
  readonly instruction: number;
  /** Whether the product is added to the previous value of D. */
  readonly adds: boolean;
  /** The previous value of D is multiplied by 2^-`scale`. */
  readonly scale: number;
  /** The addresses of the scale factors of A and B in tensor memory, if the elements have scale factors. */
  readonly scales: readonly bigint[];
  /** The address of the metadata in tensor memory; 0 if A is not sparse. */
  readonly metadata: bigint;
  /** The zero-column mask descriptor; 0 if there is none. */
  readonly zeroColumns: bigint;
  /** The lanes of D that remain unchanged: four words for each block, with one bit for each lane. */
  readonly unchanged: readonly number[];
}
