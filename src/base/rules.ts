/**
 * Rules for values. The options of the library and the contents of job files are checked by the same rules. A rule for
 * a list or an object also finds mistakes inside it and reports their path.
 */
import { isObject } from './json-values.ts';
import { joinWords } from './join-words.ts';
import { nearestWord } from './nearest-word.ts';
import { tagOf } from './tag-of.ts';

/** `T` is the type of the values that the rule accepts. */
export interface Rule<T> {
  /** A description of the accepted values, in words that can follow "takes" and "must be". */
  readonly takes: string;
  readonly accepts: (value: unknown) => boolean;
  /**
   * If `accepts` has accepted a value, finds the first mistake in its parts; `path` is the path of the value. Absent if
   * values of this kind have no parts.
   */
  readonly inside?: (value: unknown, path: string) => Mistake | null;
  /** Returns a copy of an accepted value without its invalid parts. Absent if no part of the value can be omitted. */
  readonly withoutMistakes?: (value: unknown) => unknown;
  /** Never set. The property is declared only so that the compiler treats rules for different types as incompatible. */
  readonly type?: T;
}

/** A rule for each member of an object. */
export type RulesFor<T> = { readonly [Name in keyof T]-?: Rule<Exclude<T[Name], undefined>> };

export interface Mistake {
  /** The path of the value, such as `launches[1].grid`; empty for the whole value. */
  readonly path: string;
  /** Describes the mistake. The text continues a sentence that begins with the path. */
  readonly words: string;
}

export const text: Rule<string> = { takes: 'a string', accepts: (value) => typeof value === 'string' };
export const flag: Rule<boolean> = { takes: 'true or false', accepts: (value) => typeof value === 'boolean' };
export const number: Rule<number> = { takes: 'a number', accepts: (value) => typeof value === 'number' };

export const bytes: Rule<Uint8Array> = {
  takes: 'a Uint8Array',
  accepts: (value) => tagOf(value) === 'Uint8Array',
};

/** Accepts any list; the members of the list are not checked. */
export const list: Rule<readonly never[]> = { takes: 'a list', accepts: Array.isArray };

/** Accepts any value. Meant for values that are checked only when they are used. */
export function anything<T>(): Rule<T> {
  return { takes: 'anything', accepts: () => true };
}

/** Accepts any string. Meant for words that are looked up in a table later. */
export function term<Term extends string>(): Rule<Term> {
  return { takes: 'a string', accepts: text.accepts };
}

/** Accepts the strings that pass a test. */
export function textThat<Text extends string>(takes: string, passes: (value: string) => boolean): Rule<Text> {
  return { takes, accepts: (value) => typeof value === 'string' && passes(value) };
}

export function callback<F>(): Rule<F> {
  return { takes: 'a function', accepts: (value) => typeof value === 'function' };
}

export const signal: Rule<AbortSignal> = {
  takes: 'an AbortSignal',
  accepts: (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value,
};

export function whole(most: number, words: string, least = 0): Rule<number> {
  return {
    takes: `a whole number from ${least} to ${words}`,
    accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
  };
}

export function oneOf<Word extends string>(...words: readonly Word[]): Rule<Word> {
  const known = new Set<unknown>(words);
  return {
    takes: joinWords(
      words.map((word) => `'${word}'`),
      'or',
    ),
    accepts: (value) => known.has(value),
  };
}

/**
 * Accepts a value that follows at least one of two rules. Only the second rule may check parts of the value
 * individually.
 */
export function either<A, B>(plain: Rule<A>, other: Rule<B>): Rule<A | B> {
  const { inside } = other;
  return {
    takes: `${plain.takes} or ${other.takes}`,
    accepts: (value) => plain.accepts(value) || other.accepts(value),
    ...(inside && { inside: (value, path) => (plain.accepts(value) ? null : inside(value, path)) }),
  };
}

export function listOf<T>(part: Rule<T>, takes = 'a list'): Rule<readonly T[]> {
  return {
    takes,
    accepts: Array.isArray,
    inside: (value, path) => {
      if (!Array.isArray(value)) return null;
      return firstOf(value.entries(), ([i, one]) => mistakeIn(one, part, `${path}[${i}]`));
    },
  };
}

/** An object whose members must all follow the same rule, and whose member names must follow `names`. */
export function mapOf<T>(part: Rule<T>, names: Rule<string> = text): Rule<Readonly<Record<string, T>>> {
  const check = (name: string, value: unknown, path: string): Mistake | null =>
    names.accepts(name)
      ? mistakeIn(value, part, memberPath(path, name))
      : { path, words: `has the key '${name.slice(0, 80)}', which is not ${names.takes}` };
  return {
    takes: 'an object',
    accepts: isObject,
    inside: (value, path) => firstOf(membersOf(value), ([name, one]) => check(name, one, path)),
    withoutMistakes: (value) => validMembers(value, (name) => (names.accepts(name) ? part : undefined)),
  };
}

/** An object with these members, all optional; `undefined` counts as absent. */
export function objectOf<T>(rules: RulesFor<T>): Rule<T> {
  const known = new Map<string, Rule<unknown>>(Object.entries(rules));
  const check = (name: string, value: unknown, path: string): Mistake | null => {
    const rule = known.get(name);
    if (rule !== undefined) return value === undefined ? null : mistakeIn(value, rule, memberPath(path, name));
    return { path, words: `has no key '${name.slice(0, 80)}'; ${knownNames(name, [...known.keys()])}` };
  };
  return {
    takes: 'an object',
    accepts: isObject,
    inside: (value, path) => firstOf(membersOf(value), ([name, one]) => check(name, one, path)),
    withoutMistakes: (value) => validMembers(value, (name) => known.get(name)),
  };
}

/** The end of a message about an unknown name: the most similar known name or, if none is similar, all known names. */
export function knownNames(name: string, known: readonly string[]): string {
  const near = nearestWord(name, known);
  return near === null ? `it has ${known.join(', ')}` : `did you mean '${near}'?`;
}

/** An object that must have all of these members and no others. Meant for data that programs write. */
export function recordWith<T>(rules: RulesFor<T>): Rule<T> {
  const some = objectOf(rules);
  return {
    ...some,
    inside: (value, path) => {
      const given = new Map(membersOf(value));
      const missing = Object.keys(rules).find((name) => given.get(name) === undefined);
      return missing === undefined
        ? (some.inside?.(value, path) ?? null)
        : { path: memberPath(path, missing), words: 'is missing' };
    },
  };
}

/**
 * An object that has at least these members. `takes` describes the object in messages. Mistakes in its members are not
 * reported individually, because callers get such objects from the library and do not write them by hand.
 */
export function shaped<T>(takes: string, rules: { readonly [Name in keyof T]?: Rule<unknown> }): Rule<T> {
  const members = Object.entries<Rule<unknown> | undefined>(rules);
  const fits = (value: object, member: string, rule: Rule<unknown> | undefined): boolean =>
    rule === undefined || mistakeIn(Reflect.get(value, member), rule) === null;
  return {
    takes,
    accepts: (value) => isObject(value) && members.every(([member, rule]) => fits(value, member, rule)),
  };
}

/** The first mistake in a value that should follow a rule; null if the value follows it. */
export function mistakeIn(value: unknown, rule: Rule<unknown>, path = ''): Mistake | null {
  if (!rule.accepts(value)) return { path, words: `must be ${rule.takes}, not ${shown(value)}` };
  return rule.inside?.(value, path) ?? null;
}

/** Whether a value follows a rule. */
export function follows<T>(value: unknown, rule: Rule<T>): value is T {
  return mistakeIn(value, rule) === null;
}

/** The parts of a value that follow a rule; undefined if the value as a whole does not follow it. */
export function validPart<T>(value: unknown, rule: Rule<T>): T | undefined {
  if (!rule.accepts(value)) return undefined;
  const valid = rule.withoutMistakes === undefined ? value : rule.withoutMistakes(value);
  return follows(valid, rule) ? valid : undefined;
}

function validMembers(value: unknown, ruleFor: (name: string) => Rule<unknown> | undefined): object {
  const valid = membersOf(value).flatMap(([name, one]) => {
    const rule = ruleFor(name);
    const part = rule === undefined ? undefined : validPart(one, rule);
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(valid);
}

function firstOf<T>(parts: Iterable<T>, find: (part: T) => Mistake | null): Mistake | null {
  for (const part of parts) {
    const found = find(part);
    if (found !== null) return found;
  }
  return null;
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The path of a member: `a.b`, or `a["b c"]` if the name is not a word. */
export function memberPath(path: string, name: string): string {
  if (!/^[\w$]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** Formats a value for messages. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 80)}'`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return tagOf(value) === 'Object' ? 'an object' : `a value of type ${tagOf(value)}`;
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'function' ? 'a function' : String(value);
}
