import { PtxlabError } from '../base/error.ts';

/** The fast engine does not know this yet. It never falls back to the reference engine by itself. */
export function notLowered(what: string): PtxlabError {
  return new PtxlabError('not-lowered', `the fast engine does not run this yet: ${what}`);
}
