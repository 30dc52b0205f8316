/** Data races, as launches report them. */
import type { SourcePlace } from '../../base/source-place.ts';
import type { Dim3 } from '../extents.ts';

/**
 * Two accesses to the same memory by different threads that are not ordered, of which at least one writes and at least
 * one is weak, or strong only for a scope that leaves the other thread out (PTX ISA 9.1, section 8). What the program
 * computes then depends on chance.
 */
export interface Race {
  readonly code: 'PTX6038';
  readonly message: string;
  readonly missing: Missing;
  readonly space: RaceSpace;
  /**
   * The address of the second access in the state space, in hexadecimal with the prefix `0x`. In tensor memory, it
   * consists of a lane and a column, as in the ISA.
   */
  readonly address: string;
  /** What contains the address, such as `variable tile` or `buffer 3`; null if that is not known. */
  readonly name: string | null;
  /** The access that happened first in this run. */
  readonly first: RaceAccess;
  readonly second: RaceAccess;
  /** How often accesses at these two lines raced. The other fields describe the first time. */
  readonly count: number;
}

/** The memories in which races are searched for. */
export type RaceSpace = 'global' | 'shared' | 'tensor';

/**
 * What would prevent a race: that something orders the accesses or, if they are ordered, a proxy fence that makes a
 * store visible to the async proxy.
 */
export type Missing = 'synchronization' | 'fence.proxy.async';

export interface RaceAccess {
  readonly access: 'load' | 'store' | 'atomic';
  /** Whether an operation that the thread had started made the access, and not the thread itself. */
  readonly isAsynchronous: boolean;
  /** 1-based PTX source line. */
  readonly line: number;
  /** Position in the original source; null if the PTX has no `.loc` for the line. */
  readonly source: SourcePlace | null;
  readonly block: Dim3;
  readonly thread: Dim3;
}

/**
 * Which races to report: `report` leaves out races of two stores of the same value, which many kernels use on purpose;
 * `strict` reports them, too.
 */
export type RaceMode = 'report' | 'strict';

/** Races between more pairs of lines are not reported. */
export const mostRaces = 100;
