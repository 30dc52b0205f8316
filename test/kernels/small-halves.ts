/** The f16 codes of integers from -2 to 2. */
export function halvesOf(values: readonly number[]): Uint16Array {
  return Uint16Array.from(values, (x) => (x < 0 ? 0x8000 : 0) | ([0, 0x3c00, 0x4000][Math.abs(x)] ?? 0));
}
