import type { Placed } from '../../program/layout.ts';
import type { NamedRange } from './segment.ts';

/** Converts variables whose offsets in memory are known to the named ranges that messages use. */
export function namedRanges(placed: readonly Placed[]): readonly NamedRange[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
