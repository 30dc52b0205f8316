/** Shortens text that a user has typed before a message quotes it, so that the message stays readable. */

/** The maximum number of characters that a message quotes. */
const most = 40;

export function shorten(text: string): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Shortens the text that a message quotes. */
export function shortMessage(message: string, text: string): string {
  const typed = text.trim();
  return message.replaceAll(typed, shorten(typed));
}
