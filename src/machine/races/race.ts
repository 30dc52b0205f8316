/** Data races, in the form in which launches report them. */
import type { SourcePlace } from '../../base/source-place.ts';
import type { Dim3 } from '../extents.ts';

/**
 * Two unordered accesses to the same memory by different threads. At least one of them is a write, and at least one of
 * them is weak, or strong only in a scope that does not include the other thread (PTX ISA 9.1, section 8). The results
 * of the program then depend on chance.
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
  /** The name of the memory at the address, such as `variable tile` or `buffer 3`; null if it is unknown. */
  readonly name: string | null;
  /** The access that happened first in this run. */
  readonly first: RaceAccess;
  readonly second: RaceAccess;
  /** The number of races between accesses at the same two lines. The other fields describe the first of these races. */
  readonly count: number;
}

/** The kinds of memory that are checked for races. */
export type RaceSpace = 'global' | 'shared' | 'tensor';

/**
 * What would prevent a race: synchronization that orders the accesses or, if they are already ordered, a proxy fence
 * that makes a store visible to the async proxy.
 */
export type Missing = 'synchronization' | 'fence.proxy.async';

export interface RaceAccess {
  readonly access: 'load' | 'store' | 'atomic';
  /** Whether the access was made by an operation that the thread had started, and not by the thread itself. */
  readonly isAsynchronous: boolean;
  /** The PTX source line, counted from 1. */
  readonly line: number;
  /** Position in the original source; null if the PTX has no `.loc` for the line. */
  readonly source: SourcePlace | null;
  readonly block: Dim3;
  readonly thread: Dim3;
}

/**
 * Which races to report: `report` leaves out races between two stores of the same value, which many kernels use on
 * purpose; `strict` reports them, too.
 */
export type RaceMode = 'report' | 'strict';

/** The maximum number of pairs of lines for which races are reported. */
export const mostRaces = 100;
