/** What ptxlab stores in the 64 bits of an mbarrier object (PTX ISA 9.1, section 9.7.13.15). */

export interface BitField {
  readonly low: number;
  readonly width: number;
}

/**
 * The ISA does not specify the meaning of the bits. A phase is complete when no arrivals and no bytes are pending. The
 * state that an arrival returns is a copy of the whole object as it was before the arrival.
 */
export const mbarrierFields: Readonly<Record<'pending' | 'expected' | 'bytes' | 'phase', BitField>> = {
  /** Arrivals that are still pending in the current phase. */
  pending: { low: 0, width: 20 },
  /** Arrivals that each later phase expects. */
  expected: { low: 20, width: 20 },
  /** tx-count: bytes that are still expected in the current phase, in two's complement. */
  bytes: { low: 40, width: 21 },
  /** The number of the current phase modulo 8. */
  phase: { low: 61, width: 3 },
};
