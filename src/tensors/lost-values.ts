/** Whether a conversion without scales leaves anything of the values. */
import { convert } from '../arrays/convert.ts';
import { elementDecoder } from '../arrays/elements/element-values.ts';
import { bytesOf } from '../arrays/storage.ts';
import { PtxlabError } from '../base/error.ts';
import { elementAt } from '../base/element-at.ts';
import { formats } from '../numerics/formats.ts';
import { modelOf } from './checkpoints/model-tensors.ts';
import type { ConversionPlan, TensorWork } from './conversion-plan.ts';
import { ElementReader } from './element-reader.ts';
import { scaledValues } from './scales.ts';
import type { TensorFile } from './tensor-file.ts';
import { loadUnit } from './tensor-values.ts';

/** A tensor of which more than half of the values are lost. */
export interface LostValues {
  readonly name: string;
  /** Of the values that are not 0, the part that becomes 0, NaN or a number of the other sign. */
  readonly share: number;
}

/** Elements of a sample, which consists of a few ranges. */
const rangeElements = 1024;
const ranges = 4;

/**
 * Looks at samples of the tensors that are converted without scales to a format of at most 8 bits, or to integers.
 *
 * @returns the tensors that lose most of their values; empty if the choice says that there are to be no scales
 * @throws PtxlabError `values-lost` if these are most of the values of the file
 */
export async function requireValues(plan: ConversionPlan, file: TensorFile): Promise<readonly LostValues[]> {
  if (plan.choice.scale === 'none') return [];
  const model = modelOf(file);
  const found: LostValues[] = [];
  let [lostElements, elements] = [0, 0];
  for (const work of plan.work) {
    if (work.kind !== 'convert' || !isNarrow(work)) continue;
    const share = await lostShare(plan, model.file, work);
    if (share > 0.5) found.push({ name: work.entry.name, share });
    lostElements += share * work.entry.elements;
    elements += work.entry.elements;
  }
  if (lostElements > elements / 2) throw lostError(plan, lostElements / elements);
  return found;
}

function lostError({ choice: { to } }: ConversionPlan, share: number): PtxlabError {
  const percent = Math.round(100 * share);
  return new PtxlabError(
    'values-lost',
    `in ${to} without scales, ${percent} % of the values become 0, NaN or change their sign: choose a type with ` +
      `scales (e4m3 or s8 with --scale row, mxfp8, mxfp4, nvfp4), or --scale none to convert them all the same`,
  );
}

function isNarrow({ to }: TensorWork & { kind: 'convert' }): boolean {
  return formats[to].width <= 8 || formats[to].kind !== 'float';
}

async function lostShare(
  { choice }: ConversionPlan,
  file: TensorFile,
  { entry, beside, to }: TensorWork & { kind: 'convert' },
): Promise<number> {
  const scaled = beside === null ? null : await scaledValues(file, entry, beside);
  const reader = new ElementReader(file, entry, scaled);
  const { saturate, semantics, rounding } = choice;
  const options = {
    ...(saturate === undefined ? {} : { saturate }),
    ...(semantics === undefined ? {} : { semantics }),
    ...(rounding === undefined || rounding === 'rs' ? {} : { rounding }),
  };
  let [lost, all] = [0, 0];
  for (const [first, count] of rangesOf(entry.elements)) {
    const { source, from } = await reader.values(first, count);
    const before = elementDecoder(from, false).values(bytesOf(source), count);
    const packing = formats[to].width < 8 ? ({ packing: 'bytes' } as const) : {};
    const codes = convert(source, { ...options, from, to, ...packing });
    const after = elementDecoder(to, false).values(bytesOf(codes), count);
    for (const [i, value] of before.entries()) {
      if (value === 0 || Number.isNaN(value)) continue;
      all += 1;
      if (Math.sign(elementAt(after, i)) !== Math.sign(value)) lost += 1;
    }
  }
  return all === 0 ? 0 : lost / all;
}

/** The whole tensor, or ranges evenly spread over it. */
function rangesOf(elements: number): readonly (readonly [first: number, count: number])[] {
  if (elements <= ranges * rangeElements) return elements === 0 ? [] : [[0, elements]];
  const step = Math.floor((elements - rangeElements) / (ranges - 1) / loadUnit) * loadUnit;
  return Array.from({ length: ranges }, (_, i) => [i * step, rangeElements] as const);
}
