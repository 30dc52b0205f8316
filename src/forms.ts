/** The table of instruction forms, for programs. */
import { readTarget, readVersion } from './check/check.ts';
import { describeForm, type FormEntry, formsAt } from './explain/form-listing.ts';

export type { FormEntry } from './explain/form-listing.ts';

export interface FormsOptions {
  /** Only forms of this opcode; `cvt.pack` and `cvta.to` are opcodes of their own. */
  readonly opcode?: string;
  /** Only forms that this architecture has. */
  readonly target?: string;
  /** Only forms that this PTX version has. Default: the newest. */
  readonly isa?: string;
}

/**
 * The forms of the table, one for each line of the ISA's syntax blocks.
 *
 * @throws PtxlabError `unknown-target` or `unknown-version` where an option names none
 */
export function forms(options: FormsOptions = {}): readonly FormEntry[] {
  const place = {
    target: options.target === undefined ? null : readTarget(options.target),
    version: options.isa === undefined ? null : readVersion(options.isa),
  };
  return formsAt(place, options.opcode ?? null).map((form) => describeForm(form, place));
}
