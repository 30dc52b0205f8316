/** Library functions that list the table of instruction forms. */
import { requireOptions } from './base/require.ts';
import { type RulesFor, text } from './base/rules.ts';
import { judgeRules, type JudgeOptions, readJudgeOptions } from './check/judge-options.ts';
import { describeForm, type FormEntry, formsAt } from './explain/form-listing.ts';

export type { FormEntry } from './explain/form-listing.ts';

/** By default, lists all forms that at least one target supports in the newest version. */
export interface FormsOptions extends JudgeOptions {
  /**
   * Lists only the forms of this opcode. The forms of `cvt` do not include those of `cvt.pack`, which is a separate
   * opcode. `wgmma` lists the forms of all opcodes that begin with `wgmma`.
   */
  readonly opcode?: string;
}

const rules: RulesFor<FormsOptions> = { ...judgeRules, opcode: text };

/**
 * Lists the forms in the table, one for each line of the ISA's syntax blocks.
 *
 * @throws PtxlabError `unknown-target` or `unknown-version` if an option names a target or version that does not exist,
 * `bad-option` for other mistakes in the options
 */
export function forms(options: FormsOptions = {}): readonly FormEntry[] {
  requireOptions(options, rules, 'forms');
  const place = readJudgeOptions(options);
  return formsAt(place, options.opcode ?? null).map((form) => describeForm(form, place));
}
