/** Random bits of `.rs` conversions by element format, from the forms of the table. */
import type { FormatName } from '../numerics/formats.ts';
import { randomLayout } from './forms/conversion/cvt-steps.ts';
import { types } from './types.ts';

export interface ElementRandomLayout {
  /** Random bits of an element. */
  readonly bits: number;
  /** Lowest bit of each in the word that they share, lowest lane first. */
  readonly low: readonly number[];
}

/** How elements of a format share a word of random bits; null for formats without an `.rs` conversion. */
export function randomLayoutOf(format: FormatName): ElementRandomLayout | null {
  for (const type of types.values()) {
    const layout = randomLayout(type);
    if (layout !== null && type.format === format) return { bits: layout.bits, low: layout.low.toReversed() };
  }
  return null;
}
