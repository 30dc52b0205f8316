/** Shuffles that interleave the elements of two vectors. */

/**
 * Returns the byte indices for a shuffle that takes `unit` bytes at a time, alternately from the first and the second
 * vector, until it has taken sixteen bytes. The shuffle starts at byte `first` of both vectors.
 */
export function interleaved(first: number, unit: number): readonly number[] {
  const units = Array.from({ length: 8 / unit }, (_, i) => first + i * unit);
  const bytes = (from: number): readonly number[] => Array.from({ length: unit }, (_, i) => from + i);
  return units.flatMap((at) => [...bytes(at), ...bytes(at + 16)]);
}
