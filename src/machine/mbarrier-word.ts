/**
 * The arrival of copied bytes at an mbarrier object, for copies that the engines perform themselves. All other changes
 * to mbarrier objects are steps of instructions (isa/forms/async/mbarrier-object.ts).
 */
import { type BitField, mbarrierFields } from '../isa/mbarrier-fields.ts';

/**
 * Returns the object after `bytes` bytes have arrived. The phase is complete once neither arrivals nor bytes are
 * pending.
 */
export function receiveBytes(object: bigint, bytes: number): bigint {
  const fields = mbarrierFields;
  const left = truncated(read(object, fields.bytes) + BigInt(bytes), fields.bytes);
  const pending = read(object, fields.pending);
  const received = write(object, fields.bytes, left);
  if (pending !== 0n || left !== 0n) return received;
  const next = write(received, fields.phase, truncated(read(object, fields.phase) + 1n, fields.phase));
  return write(next, fields.pending, read(object, fields.expected));
}

function truncated(value: bigint, { width }: BitField): bigint {
  return BigInt.asUintN(width, value);
}

function read(object: bigint, field: BitField): bigint {
  return truncated(object >> BigInt(field.low), field);
}

function write(object: bigint, field: BitField, value: bigint): bigint {
  return object + ((value - read(object, field)) << BigInt(field.low));
}
