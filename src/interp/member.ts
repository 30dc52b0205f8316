/** The threads of a group, with the values that they send. */
import type { Bits } from '../base/bits.ts';
import type { UndefinedResults } from './thread.ts';

/** One thread of a group: its lane and the values that it sent. */
export interface Member {
  readonly lane: number;
  readonly values: readonly Bits[];
}

/** One thread of a group, with the undefined bits of each value that it sent. */
export interface UndefinedMember extends Member {
  readonly undefinedBits: UndefinedResults;
}
