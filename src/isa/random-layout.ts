/** The way `.rs` conversions use random bits, by element format, taken from the forms in the table. */
import type { FormatName } from '../numerics/formats.ts';
import { randomLayout } from './forms/conversion/cvt-steps.ts';
import { types } from './types.ts';

export interface ElementRandomLayout {
  /** Number of random bits per element. */
  readonly bits: number;
  /** The position of each element's lowest bit in the word that the elements share, lowest lane first. */
  readonly low: readonly number[];
}

/** The way the elements of a format share a word of random bits; null for formats that have no `.rs` conversion. */
export function randomLayoutOf(format: FormatName): ElementRandomLayout | null {
  for (const type of types.values()) {
    const layout = randomLayout(type);
    if (layout !== null && type.format === format) return { bits: layout.bits, low: layout.low.toReversed() };
  }
  return null;
}
