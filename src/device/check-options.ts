/** The values that each device and launch option takes. The library and job files are checked by the same rows. */
import { PtxlabError } from '../base/error.ts';
import { flag, mistakeIn, number, objectOf, oneOf, type Rule, type RulesFor, text, whole } from '../base/rules.ts';
import '../base/platform-types.ts';
import { mostWorkers } from '../machine/launch.ts';
import type { Argument } from './arguments.ts';
import type { DeviceOptions, Extent, LaunchOptions } from './options.ts';
import type { TraceChoice } from './trace-choice.ts';

function callback<F>(): Rule<F> {
  return { takes: 'a function', accepts: (value) => typeof value === 'function' };
}

const args: Rule<readonly Argument[]> = { takes: 'a list', accepts: Array.isArray };

const workers = whole(mostWorkers, String(mostWorkers));

/** The numbers themselves are checked later, with the launch shape. */
const extent: Rule<Extent> = {
  takes: 'a number or a list of one to three numbers',
  accepts: (value) => {
    const extents: readonly unknown[] = Array.isArray(value) ? value : [value];
    return extents.length >= 1 && extents.length <= 3 && extents.every((one) => typeof one === 'number');
  },
};

/** More than a year, in seconds. The clock still has enough precision at such times. */
const longest = 2 ** 25;

const seconds: Rule<number> = {
  takes: `a number of seconds from 0 to ${longest}`,
  accepts: (value) => typeof value === 'number' && value >= 0 && value <= longest,
};

const signal: Rule<AbortSignal> = {
  takes: 'an AbortSignal',
  accepts: (value) => typeof value === 'object' && value !== null && 'aborted' in value,
};

const trace: Rule<TraceChoice> = {
  takes: 'an object',
  accepts: (value) => typeof value === 'object' && value !== null,
};

/** Names are checked later, by the tables that list them. */
type Unnamed<T> = { readonly [Name in keyof T]: T[Name] extends string | undefined ? string | undefined : T[Name] };

export const deviceRules: RulesFor<Unnamed<DeviceOptions>> = {
  target: text,
  gpu: text,
  isa: text,
  version: text,
  // Windows and guards take part of the 32-bit address space, so less is usable; larger sizes throw `out-of-memory`.
  memory: whole(2 ** 32, '2^32'),
  workers,
  simd: flag,
};

export const launchRules: RulesFor<LaunchOptions> = {
  grid: extent,
  block: extent,
  sharedBytes: number,
  cooperative: flag,
  args,
  budget: whole(Number.MAX_SAFE_INTEGER, '2^53 - 1'),
  timeout: seconds,
  printLimit: whole(2 ** 28, '2^28'),
  onPrint: callback(),
  signal,
  onTrace: callback(),
  trace,
  engine: oneOf('jit', 'interp'),
  unchecked: flag,
  workers,
  simd: flag,
  uninitialized: oneOf('fault', 'zero'),
  unsupported: oneOf('refuse', 'fault'),
};

/** @throws PtxlabError `bad-option`, whose message names the option, what it takes and what was given */
export function checkOptions<T>(of: string, given: object, rules: RulesFor<T>): void {
  const mistake = mistakeIn(given, objectOf(rules, 'option'));
  if (mistake === null) return;
  const { path, words } = mistake;
  if (typeof given !== 'object' || given === null) throw badOption(`the options of ${of} ${words}`);
  throw badOption(path === '' ? `${of} ${words}` : `option '${path}' of ${of} ${words}`);
}

function badOption(message: string): PtxlabError {
  return new PtxlabError('bad-option', message);
}
