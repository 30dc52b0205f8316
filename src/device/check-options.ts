/** The values that each device and launch option takes. The library and job files are checked by the same rows. */
import { PtxlabError } from '../base/error.ts';
import type { DeviceOptions, LaunchOptions } from './options.ts';

interface Rule {
  /** What the option takes, in words that follow "takes". */
  readonly takes: string;
  readonly accepts: (value: unknown) => boolean;
}

const text: Rule = { takes: 'a string', accepts: (value) => typeof value === 'string' };
const flag: Rule = { takes: 'true or false', accepts: (value) => typeof value === 'boolean' };
const callback: Rule = { takes: 'a function', accepts: (value) => typeof value === 'function' };
const list: Rule = { takes: 'a list', accepts: Array.isArray };
const number: Rule = { takes: 'a number', accepts: (value) => typeof value === 'number' };

function whole(most: number, words: string): Rule {
  return {
    takes: `a whole number from 0 to ${words}`,
    accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most,
  };
}

function oneOf(...words: readonly string[]): Rule {
  return {
    takes: words.map((word) => `'${word}'`).join(' or '),
    accepts: (value) => typeof value === 'string' && words.includes(value),
  };
}

/** The numbers themselves are checked later, with the launch shape. */
const extent: Rule = {
  takes: 'a number or a list of one to three numbers',
  accepts: (value) => {
    const extents: readonly unknown[] = Array.isArray(value) ? value : [value];
    return extents.length >= 1 && extents.length <= 3 && extents.every((one) => typeof one === 'number');
  },
};

/** More than a year, in seconds. The clock still has enough precision at such times. */
const longest = 2 ** 25;

const seconds: Rule = {
  takes: `a number of seconds from 0 to ${longest}`,
  accepts: (value) => typeof value === 'number' && value >= 0 && value <= longest,
};

const signal: Rule = {
  takes: 'an AbortSignal',
  accepts: (value) => typeof value === 'object' && value !== null && 'aborted' in value,
};

const trace: Rule = { takes: 'an object', accepts: (value) => typeof value === 'object' && value !== null };

type Rules<Options> = { readonly [Name in keyof Required<Options>]: Rule };

export const deviceRules: Rules<DeviceOptions> = {
  target: text,
  gpu: text,
  isa: text,
  version: text,
  // Windows and guards take part of the 32-bit address space, so less is usable; larger sizes throw `out-of-memory`.
  memory: whole(2 ** 32, '2^32'),
  workers: number,
  simd: flag,
};

export const launchRules: Rules<LaunchOptions> = {
  grid: extent,
  block: extent,
  sharedBytes: number,
  cooperative: flag,
  args: list,
  budget: whole(Number.MAX_SAFE_INTEGER, '2^53 - 1'),
  timeout: seconds,
  printLimit: whole(2 ** 28, '2^28'),
  onPrint: callback,
  signal,
  onTrace: callback,
  trace,
  engine: oneOf('jit', 'interp'),
  unchecked: flag,
  workers: number,
  simd: flag,
  uninitialised: oneOf('fault', 'zero'),
  unsupported: oneOf('refuse', 'fault'),
};

/** @throws PtxlabError `bad-option`, whose message names the option, what it takes and what was given */
export function checkOptions<Options>(of: string, given: Options, rules: Rules<Options>): void {
  if (typeof given !== 'object' || given === null)
    throw badOption(`the options of ${of} must be an object, not ${shown(given)}`);
  const known = new Map<string, Rule>(Object.entries(rules));
  for (const [name, value] of Object.entries(given)) {
    const rule = known.get(name);
    if (rule === undefined) throw badOption(`${of} has no option '${name}'; it has ${[...known.keys()].join(', ')}`);
    if (value !== undefined && !rule.accepts(value))
      throw badOption(`option '${name}' of ${of} takes ${rule.takes}, not ${shown(value)}`);
  }
}

function badOption(message: string): PtxlabError {
  return new PtxlabError('bad-option', message);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 80)}'`;
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
