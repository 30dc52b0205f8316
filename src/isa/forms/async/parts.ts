/** Parts that several forms of asynchronous copies share: words of syntax lines, operands and steps. */
import type { Variant } from '../../form.ts';
import { type OperandPattern, read, type ValuePattern } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import type { AccessSpace } from '../../spaces.ts';
import { type BoxReduction, reductions } from '../../steps/memory.ts';
import { completed } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, type Availability } from '../../targets.ts';
import { changeObject, unchanged } from './mbarrier-object.ts';

/** The version and target that introduced bulk copies. */
export const ofBulkCopies: Availability = at('8.0', 90);

/** The version and target that introduced bulk copies to multimem addresses. */
export const ofMultimemCopies: Availability = at('9.1', 90);

/** The scopes of relaxed accesses to shared memory. */
export const nearScopes = ['.cta', '.cluster'] as const;

/** The modifier of instructions that report to an mbarrier object how many bytes have arrived. */
export const mechanism = '.mbarrier::complete_tx::bytes';

export const inShared = (name: string, access: 'load' | 'store'): OperandPattern => ({
  kind: 'address',
  name,
  access,
  space: '.shared',
});
export const inGlobal = (name: string, access: 'load' | 'store'): OperandPattern => ({
  kind: 'address',
  name,
  access,
  space: '.global',
});

/** The number of bytes of a bulk copy. */
export const size: ValuePattern = read('size', '.u32', { unpacked: true, multiple: 16, range: [0, 0xffff_ffff] });
export const object: OperandPattern = inShared('mbar', 'store');
/** An operand with one bit for each block of the cluster; the blocks whose bits are set receive a copy. */
export const mask: ValuePattern = read('cta-mask', '.u16');
export const policy: ValuePattern = read('cache-policy', '.u64');

/**
 * The fields of an ordinary bulk copy. Such a copy transfers all bytes, and programs have to wait for its completion.
 */
export const wholeCopy = { kind: 'bulk', mask: null, left: null, right: null, awaited: true } as const;

/** Returns the operation of a reduction. */
export function reductionOf(variant: Variant): BoxReduction {
  const found = reductions.find((operation) => has(variant, `.${operation}`));
  if (found === undefined) throw new Error(`${variant.mnemonic} has no operation`);
  return found;
}

/** Reports to an mbarrier object how many bytes have arrived. */
export function reportBytes(bytes: Ref, to: Ref = '$mbar', space: AccessSpace = 'shared'): Step {
  return changeObject(space, to, { ...unchanged, transferred: bytes }, completed.bulk);
}

/**
 * Copies between two state spaces. If the destination is shared memory, the number of bytes that have arrived is
 * reported to the mbarrier object. If `awaited` is set, the copy completes later.
 */
export function copy(sourceSpace: 'global' | 'shared', space: 'global' | 'shared', awaited = true): readonly Step[] {
  const ends = { space, address: '$dst', sourceSpace, source: '$src', size: '$size' } as const;
  if (space === 'global') return [{ ...wholeCopy, ...ends, awaited, object: null }];
  return [{ ...wholeCopy, ...ends, awaited, object: '$mbar' }, reportBytes('$size')];
}
