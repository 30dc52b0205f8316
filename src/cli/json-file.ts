/** JSON files that a user writes: jobs, suites and baselines. */
import { mistakeIn, type Rule } from '../base/rules.ts';
import { UsageError } from './exit.ts';

/** The value of a JSON text; members that are null count as absent. `name` identifies the text in messages. */
export function parseFile(text: string, name: string): unknown {
  try {
    return JSON.parse(text, function (this: unknown, _key, value: unknown) {
      return value === null && !Array.isArray(this) ? undefined : value;
    });
  } catch (error) {
    const why = error instanceof Error ? `: ${error.message}` : '';
    throw new UsageError(`${name} is not JSON${why}`, { cause: error });
  }
}

/** Throws a UsageError that begins with the path of the first mistake, or with `noun` for the whole value. */
export function requireRule<T>(value: unknown, rule: Rule<T>, noun: string): asserts value is T {
  const mistake = mistakeIn(value, rule);
  if (mistake === null) return;
  const { path, words } = mistake;
  throw new UsageError(path === '' ? `${noun} ${words}` : `${path}: ${words}`);
}
