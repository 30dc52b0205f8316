/**
 * The rules for the contents of a job file, with one row for each key. The options of launches and devices follow the
 * same rules as in the library.
 */
import { either, flag, listOf, mapOf, objectOf, type Rule, type RulesFor, text, whole } from '../../base/rules.ts';
import type { SamplerOptions, TensorMapOptions, TexelOptions, TextureOptions } from '../../device.ts';
import {
  boxRules,
  deviceRules,
  type PlainLaunch,
  plainLaunchRules,
  samplerRules,
  texelRules,
  textureRules,
} from '../../device/check-options.ts';
import { type Generated, generatedRules } from './generated.ts';
import { scalarTypes } from './values.ts';

/** A number or a boolean. A string is used for 64-bit integers, and for floats that are not finite. */
export type JobScalar = number | string | boolean;

/**
 * The contents of a buffer or variable. Exactly one key determines how they are specified: `hex`, `zeros`, `file`, a
 * generator such as `ramp`, or a scalar type such as `u32`, whose value is a list of scalars.
 */
export interface JobContents extends Generated {
  readonly hex?: string;
  /** A number of bytes. */
  readonly zeros?: number;
  readonly file?: string;
  /** The number of bytes to read from the file. Default: all of them. */
  readonly bytes?: number;
  readonly [type: string]: unknown;
}

/**
 * A tensor map. `tensor` is the buffer that contains the tensor: the name of a shared buffer, or the index of an
 * argument.
 */
export interface JobTensorMap extends Omit<TensorMapOptions, 'tensor'> {
  readonly tensor?: string | number;
}

/**
 * A surface. `texels` is the buffer that contains the texels: the name of a shared buffer, or the index of an argument.
 */
export interface JobSurface extends Omit<TexelOptions, 'texels'> {
  readonly texels?: string | number;
}

/** A texture; see `JobSurface`. */
export interface JobTexture extends Omit<TextureOptions, 'texels'> {
  readonly texels?: string | number;
}

/** The texture, surface or sampler that a variable is bound to. The object has exactly one key. */
export interface JobHandle {
  readonly texture?: JobTexture;
  readonly surface?: JobSurface;
  readonly sampler?: SamplerOptions;
}

/**
 * An argument, which has exactly one key. The value of the key `buffer` is the contents of a buffer or the name of a
 * shared buffer. The value of `bytes` is a string of hex digits. The values of `tensorMap`, `texture` and `surface`
 * describe a tensor or texels in a buffer, and the value of `sampler` describes a sampler. The value of `shared` is a
 * number of bytes of shared memory, and the value of `struct` describes a structure. If the key is a scalar type such as
 * `u32`, its value is a scalar.
 */
export interface JobArgument extends JobHandle {
  readonly buffer?: string | JobContents;
  readonly bytes?: string;
  readonly shared?: number;
  readonly tensorMap?: JobTensorMap;
  readonly struct?: JobStruct;
  readonly [type: string]: JobScalar | JobContents | JobTensorMap | JobTexture | JobStruct | SamplerOptions | undefined;
}

/** A structure. `bytes` is its size, or its bytes as hex digits; the parts replace some of these bytes. */
export interface JobStruct {
  readonly bytes?: number | string;
  readonly parts?: readonly JobStructPart[];
}

/** An argument at the offset `at` in a structure. Buffers are those that the job names; the part is their address. */
export interface JobStructPart {
  readonly at?: number;
  readonly buffer?: string;
  readonly bytes?: string;
  readonly tensorMap?: JobTensorMap;
  readonly [type: string]: JobScalar | JobTensorMap | undefined;
}

export interface JobTrace {
  readonly thread?: number | readonly number[];
  readonly block?: number | readonly number[];
  readonly lines?: readonly number[];
}

export interface JobLaunch extends PlainLaunch {
  readonly entry?: string;
  readonly args?: readonly JobArgument[];
  readonly variables?: Readonly<Record<string, JobContents>>;
  /** The textures, surfaces and samplers of the module, by the names of their variables. */
  readonly bind?: Readonly<Record<string, JobHandle>>;
  readonly trace?: boolean | JobTrace;
}

/** If a job has a list of launches, the launch keys at the top level are defaults for all launches in the list. */
export interface JobFile extends JobLaunch {
  readonly ptx?: string;
  readonly source?: string;
  readonly target?: string;
  readonly isa?: string;
  readonly gpu?: string;
  readonly workers?: number;
  readonly repeat?: number;
  readonly memory?: number;
  readonly buffers?: Readonly<Record<string, JobContents>>;
  readonly read?: readonly string[];
  readonly launches?: readonly JobLaunch[];
}

const scalar: Rule<JobScalar> = {
  takes: "a number, or a string such as '-5', '0x1f' or 'nan'",
  accepts: (value) => ['number', 'string', 'boolean'].includes(typeof value),
};

const count = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1');

/** Creates a list of rules that contains the same rule for each scalar type. */
function ofScalarTypes<T>(rule: Rule<T>): Readonly<Record<string, Rule<T>>> {
  return Object.fromEntries(scalarTypes.map((type) => [type, rule]));
}

export const contentsRules: RulesFor<JobContents> = {
  hex: text,
  zeros: count,
  file: text,
  bytes: count,
  ...generatedRules,
  ...ofScalarTypes(listOf(scalar, 'a list of numbers')),
};

const contents: Rule<JobContents> = objectOf(contentsRules);

const handleRules = {
  texture: objectOf<JobTexture>({ texels: either(text, count), ...textureRules }),
  surface: objectOf<JobSurface>({ texels: either(text, count), ...texelRules }),
  sampler: objectOf<SamplerOptions>(samplerRules),
};

/** The size of a structure; no parameter is larger. */
export const structSize: Rule<number> = whole(2 ** 15, '2^15');

const tensorMap: Rule<JobTensorMap> = objectOf<JobTensorMap>({ tensor: either(text, count), ...boxRules });

const structPart: Rule<JobStructPart> = objectOf<JobStructPart>({
  at: count,
  buffer: text,
  bytes: text,
  tensorMap,
  ...ofScalarTypes(scalar),
});

const argument: Rule<JobArgument> = objectOf<JobArgument>({
  buffer: either(text, contents),
  bytes: text,
  shared: count,
  tensorMap,
  struct: objectOf<JobStruct>({ bytes: either(structSize, text), parts: listOf(structPart) }),
  ...handleRules,
  ...ofScalarTypes(scalar),
});

const index: Rule<number | readonly number[]> = either(count, listOf(count, 'a list of whole numbers'));

const launchKeys: RulesFor<JobLaunch> = {
  entry: text,
  ...plainLaunchRules,
  args: listOf(argument),
  variables: mapOf(contents),
  bind: mapOf(objectOf<JobHandle>(handleRules)),
  trace: either(flag, objectOf<JobTrace>({ thread: index, block: index, lines: listOf(count) })),
};

export const jobRules: RulesFor<JobFile> = {
  ...launchKeys,
  ptx: text,
  source: text,
  target: deviceRules.target,
  isa: deviceRules.isa,
  gpu: deviceRules.gpu,
  workers: deviceRules.workers,
  repeat: whole(2 ** 31, '2^31', 1),
  memory: deviceRules.memory,
  buffers: mapOf(contents),
  read: listOf(text, 'a list of variable names'),
  launches: listOf(objectOf(launchKeys), 'a list of launches'),
};
