import { PtxlabError } from './error.ts';
import { shown } from './rules.ts';

/** Throws `bad-source` if an untyped caller passes anything but a string. `what` begins the message. */
export function requireText(text: unknown, what: string): void {
  if (typeof text !== 'string') throw new PtxlabError('bad-source', `${what} must be a string, not ${shown(text)}`);
}
