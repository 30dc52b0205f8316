/** Parts that several forms of tcgen05 share: operands, and lists of versions and targets. */
import type { Variant } from '../../form.ts';
import { type OperandPattern, read, type ValuePattern } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import { atListed, type Availability } from '../../targets.ts';
import type { TypeName } from '../../types.ts';

export const groups: readonly string[] = ['.cta_group::1', '.cta_group::2'];

const words: readonly TypeName[] = ['.b32', '.u32', '.s32', '.f16x2'];

/** An operand `[a]` of a product: a tensor memory address, held in a register that must have the type `.b32`. */
export const tensor = (name: string): OperandPattern => ({ kind: 'tensor', name, types: ['.b32'] });
/** An operand `[a]` of a load or store: a tensor memory address, held in a register of one of several 32-bit types. */
export const tensorOfWords = (name: string): OperandPattern => ({ kind: 'tensor', name, types: words });
/** An operand `[a]`: an address in tensor memory, given by a 32-bit integer register, a variable or a constant. */
export const anyTensor = (name: string): OperandPattern => ({ kind: 'tensor', name });

/** A register that contains the descriptor of a matrix in shared memory. */
export const descriptor = (name: string): ValuePattern => read(name, '.u64');

/** The versions and targets for features that the listed chips have, but that other members of their families lack. */
export const chips: readonly Availability[] = [
  atListed('8.6', 'sm_100a', 'sm_101a'),
  atListed('8.8', 'sm_103a'),
  atListed('9.0', 'sm_110a'),
  atListed('9.4', 'sm_107a'),
];

/**
 * The versions and targets for features that were introduced at the same time for individual chips (such as sm_100a)
 * and for their whole families (such as sm_100f).
 */
export const families: readonly Availability[] = [
  atListed('8.8', 'sm_100a', 'sm_100f', 'sm_101a', 'sm_101f', 'sm_103a', 'sm_103f'),
  atListed('9.0', 'sm_110a', 'sm_110f'),
  atListed('9.4', 'sm_107a', 'sm_107f'),
];

/** The number of blocks that carry out an instruction. */
export function blocksOf(variant: Variant): 1 | 2 {
  return has(variant, '.cta_group::2') ? 2 : 1;
}
