/**
 * Decides which kind of code is generated for the accesses of four threads. The decision depends on the address pattern
 * that `program/strides.ts` predicts.
 */
import type { SpanKind } from '../memory/checked-spans.ts';
import type { FourShape } from '../regions/function-shape.ts';

/** Addresses with no known pattern are expected to be consecutive, as they are in most kernels. */
export function spanKindOf({ varying, strides }: FourShape, register: number, size: number): SpanKind {
  if (!varying.has(register)) return 'same';
  const stride = strides.get(register) ?? null;
  return stride === null || stride === size ? 'row' : 'scattered';
}
