/**
 * Short functions that create weak loads and stores, which assume that other threads do not access the location at the
 * same time. For a strong access, the caller replaces `order`.
 */
import type { AccessSpace } from '../spaces.ts';
import type { Ref } from '../steps/ref.ts';
import type { StepOf } from '../steps/step.ts';

/** Loads one element of `width` bits for each name in `to`. */
export function weakLoad(space: AccessSpace, width: number, to: readonly Ref[], address: Ref): StepOf<'load'> {
  return { kind: 'load', space, width, to, address, proxy: 'generic', order: null, unused: false };
}

/** Stores one element of `width` bits for each name in `from`. */
export function weakStore(space: AccessSpace, width: number, address: Ref, from: readonly Ref[]): StepOf<'store'> {
  return { kind: 'store', space, width, from, address, order: null, object: null };
}
