/** Prepares a plan for running a conversion on several machines. */
import { basename } from 'node:path';
import { elementAt } from '../../base/element-at.ts';
import { largestOf, needsLargest } from '../../tensors/conversion-pieces.ts';
import { pieceSizes } from '../../tensors/convert-file.ts';
import { modelOf } from '../../tensors/checkpoints/model-tensors.ts';
import { requireValues } from '../../tensors/lost-values.ts';
import type { ConversionPlan } from '../../tensors/conversion-plan.ts';
import type { ConvertFlags } from '../convert/choice.ts';
import { UsageError } from '../exit.ts';
import { filesOfInput } from '../input-files.ts';
import { openTensors, type TensorInput } from '../tensor-input.ts';
import { conversionOf, layoutHash, positionOf } from './convert-input.ts';
import type { UnitRange } from './cut.ts';
import type { Session } from '../session.ts';
import { modelWords, warn } from '../warnings.ts';
import { hashInput } from './inputs.ts';
import type { Draft } from './manifest.ts';
import type { ConvertChoice, ConvertWhat } from './what.ts';

export interface PlanConvertFlags extends ConvertFlags {
  /** The name of the merged file, or just its extension. */
  readonly as?: string;
  readonly quiet?: boolean;
}

/** @param folder the plan's folder */
export async function draftConvert(
  paths: readonly string[],
  flags: PlanConvertFlags,
  folder: string,
  session: Session,
): Promise<Draft> {
  const [path, ...others] = paths;
  if (path === undefined || others.length > 0) throw new UsageError('plan convert takes one file: IN');
  const output = basename(flags.as ?? 'model.safetensors');
  const input = await openTensors(path, { ...flags, only: [] });
  try {
    if (flags.quiet !== true) await warn(session.stderr, path, modelWords(modelOf(input.file)));
    const conversion = conversionOf(input, output, flags);
    await requireValues(conversion, input.file);
    const sizes = await pieceSizes(conversion, input.file);
    const inputs = [];
    for (const file of filesOfInput(input)) inputs.push(await hashInput(folder, file, true));
    await input.requireUnchanged();
    const all = sizes.flat();
    const outputs = all.map(({ outSize }) => outSize);
    const pieces = sizes.map((list) => list.length);
    return {
      gpus: [],
      inputs,
      // The cost of a piece includes reading it and writing its result.
      weights: all.map(({ size, outSize }) => size + outSize + pieceCost),
      leastShard,
      files: new Map(),
      cut: async (shards) => {
        const dataBytes = shards.map(({ from, to }) => outputs.slice(from, to).reduce((sum, size) => sum + size, 0));
        const maxima = await maximaFor(path, flags, conversion, cutTensors(pieces, shards));
        const what: ConvertWhat = {
          command: 'convert',
          choice: choiceOfFlags(flags),
          output,
          layout: layoutHash(conversion),
          pieces,
          dataBytes,
          maxima,
        };
        const largest = Math.max(0, ...all.map(({ size, outSize }) => size + outSize));
        return {
          what,
          task: {
            cpus: 1,
            memoryBytes: baseMemory + 8 * largest,
            diskBytes: Math.max(...dataBytes) + 2 ** 20,
          },
        };
      },
    };
  } finally {
    await input.close();
  }
}

/** The fixed cost of a piece. It is equal to the cost of this number of bytes. */
const pieceCost = 2 ** 12;

/** Converting a shard of this cost takes 1.5 to 3 s. */
const leastShard = 1.5e9;

const baseMemory = 256 * 2 ** 20;

/** The tensors that are converted by more than one shard. */
function cutTensors(pieces: readonly number[], shards: readonly UnitRange[]): ReadonlySet<number> {
  const cuts = shards.map(({ from }) => positionOf(pieces, from));
  return new Set(cuts.flatMap(({ work, piece }) => (piece > 0 ? [work] : [])));
}

/**
 * Computes the largest magnitudes of tensors whose scales depend on the whole tensor. If such a tensor is divided
 * between several shards, none of the shards can compute the largest magnitude, so it is computed when the plan is
 * made.
 */
async function maximaFor(
  path: string,
  flags: ConvertFlags,
  conversion: ConversionPlan,
  cut: ReadonlySet<number>,
): Promise<Readonly<Record<string, string>>> {
  const needed = [...cut].map((work) => elementAt(conversion.work, work)).filter(needsLargest);
  if (needed.length === 0) return {};
  const input: TensorInput = await openTensors(path, { ...flags, only: [] });
  try {
    const { file } = modelOf(input.file);
    const maxima: [string, string][] = [];
    for (const work of needed) maxima.push([work.entry.name, String(await largestOf(file, work))]);
    return Object.fromEntries(maxima);
  } finally {
    await input.close();
  }
}

function choiceOfFlags(flags: PlanConvertFlags): ConvertChoice {
  const { to, only, keep, scale, layout, scaleRule, rounding, seed, saturate, semantics, shardSize, dtype, shape } =
    flags;
  const all = {
    to,
    only,
    keep,
    scale,
    layout,
    scaleRule,
    rounding,
    seed,
    saturate,
    semantics,
    shardSize,
    dtype,
    shape,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
