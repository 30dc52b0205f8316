/** Opens the input of a planned conversion and plans its pieces, in the same way on every machine. */
import { planConversion, type ConversionPlan } from '../../tensors/conversion-plan.ts';
import type { Position } from '../../tensors/convert-file.ts';
import { choiceOf, containerOf, type ConvertFlags, shardingOf } from '../convert/choice.ts';
import { elementAt } from '../../base/element-at.ts';
import { UsageError } from '../exit.ts';
import { openTensors, type TensorInput } from '../tensor-input.ts';
import { checkedFile, pathOfInput } from './inputs.ts';
import { hashOf, type Plan } from './manifest.ts';
import type { ConvertWhat } from './what.ts';

export interface OpenConversion {
  readonly input: TensorInput;
  readonly conversion: ConversionPlan;
}

/** Plans how an opened input is converted to an output file with this name. */
export function conversionOf(input: TensorInput, output: string, flags: ConvertFlags): ConversionPlan {
  return planConversion(input.file, containerOf(output), { ...choiceOf(flags), shards: shardingOf(output, flags) });
}

/**
 * Returns a hash of the output's layout: its container, its header, and the position of each tensor. If the output
 * consists of several files, their names do not affect the hash, because only the merge chooses them.
 */
export function layoutHash({ work, layout }: ConversionPlan): string {
  const places = work.map((one) => [one.kind, one.entry, one.out]);
  return hashOf(JSON.stringify([layout.container, Buffer.from(layout.header).toString('base64'), places]));
}

/**
 * Opens the input of a plan. Reading from the input fails if its contents have changed since the manifest was written.
 */
export async function openConversion(plan: Plan, { choice, output, layout }: ConvertWhat): Promise<OpenConversion> {
  const { inputs } = plan.manifest;
  const paths = new Map(inputs.map((input) => [pathOfInput(plan.folder, input), input]));
  const from = pathOfInput(plan.folder, elementAt(inputs, 0));
  const flags: ConvertFlags = { ...choice, color: 'auto' };
  const input = await openTensors(from, { ...flags, only: [] }, (opened) => checkedFile(opened, paths));
  try {
    const conversion = conversionOf(input, output, flags);
    if (layoutHash(conversion) !== layout)
      throw new UsageError(`${from}: would not be converted as planned; a config.json beside it may have changed`);
    return { input, conversion };
  } catch (error) {
    await input.close();
    throw error;
  }
}

/**
 * The tensor and the piece that a unit corresponds to. The pieces of all tensors are numbered consecutively, and these
 * numbers identify the units.
 */
export function positionOf(pieces: readonly number[], unit: number): Position {
  let before = 0;
  for (const [work, count] of pieces.entries()) {
    if (unit < before + count) return { work, piece: unit - before };
    before += count;
  }
  return { work: pieces.length, piece: 0 };
}
