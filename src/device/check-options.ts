/**
 * The values that each device and launch option accepts. The same table is used to check options passed to the library
 * and options in job files.
 */
import {
  callback,
  flag,
  listOf,
  number,
  objectOf,
  oneOf,
  type Rule,
  type RulesFor,
  signal,
  text,
  whole,
} from '../base/rules.ts';
import '../base/platform-types.ts';
import { mostInBox, mostPixels, type Swizzle, tensorElementTypes } from '../isa/tensor-map-fields.ts';
import { mostWorkers } from '../machine/launch.ts';
import type { Argument } from './arguments.ts';
import {
  type DeviceOptions,
  type Extent,
  type LaunchOptions,
  type Im2colOptions,
  swizzleAtoms,
  textureAddressModes,
  type TensorMapOptions,
  type SamplerOptions,
  type TexelOptions,
  texelTypeNames,
  type TextureOptions,
} from './options.ts';
import type { TraceChoice } from './trace-choice.ts';

const args: Rule<readonly Argument[]> = { takes: 'a list', accepts: Array.isArray };

const workers = whole(mostWorkers, String(mostWorkers));

/**
 * Extents of a grid, block or cluster. This rule only checks that there are one to three numbers; their values are
 * checked later, together with the launch shape.
 */
const extent: Rule<Extent> = {
  takes: 'a number or a list of one to three numbers',
  accepts: (value) => {
    const extents: readonly unknown[] = Array.isArray(value) ? value : [value];
    return extents.length >= 1 && extents.length <= 3 && extents.every((one) => typeof one === 'number');
  },
};

/** The maximum time limit in seconds: more than a year, but short enough for the clock to remain precise. */
const longest = 2 ** 25;

const seconds: Rule<number> = {
  takes: `a number of seconds from 0 to ${longest}`,
  accepts: (value) => typeof value === 'number' && value >= 0 && value <= longest,
};

const trace: Rule<TraceChoice> = {
  takes: 'an object',
  accepts: (value) => typeof value === 'object' && value !== null,
};

/** An option whose value is a name accepts any string; the name is looked up in a table later. */
type Unnamed<T> = { readonly [Name in keyof T]: T[Name] extends string | undefined ? string | undefined : T[Name] };

export const deviceRules: RulesFor<Unnamed<DeviceOptions>> = {
  target: text,
  gpu: text,
  isa: text,
  version: text,
  // Address windows and the guards between allocations take up part of the 32-bit address space, so the largest usable
  // size is below this limit; sizes above it throw `out-of-memory`.
  memory: whole(2 ** 32, '2^32'),
  workers,
  simd: flag,
};

/** The launch options that are plain data. Job files and requests to the server can contain them in the same form. */
export type PlainLaunch = Pick<
  LaunchOptions,
  | 'grid'
  | 'block'
  | 'cluster'
  | 'sharedBytes'
  | 'cooperative'
  | 'lockstep'
  | 'engine'
  | 'races'
  | 'unchecked'
  | 'unsupported'
  | 'timeout'
  | 'budget'
  | 'printLimit'
>;

const engineRules: RulesFor<Pick<LaunchOptions, 'engine' | 'races'>> = {
  engine: oneOf('jit', 'interp'),
  races: oneOf('report', 'strict'),
};

/** The plain options that apply to launches on every engine. */
const commonRules: RulesFor<Omit<PlainLaunch, keyof typeof engineRules>> = {
  grid: extent,
  block: extent,
  cluster: extent,
  sharedBytes: number,
  cooperative: flag,
  lockstep: flag,
  unchecked: flag,
  unsupported: oneOf('refuse', 'fault'),
  timeout: seconds,
  budget: whole(Number.MAX_SAFE_INTEGER, '2^53 - 1'),
  printLimit: whole(2 ** 28, '2^28'),
};

export const plainLaunchRules: RulesFor<PlainLaunch> = { ...commonRules, ...engineRules };

type Untraced = Omit<LaunchOptions, 'engine' | 'onTrace' | 'trace' | 'races' | 'signal'>;

/** The launch options that are also accepted when a launch is recorded for the debugger. */
export const untracedRules: RulesFor<Untraced> = {
  ...commonRules,
  args,
  onPrint: callback(),
  workers,
  simd: flag,
  uninitialized: oneOf('fault', 'zero'),
};

export const launchRules: RulesFor<LaunchOptions> = {
  ...untracedRules,
  ...engineRules,
  signal,
  onTrace: callback(),
  trace,
};

const count = (most: number, words: string): Rule<readonly number[]> =>
  listOf(whole(most, words, 1), `a list of numbers from 1 to ${words}`);

const corner: Rule<readonly number[]> = listOf(
  whole(2 ** 15 - 1, '32767', -(2 ** 15)),
  'a list of whole numbers from -32768 to 32767',
);

/** Accepts only the given numbers or words. */
function among<T extends number | string>(...values: readonly T[]): Rule<T> {
  const [last, ...others] = values.map(String).reverse();
  return {
    takes: `${others.reverse().join(', ')} or ${last}`,
    accepts: (value) => values.some((one) => one === value),
  };
}

const im2colRules: RulesFor<Im2colOptions> = {
  lowerCorner: corner,
  upperCorner: corner,
  channelsPerPixel: whole(mostInBox, String(mostInBox), 1),
  pixelsPerColumn: whole(mostPixels, String(mostPixels), 1),
};

/** The rules for all options of a tensor map except `tensor`, which job files specify in a different way. */
export const boxRules: RulesFor<Omit<TensorMapOptions, 'tensor'>> = {
  type: oneOf(...tensorElementTypes),
  dimensions: count(2 ** 32, '2^32'),
  strides: count(2 ** 40 - 16, '2^40 - 16'),
  box: count(mostInBox, String(mostInBox)),
  im2col: objectOf<Im2colOptions>(im2colRules),
  elementStrides: count(8, '8'),
  swizzle: among<Swizzle['bytes']>(0, 32, 64, 96, 128),
  swizzleAtom: among<(typeof swizzleAtoms)[number]>(...swizzleAtoms),
  fill: oneOf('zeros', 'nan'),
};

const level: Rule<number> = {
  takes: 'a number',
  accepts: (value) => typeof value === 'number' && !Number.isNaN(value),
};

/** The rules for all options of a surface except `texels`, which job files specify in a different way. */
export const texelRules: RulesFor<Omit<TexelOptions, 'texels'>> = {
  type: oneOf(...texelTypeNames),
  channels: among(1, 2, 4),
  size: count(2 ** 27, '2^27'),
  layers: whole(2 ** 16, '2^16', 1),
  cube: flag,
  rowBytes: whole(2 ** 32, '2^32', 1),
};

/** The rules for all options of a texture except `texels`. */
export const textureRules: RulesFor<Omit<TextureOptions, 'texels'>> = {
  ...texelRules,
  levels: whole(32, '32', 1),
  addressMode: {
    takes: `one of ${textureAddressModes.map((mode) => `'${mode}'`).join(', ')}, or a list of one to three of them`,
    accepts: (value) => {
      const modes: readonly unknown[] = Array.isArray(value) ? value : [value];
      return (
        modes.length >= 1 && modes.length <= 3 && modes.every((mode) => textureAddressModes.some((one) => one === mode))
      );
    },
  },
  filter: oneOf('point', 'linear'),
  levelFilter: oneOf('point', 'linear'),
  normalizedCoordinates: flag,
  normalizedTexels: flag,
  border: {
    takes: 'a list of four numbers',
    accepts: (value) => Array.isArray(value) && value.length === 4 && value.every((one) => typeof one === 'number'),
  },
  levelBias: level,
  leastLevel: level,
  greatestLevel: level,
};

const { addressMode, filter, levelFilter, border, levelBias, leastLevel, greatestLevel } = textureRules;

export const samplerRules: RulesFor<SamplerOptions> = {
  addressMode,
  filter,
  levelFilter,
  border,
  levelBias,
  leastLevel,
  greatestLevel,
  forcesTexelCoordinates: flag,
};
