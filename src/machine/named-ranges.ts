import type { Placed } from '../program/layout.ts';
import type { NamedRange } from './segment.ts';

/** Converts placed variables to the named ranges used in messages. */
export function namedRanges(placed: readonly Placed[]): readonly NamedRange[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
