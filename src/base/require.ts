/**
 * Checks the arguments of public functions, because callers may be written in JavaScript, where no compiler checks
 * types.
 */
import { PtxlabError } from './error.ts';
import { mistakeIn, type Rule, type RulesFor } from './rules.ts';
import { requireOptionNames } from './option-names.ts';

/**
 * @param what the message starts with, such as `the name of a kernel`
 * @throws PtxlabError `argument-type` for a value that does not follow the rule
 */
export function requireArgument<T>(what: string, value: unknown, rule: Rule<T>): void {
  const mistake = mistakeIn(value, rule);
  if (mistake === null) return;
  const { path, words } = mistake;
  throw new PtxlabError('argument-type', path === '' ? `${what} ${words}` : `${path} of ${what} ${words}`);
}

/**
 * @param owner the name that messages use for the function or class that takes the options
 * @throws PtxlabError `bad-option` if an option has no rule or if its value does not follow its rule; the message names
 *   the option, the accepted values and the given value
 */
export function requireOptions<T>(options: unknown, rules: RulesFor<T>, owner: string): void {
  requireOptionNames(options, rules, owner);
  for (const [name, rule] of Object.entries<Rule<unknown>>(rules)) {
    const value: unknown = Reflect.get(options, name);
    const mistake = value === undefined ? null : mistakeIn(value, rule, name);
    if (mistake === null) continue;
    throw new PtxlabError('bad-option', `option '${mistake.path}' of ${owner} ${mistake.words}`);
  }
}
