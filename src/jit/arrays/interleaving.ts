/** Shuffles that interleave the elements of two vectors. */

/**
 * Takes units of `unit` bytes alternately from the first and the second vector, starting at byte `first` of each:
 * sixteen bytes in all.
 */
export function interleaved(first: number, unit: number): readonly number[] {
  const units = Array.from({ length: 8 / unit }, (_, i) => first + i * unit);
  const bytes = (from: number): readonly number[] => Array.from({ length: unit }, (_, i) => from + i);
  return units.flatMap((at) => [...bytes(at), ...bytes(at + 16)]);
}
