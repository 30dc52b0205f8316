/** Shuffles that put elements of two vectors side by side. */

/** Takes units of so many bytes from the first vector and the second in turn, from a byte on: sixteen bytes. */
export function interleaved(first: number, unit: number): readonly number[] {
  const units = Array.from({ length: 8 / unit }, (_, i) => first + i * unit);
  const bytes = (from: number): readonly number[] => Array.from({ length: unit }, (_, i) => from + i);
  return units.flatMap((at) => [...bytes(at), ...bytes(at + 16)]);
}
