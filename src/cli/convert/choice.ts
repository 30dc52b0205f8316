/**
 * Turns the flags of `ptxlab convert` into the options of a conversion, and determines the container format of the
 * output file.
 */
import { basename } from 'node:path';
import type { Granularity } from '../../arrays/quantized/quantized-array.ts';
import type { Semantics } from '../../arrays/semantics/semantic-rules.ts';
import { PtxlabError } from '../../base/error.ts';
import { matchesGlob } from '../../base/glob.ts';
import { printable } from '../../diagnostics/renderers/printable.ts';
import type { Rounding } from '../../numerics/conversion.ts';
import { requireConversion } from '../../tensors/conversion-target.ts';
import type { ConversionChoice } from '../../tensors/conversion-choice.ts';
import type { Sharding } from '../../tensors/safetensors/sharded-layout.ts';
import { type CheckpointLayout, checkpointLayouts, isLinearWeight } from '../../tensors/checkpoints/written-layouts.ts';
import { type Container, containerNamed, containers } from '../../tensors/containers.ts';
import { UsageError } from '../exit.ts';
import { plural } from '../number-text.ts';
import type { CommonFlags } from '../options.ts';
import type { TensorFlags, TensorInput } from '../tensor-input.ts';

export interface ConvertFlags extends CommonFlags, TensorFlags {
  readonly to?: string;
  readonly keep?: readonly string[];
  readonly scale?: string;
  readonly layout?: string;
  readonly scaleRule?: string;
  readonly rounding?: string;
  readonly seed?: string;
  /** False if `--no-saturate` is given. Commander stores a flag called `--no-NAME` under NAME. */
  readonly saturate?: boolean;
  readonly semantics?: string;
  readonly shardSize?: string;
  readonly force?: boolean;
  readonly resume?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const granularities: Readonly<Record<string, Granularity | 'none'>> = {
  tensor: 'tensor',
  row: 'row',
  block: 'tile',
  none: 'none',
};
const layouts: Readonly<Record<string, CheckpointLayout>> = Object.fromEntries(
  checkpointLayouts.map((layout) => [layout, layout]),
);
const scaleRules = { floor: 'floor', up: 'up' } as const;
const roundings: Readonly<Record<string, Rounding>> = { rn: 'rn', rz: 'rz', rm: 'rm', rp: 'rp', rna: 'rna', rs: 'rs' };
const stacks: Readonly<Record<string, Semantics>> = { ptx: 'ptx', ocp: 'ocp', ml_dtypes: 'ml_dtypes', torch: 'torch' };

/** @throws UsageError for a flag with an unknown value */
export function choiceOf(flags: ConvertFlags): ConversionChoice {
  const { to, only = [], keep = [], seed, saturate } = flags;
  if (to === undefined) throw new UsageError('convert needs --to: a format such as e4m3, or a scheme such as mxfp4');
  if (seed !== undefined && !/^-?\d+$/.test(seed)) throw new UsageError(`--seed takes an integer, not '${seed}'`);
  if (seed !== undefined && flags.rounding !== 'rs') throw new UsageError('--seed needs --rounding rs');
  if (seed === undefined && flags.rounding === 'rs') throw new UsageError('--rounding rs needs --seed');
  // Programs that read the checkpoint layouts offered by `--layout` expect only some of the tensors to be quantized.
  const isUsual = flags.layout === undefined ? (): boolean => true : isLinearWeight;
  return {
    to: requireConversion(to),
    scale: oneOf('--scale', flags.scale, granularities),
    layout: oneOf('--layout', flags.layout, layouts),
    scaleRule: oneOf('--scale-rule', flags.scaleRule, scaleRules),
    rounding: oneOf('--rounding', flags.rounding, roundings),
    seed: seed === undefined ? undefined : BigInt(seed),
    saturate: saturate === false ? false : undefined,
    semantics: oneOf('--semantics', flags.semantics, stacks),
    // If a flag specifies the element type, the file consists of a single tensor, and the user wants to convert it.
    anyFormat: flags.dtype !== undefined,
    takes: (name) => (only.length === 0 ? isUsual(name) : isOne(only, name)) && !isOne(keep, name),
  };
}

const isOne = (globs: readonly string[], name: string): boolean => globs.some((glob) => matchesGlob(glob, name));

/**
 * A warning for each `--keep` pattern that matches no tensor.
 *
 * @throws PtxlabError if `--only` matches no tensor
 */
export function idlePatterns({ path, file: { tensors } }: TensorInput, flags: ConvertFlags): readonly string[] {
  const { only = [], keep = [] } = flags;
  const isIdle = (glob: string): boolean => !tensors.some(({ name }) => matchesGlob(glob, name));
  const all = `of its ${plural(tensors.length, 'tensor')}`;
  if (only.length > 0 && only.every(isIdle)) {
    const globs = only.map((glob) => `'${printable(glob)}'`).join(', ');
    throw new PtxlabError('no-such-tensor', `${path}: --only ${globs} matches none ${all}`);
  }
  return keep.filter(isIdle).map((glob) => `${path}: --keep '${printable(glob)}' matches none ${all}`);
}

function oneOf<T>(flag: string, given: string | undefined, values: Readonly<Record<string, T>>): T | undefined {
  if (given === undefined) return undefined;
  if (Object.hasOwn(values, given)) return values[given];
  throw new UsageError(`${flag} takes ${Object.keys(values).join(', ')}, not '${given}'`);
}

const indexEnding = /\.safetensors\.index\.json$/;

/**
 * How to split a model into several files if the output path ends in `.safetensors.index.json`; undefined for a single
 * output file.
 *
 * @throws UsageError if the shard size is invalid, or if a shard size is given for a single output file
 */
export function shardingOf(path: string, { shardSize }: ConvertFlags): Sharding | undefined {
  if (indexEnding.test(path)) {
    return { name: basename(path).replace(indexEnding, ''), mostBytes: bytesFrom(shardSize ?? usualShardSize) };
  }
  if (shardSize === undefined) return undefined;
  throw new UsageError('--shard-size requires an output file called NAME.safetensors.index.json');
}

const usualShardSize = '5GB';

const multiples: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

function bytesFrom(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text.trim()) ?? [];
  const bytes = Number(digits) * (multiples[unit.toLowerCase()] ?? Number.NaN);
  if (bytes > Number.MAX_SAFE_INTEGER) throw new UsageError(`--shard-size takes at most 9007TB, not '${text}'`);
  if (bytes >= 1) return Math.floor(bytes);
  throw new UsageError(`--shard-size takes a size such as 5GB or 500MiB, not '${text}'`);
}

/** @throws UsageError if the extension is unknown */
export function containerOf(path: string): Container {
  if (path === '-') throw new UsageError('the new file is not written sequentially, so it cannot go to stdout');
  if (indexEnding.test(path)) return 'safetensors';
  const container = containerNamed(path);
  if (container !== null) return container;
  const known = Object.values(containers).flatMap(({ endings }) => endings.map((ending) => `.${ending}`));
  throw new UsageError(`'${path}' has an unknown extension; use ${known.join(', ')} or .safetensors.index.json`);
}
