/** JSON files that a user writes: jobs, suites and baselines. */
import { mistakeIn, type Rule } from '../base/rules.ts';
import { UsageError } from './exit.ts';

/**
 * Parses JSON. An object member whose value is null is treated as absent. Error messages refer to the text by the given
 * name.
 */
export function parseFile(text: string, name: string): unknown {
  try {
    // Some editors on Windows write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''), function (this: unknown, _key, value: unknown) {
      return value === null && !Array.isArray(this) ? undefined : value;
    });
  } catch (error) {
    const why = error instanceof Error ? `: ${error.message}` : '';
    throw new UsageError(`${name} is not JSON${why}`, { cause: error });
  }
}

/**
 * Throws a UsageError for the first mistake, if any. The message starts with the path of the wrong value or, if the
 * value as a whole is wrong, with `noun`.
 */
export function requireRule<T>(value: unknown, rule: Rule<T>, noun: string): asserts value is T {
  const mistake = mistakeIn(value, rule);
  if (mistake === null) return;
  const { path, words } = mistake;
  throw new UsageError(path === '' ? `${noun} ${words}` : `${path}: ${words}`);
}
