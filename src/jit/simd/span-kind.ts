/** Which code accesses of four threads get: what is expected of their addresses, from `program/strides.ts`. */
import type { SpanKind } from '../memory/checked-spans.ts';
import type { FourShape } from '../regions/kernel-shape.ts';

/** Addresses without a known pattern are expected to follow each other, as in most kernels. */
export function spanKindOf({ varying, strides }: FourShape, register: number, size: number): SpanKind {
  if (!varying.has(register)) return 'same';
  const stride = strides.get(register) ?? null;
  return stride === null || stride === size ? 'row' : 'scattered';
}
