/** Finds misspelled options, which would otherwise be silently ignored. */
import { PtxlabError } from './error.ts';
import { knownNames } from './rules.ts';

/** The names of all options of `T`. If a name is left out, type checking fails. */
export type OptionNames<T> = { readonly [Name in keyof Required<T>]: true };

/**
 * @param owner the name that messages use for the function or class that takes the options
 * @throws PtxlabError `bad-option` if `options` is not an object or has a property that is not in `names`
 */
export function requireOptionNames(options: unknown, names: object, owner: string): asserts options is object {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new PtxlabError('bad-option', `the options of ${owner} must be an object`);
  for (const name in options) {
    if (Object.hasOwn(names, name)) continue;
    const hint = knownNames(name, Object.keys(names));
    throw new PtxlabError('bad-option', `${owner} has no option '${name.slice(0, 80)}'; ${hint}`);
  }
}
