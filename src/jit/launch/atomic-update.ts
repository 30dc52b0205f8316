/** Changes elements of memory atomically, because other workers may change them at the same time. */
import type { Bits } from '../../base/bits.ts';

/** Changes an element of 1 to 8 bytes, which must be aligned. */
export function updateAtomically({ buffer, byteOffset, byteLength }: Uint8Array, change: (old: Bits) => Bits): void {
  if (byteLength === 8) {
    const word = new BigInt64Array(buffer, byteOffset, 1);
    for (;;) {
      const seen = Atomics.load(word, 0);
      const next = BigInt.asIntN(64, BigInt(change(BigInt.asUintN(64, seen))));
      if (Atomics.compareExchange(word, 0, seen, next) === seen) return;
    }
  }
  const elements =
    byteLength === 4
      ? new Uint32Array(buffer, byteOffset, 1)
      : byteLength === 2
        ? new Uint16Array(buffer, byteOffset, 1)
        : new Uint8Array(buffer, byteOffset, 1);
  for (;;) {
    const seen = Atomics.load(elements, 0);
    if (Atomics.compareExchange(elements, 0, seen, Number(change(seen))) === seen) return;
  }
}
