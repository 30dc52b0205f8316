/** The kinds of accesses that the race detector distinguishes. */
import { elementAt } from '../../base/element-at.ts';
import type { MemoryOrder, MemoryScope } from '../../isa/steps/order.ts';
import type { Agent } from './actors.ts';

export const ways = ['load', 'store', 'atomic'] as const;

/** The properties that all accesses of an instruction have in common. */
export interface AccessKind {
  readonly way: (typeof ways)[number];
  /** Null if the access is weak. */
  readonly order: MemoryOrder | null;
  /** What performs the access: the thread itself, or an asynchronous operation that it has started. */
  readonly agent: Agent;
  /** Whether the access is a load through the async proxy. */
  readonly isAsyncProxy: boolean;
  /** Whether the access is a store that does not change the contents of memory. */
  readonly isSilent: boolean;
  /**
   * A number that combines the line of the access, its `way` and its strength. `way` and the strength take up two bits
   * each.
   */
  readonly tag: number;
}

/**
 * The strengths of accesses, as encoded in tags. An access with GPU or system scope is strong for all threads of the
 * launch.
 */
const strengths: readonly (MemoryScope | null)[] = [null, 'cta', 'cluster', 'sys'];

/** @param line PTX source line */
export function accessKind(line: number, kind: Omit<AccessKind, 'tag'>): AccessKind {
  const { way, order } = kind;
  const scope = order?.scope === 'gpu' ? 'sys' : (order?.scope ?? null);
  return { ...kind, tag: line * 16 + ways.indexOf(way) * 4 + strengths.indexOf(scope) };
}

export function lineOf(tag: number): number {
  return Math.floor(tag / 16);
}

export function wayOf(tag: number): AccessKind['way'] {
  return elementAt(ways, (tag >> 2) & 3);
}

/** The scope in which an access is strong; null if it is weak. */
export function strengthOf(tag: number): MemoryScope | null {
  return strengths[tag & 3] ?? null;
}
