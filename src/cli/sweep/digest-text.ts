/** A digest as eight hex digits. */
export function digestText(digest: number): string {
  return digest.toString(16).padStart(8, '0');
}
