import type { Placed } from '../program/layout.ts';
import type { Region } from './segment.ts';

/** Placed variables, as messages name them. */
export function regionsOf(placed: readonly Placed[]): readonly Region[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
