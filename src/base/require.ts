/**
 * Checks the arguments of public functions, because callers may be written in JavaScript, where no compiler checks
 * types.
 */
import { PtxlabError } from './error.ts';
import { isObject } from './json-values.ts';
import { knownNames, mistakeIn, type Rule, type RulesFor, shown } from './rules.ts';

/**
 * @param what the beginning of the message, such as `the name of a kernel`
 * @throws PtxlabError with the given code for a value that does not follow the rule
 */
export function requireArgument<T>(
  what: string,
  value: unknown,
  rule: Rule<T>,
  code: 'argument-type' | 'bad-option' = 'argument-type',
): void {
  const mistake = mistakeIn(value, rule);
  if (mistake === null) return;
  const { path, words } = mistake;
  throw new PtxlabError(code, path === '' ? `${what} ${words}` : `${path} of ${what} ${words}`);
}

/**
 * @param owner the name that messages use for the function or class that takes the options
 * @throws PtxlabError `bad-option` if `options` is not an object, if an option has no rule (for example because its
 *   name is misspelled), or if its value does not follow its rule; the message contains the option, the accepted values
 *   and the actual value
 */
export function requireOptions<T>(options: unknown, rules: RulesFor<T>, owner: string): void {
  if (!isObject(options))
    throw new PtxlabError('bad-option', `the options of ${owner} must be an object, not ${shown(options)}`);
  for (const name in options) {
    if (!isNameIn(rules, name)) {
      const hint = knownNames(name, Object.keys(rules));
      throw new PtxlabError('bad-option', `${owner} has no option '${name.slice(0, 80)}'; ${hint}`);
    }
    requireOption(name, options[name], rules[name], owner);
  }
  // The loop above misses getters that a class defines. Plain objects return early, so that converting a few elements
  // remains fast.
  if (Object.getPrototypeOf(options) === Object.prototype) return;
  for (const name in rules) requireOption(name, options[name], rules[name], owner);
}

function isNameIn<T>(rules: RulesFor<T>, name: string): name is keyof T & string {
  return Object.hasOwn(rules, name);
}

function requireOption(name: string, value: unknown, rule: Rule<unknown>, owner: string): void {
  const mistake = value === undefined ? null : mistakeIn(value, rule, name);
  if (mistake === null) return;
  throw new PtxlabError('bad-option', `option '${mistake.path}' of ${owner} ${mistake.words}`);
}
