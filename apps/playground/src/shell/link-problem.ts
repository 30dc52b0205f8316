/** What a page says about a link that it cannot read, or not in full. */
import { shorten } from './shorten.ts';

/** The sentence for a link that opens nothing; `what` names what is shown instead. */
export function damagedLink(what: string): string {
  return `The link is damaged or too new. A different ${what} is shown instead.`;
}

/**
 * @param unread the parts of the link that cannot be read
 * @returns an empty string if there are none
 */
export function unreadParts(unread: readonly string[]): string {
  if (unread.length === 0) return '';
  return `The link is damaged or too new: ${unread.map(shorten).join(' and ')} cannot be read. The usual values are shown instead.`;
}
