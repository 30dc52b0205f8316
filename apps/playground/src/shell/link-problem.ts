/** The messages that a page shows about a link that it cannot read or can read only in part. */
import { shorten } from './shorten.ts';

/** The message about a link that cannot be read at all; `what` is the kind of thing that is shown instead. */
export function damagedLink(what: string): string {
  return `The link is damaged or too new. A different ${what} is shown instead.`;
}

/**
 * @param unread the parts of the link that cannot be read
 * @returns an empty string if there are none
 */
export function unreadParts(unread: readonly string[]): string {
  if (unread.length === 0) return '';
  return `The link is damaged or too new: ${unread.map(shorten).join(' and ')} cannot be read. Default values are shown instead.`;
}
