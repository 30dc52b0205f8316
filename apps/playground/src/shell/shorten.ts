/** Shortens text that a user has typed, so that a message that repeats it stays readable. */

/** Characters that a message repeats at most. */
const most = 40;

export function shorten(text: string): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
