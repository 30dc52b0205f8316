/**
 * Describes the work of a plan. There is a type for each command that can be planned, and there are rules for reading
 * such a description from a manifest.
 */
import type { CheckFormat } from '../check.ts';
import type { TestFormat } from '../test/render.ts';
import {
  flag,
  listOf,
  mapOf,
  mistakeIn,
  objectOf,
  oneOf,
  recordWith,
  type Rule,
  text,
  whole,
} from '../../base/rules.ts';

/** The flags of a sweep that determine what it computes. */
export interface SweepChoice {
  readonly chunks?: string;
  readonly rbits?: string;
  readonly scale?: string;
  readonly target?: string;
  readonly isa?: string;
}

/** One instruction of a sweep. A unit is a group of chunks that the kernel computes together. */
export interface PlannedSweep {
  /** The name of the instruction in a digest file. */
  readonly name: string;
  readonly firstChunk: number;
  readonly chunks: number;
  /** Inputs per chunk. */
  readonly chunkSize: number;
  /** Chunks per unit. */
  readonly lanes: 1 | 4;
  /** SHA-256 of the compiled kernel, `kernels/HASH.wasm` in the plan's folder. */
  readonly kernel: string;
}

export interface SweepWhat {
  readonly command: 'sweep';
  readonly choice: SweepChoice;
  readonly sweeps: readonly PlannedSweep[];
}

/** The flags of a conversion that determine what it computes. */
export interface ConvertChoice {
  readonly to?: string;
  readonly only?: readonly string[];
  readonly keep?: readonly string[];
  readonly scale?: string;
  readonly layout?: string;
  readonly scaleRule?: string;
  readonly rounding?: string;
  readonly seed?: string;
  readonly saturate?: boolean;
  readonly semantics?: string;
  readonly shardSize?: string;
  readonly dtype?: string;
  readonly shape?: string;
}

/** A conversion of the plan's first input. A unit is a piece of a tensor. */
export interface ConvertWhat {
  readonly command: 'convert';
  readonly choice: ConvertChoice;
  /** A name for the merged file; its extension determines the container. */
  readonly output: string;
  /** The SHA-256 of a text that describes where each part of the output is placed. */
  readonly layout: string;
  /** The number of pieces of each tensor. */
  readonly pieces: readonly number[];
  /** The size of each shard's data. */
  readonly dataBytes: readonly number[];
  /**
   * The largest magnitude of each tensor that is divided between shards and whose scales depend on the whole tensor.
   */
  readonly maxima: Readonly<Record<string, string>>;
}

/** The flags of a check that determine what it writes. */
export interface CheckChoice {
  readonly format: CheckFormat;
  readonly target?: string;
  readonly isa?: string;
  readonly W?: 'error';
  readonly all?: boolean;
  readonly source?: boolean;
}

export interface CheckedFile {
  /** The name of the file as it is written in findings. */
  readonly name: string;
  /**
   * The path of the settings file that applies to this file; empty if there is none. Settings files are inputs of the
   * plan, too.
   */
  readonly settings: string;
}

/** A check of several files. These files are the first inputs of the plan, and each of them is a unit. */
export interface CheckWhat {
  readonly command: 'check';
  readonly choice: CheckChoice;
  readonly files: readonly CheckedFile[];
}

/** The flags of `test` that determine what it runs and writes. */
export interface TestChoice {
  readonly format: TestFormat;
  readonly filter?: string;
}

export interface PlannedSuite {
  /** The name of the suite as it is written in results. */
  readonly name: string;
  /**
   * The number of selected tests. A test that runs for several GPUs or targets is counted once for each combination of
   * GPU and target.
   */
  readonly cases: number;
}

/** The first inputs of the plan are the suites. A unit is one test for one GPU and target. */
export interface TestWhat {
  readonly command: 'test';
  readonly choice: TestChoice;
  readonly suites: readonly PlannedSuite[];
}

export type What = SweepWhat | ConvertWhat | CheckWhat | TestWhat;

export const count: Rule<number> = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1');

const whats: { readonly [Command in What['command']]: Rule<Extract<What, { readonly command: Command }>> } = {
  sweep: recordWith<SweepWhat>({
    command: oneOf('sweep'),
    choice: objectOf<SweepChoice>({ chunks: text, rbits: text, scale: text, target: text, isa: text }),
    sweeps: listOf(
      recordWith<PlannedSweep>({
        name: text,
        firstChunk: count,
        chunks: count,
        chunkSize: count,
        lanes: { takes: '1 or 4', accepts: (value) => value === 1 || value === 4 },
        kernel: text,
      }),
    ),
  }),
  convert: recordWith<ConvertWhat>({
    command: oneOf('convert'),
    choice: objectOf<ConvertChoice>({
      to: text,
      only: listOf(text),
      keep: listOf(text),
      scale: text,
      layout: text,
      scaleRule: text,
      rounding: text,
      seed: text,
      saturate: flag,
      semantics: text,
      shardSize: text,
      dtype: text,
      shape: text,
    }),
    output: text,
    layout: text,
    pieces: listOf(count),
    dataBytes: listOf(count),
    maxima: mapOf(text),
  }),
  check: recordWith<CheckWhat>({
    command: oneOf('check'),
    choice: objectOf<CheckChoice>({
      format: oneOf('pretty', 'ptxas', 'json', 'sarif', 'github', 'junit'),
      target: text,
      isa: text,
      W: oneOf('error'),
      all: flag,
      source: flag,
    }),
    files: listOf(recordWith<CheckedFile>({ name: text, settings: text })),
  }),
  test: recordWith<TestWhat>({
    command: oneOf('test'),
    choice: objectOf<TestChoice>({ format: oneOf('table', 'junit', 'tap', 'json'), filter: text }),
    suites: listOf(recordWith<PlannedSuite>({ name: text, cases: count })),
  }),
};

const byCommand: ReadonlyMap<unknown, Rule<unknown>> = new Map(Object.entries(whats));

function ruleFor(value: unknown): Rule<unknown> | undefined {
  return typeof value === 'object' && value !== null && 'command' in value ? byCommand.get(value.command) : undefined;
}

export const whatRule: Rule<What> = {
  takes: `an object whose command is ${[...byCommand.keys()].join(' or ')}`,
  accepts: (value) => ruleFor(value) !== undefined,
  inside: (value, path) => {
    const rule = ruleFor(value);
    return rule === undefined ? null : mistakeIn(value, rule, path);
  },
};
