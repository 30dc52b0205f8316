/**
 * A copy of a text. JavaScript engines represent a part of a text by a reference to the whole, so a cache that keeps a
 * word of a module would otherwise keep the text of the module.
 */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}
