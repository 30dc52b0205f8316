/**
 * For each element format, how `.rs` conversions use random bits. The layouts are derived from the forms in the table.
 */
import type { FormatName } from '../numerics/formats.ts';
import { randomLayout } from './forms/conversion/cvt-steps.ts';
import { types } from './types.ts';

export interface ElementRandomLayout {
  /** Number of random bits per element. */
  readonly bits: number;
  /**
   * The elements share one word of random bits. For each element, starting with the one in the lowest lane, `low`
   * contains the position in the word at which the element's random bits begin.
   */
  readonly low: readonly number[];
}

/** How the elements of a format share a word of random bits; null for formats that have no `.rs` conversion. */
export function randomLayoutOf(format: FormatName): ElementRandomLayout | null {
  for (const type of types.values()) {
    const layout = randomLayout(type);
    if (layout !== null && type.format === format) return { bits: layout.bits, low: layout.low.toReversed() };
  }
  return null;
}
