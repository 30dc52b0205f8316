/** The fields in the 64 bits of an mbarrier object (PTX ISA 9.1, section 9.7.13.15). */

export interface BitField {
  readonly low: number;
  readonly width: number;
}

/**
 * The ISA does not specify the meaning of the bits. All fields except the layout were measured on an H200. Numbers are
 * stored negated, in two's complement, so that arrivals add to them. A phase is complete when no arrivals and no bytes
 * are pending. The bits between the fields are 0. The state that an arrival returns is a copy of the whole object as it
 * was before the arrival.
 */
export const mbarrierFields: Readonly<Record<'layout' | 'pending' | 'expected' | 'bytes' | 'phase', BitField>> = {
  /**
   * The value is 1 for `.layout::v1`, otherwise 0. This bit was found in code that ptxas 13.3 generates for sm_90 and
   * sm_100.
   */
  layout: { low: 0, width: 1 },
  /** The number of arrivals that each later phase expects, negated. */
  expected: { low: 1, width: 20 },
  /** The tx-count: the number of bytes that are still expected in the current phase, negated. */
  bytes: { low: 21, width: 21 },
  /** The number of arrivals that are still pending in the current phase, negated. */
  pending: { low: 43, width: 20 },
  /** The number of the current phase modulo 2. */
  phase: { low: 63, width: 1 },
};
