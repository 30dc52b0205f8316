import type { Placed } from '../program/layout.ts';
import type { NamedRange } from './segment.ts';

/** Placed variables, as messages name them. */
export function namedRanges(placed: readonly Placed[]): readonly NamedRange[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
