/** The kinds of accesses that the search for races tells apart. */
import { elementAt } from '../../base/element-at.ts';
import type { MemoryOrder, MemoryScope } from '../../isa/steps/order.ts';
import type { Agent } from './actors.ts';

export const ways = ['load', 'store', 'atomic'] as const;

/** What is the same for all accesses of an instruction. */
export interface AccessKind {
  readonly way: (typeof ways)[number];
  /** Null if the access is weak. */
  readonly order: MemoryOrder | null;
  /** Who makes the access: the thread, or an asynchronous operation that it has started. */
  readonly agent: Agent;
  /** Whether it is a load through the async proxy. */
  readonly isAsyncProxy: boolean;
  /** Whether it is a store that does not change the memory. */
  readonly isSilent: boolean;
  /**
   * The line, the way and the strength of the access in one number. Two bits say the way, and two bits the strength.
   */
  readonly tag: number;
}

/**
 * The strengths of accesses in tags. An access with the scope of the GPU or the system is strong for all threads of the
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
