/** Shortens text that a user has typed, so that a message that repeats it stays readable. */

/** Characters that a message repeats at most. */
const most = 40;

export function shorten(text: string): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** A message about a text, in which this text is shortened. */
export function shortMessage(message: string, text: string): string {
  const typed = text.trim();
  return message.replaceAll(typed, shorten(typed));
}
