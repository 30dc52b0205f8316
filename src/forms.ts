/** The table of instruction forms, for programs. */
import { type JudgeOptions, readJudgeOptions } from './check/judge-options.ts';
import { describeForm, type FormEntry, formsAt } from './explain/form-listing.ts';

export type { FormEntry } from './explain/form-listing.ts';

/** Default: forms that any target has in the newest version. */
export interface FormsOptions extends JudgeOptions {
  /** Only forms of this opcode; `cvt.pack` and `cvta.to` are opcodes of their own. */
  readonly opcode?: string;
}

/**
 * The forms of the table, one for each line of the ISA's syntax blocks.
 *
 * @throws PtxlabError `unknown-target` or `unknown-version` where an option names none
 */
export function forms(options: FormsOptions = {}): readonly FormEntry[] {
  const place = readJudgeOptions(options);
  return formsAt(place, options.opcode ?? null).map((form) => describeForm(form, place));
}
