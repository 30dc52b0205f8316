/**
 * The arrival of copied bytes at an mbarrier object, for copies that the engines make themselves. All other changes are
 * steps of instructions; isa/forms/async/mbarrier-object.ts describes the fields.
 */

const [countBits, byteBits, phaseBits] = [20, 21, 3];
const [expectedAt, bytesAt, phaseAt] = [countBits, 2 * countBits, 2 * countBits + byteBits];

/** Returns the object after `bytes` bytes have arrived. Its phase is complete if nothing is pending anymore. */
export function receiveBytes(object: bigint, bytes: number): bigint {
  const field = (low: number, width: number): bigint => BigInt.asUintN(width, object >> BigInt(low));
  const expected = field(expectedAt, countBits);
  const left = BigInt.asUintN(byteBits, field(bytesAt, byteBits) - BigInt(bytes));
  const pending = field(0, countBits);
  const isComplete = pending === 0n && left === 0n;
  const phase = BigInt.asUintN(phaseBits, field(phaseAt, phaseBits) + (isComplete ? 1n : 0n));
  const arrivals = isComplete ? expected : pending;
  return arrivals | (expected << BigInt(expectedAt)) | (left << BigInt(bytesAt)) | (phase << BigInt(phaseAt));
}
