import type { NamedPart } from '../../program/layout.ts';
import type { NamedRange } from './segment.ts';

/** Converts parts of a state space to the named ranges that messages use. */
export function namedRanges(placed: readonly NamedPart[]): readonly NamedRange[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
