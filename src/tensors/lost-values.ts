/** Checks whether a conversion without scales preserves the values. */
import { convert } from '../arrays/convert.ts';
import { elementDecoder } from '../arrays/elements/element-values.ts';
import { bytesOf } from '../arrays/storage.ts';
import { PtxlabError } from '../base/error.ts';
import { elementAt } from '../base/element-at.ts';
import { type FormatName, formats, type NumberFormat } from '../numerics/formats.ts';
import { modelOf } from './checkpoints/model-tensors.ts';
import type { ConversionPlan } from './conversion-plan.ts';
import type { TensorWork } from './tensor-work.ts';
import { ElementReader } from './element-reader.ts';
import { scaledValues } from './scales.ts';
import type { TensorFile } from './tensor-file.ts';
import { loadUnit } from './tensor-values.ts';

/** A tensor in which many values are lost. */
export interface LostValues {
  readonly name: string;
  /** The fraction of the nonzero values that become 0 or NaN. */
  readonly share: number;
  /** If the format has no sign, the fraction of the nonzero values that are negative. */
  readonly signs: number;
  readonly to: FormatName;
}

/** A tensor is reported only if more than this fraction of its values is lost. */
export const leastLost = 0.1;

/** Number of elements in each of the ranges that make up a sample. */
const rangeElements = 1024;
const ranges = 4;

/**
 * Checks samples of the tensors that are converted without scales to a format of at most 8 bits, or to integers. If the
 * caller explicitly asked for no scales, only lost signs count.
 *
 * @returns the tensors in which more than a tenth of the values become 0 or NaN, or lose their sign
 * @throws PtxlabError `values-lost` if more than half of the values in the sampled tensors are lost
 */
export async function requireValues(plan: ConversionPlan, file: TensorFile): Promise<readonly LostValues[]> {
  const isAsked = plan.choice.scale === 'none';
  const model = modelOf(file);
  const found: LostValues[] = [];
  let [lostElements, elements] = [0, 0];
  for (const work of plan.work) {
    if (work.kind !== 'convert' || !isNarrow(work)) continue;
    if (isAsked && formats[work.to].signed) continue;
    const { zeros, signs } = await lostShares(plan, model.file, work);
    const share = isAsked ? 0 : zeros;
    if (share > leastLost || signs > leastLost) found.push({ name: work.entry.name, share, signs, to: work.to });
    lostElements += (zeros + signs) * work.entry.elements;
    elements += work.entry.elements;
  }
  if (!isAsked && lostElements > elements / 2) throw lostError(plan, lostElements / elements);
  return found;
}

function lostError({ choice: { to } }: ConversionPlan, share: number): PtxlabError {
  const percent = Math.round(100 * share);
  return new PtxlabError(
    'values-lost',
    `without scales, ${percent}% of the values become 0 or lose their sign in ${to}: use e4m3 or s8 with ` +
      `--scale row, mxfp8, mxfp4 or nvfp4, or --scale none to convert anyway`,
  );
}

function isNarrow({ to }: TensorWork & { kind: 'convert' }): boolean {
  return formats[to].width <= 8 || formats[to].kind !== 'float';
}

async function lostShares(
  { choice }: ConversionPlan,
  file: TensorFile,
  { entry, beside, to }: TensorWork & { kind: 'convert' },
): Promise<{ readonly zeros: number; readonly signs: number }> {
  const scaled = beside === null ? null : await scaledValues(file, entry, beside);
  const reader = new ElementReader(file, entry, scaled);
  const { saturate, semantics, rounding } = choice;
  const options = {
    ...(saturate === undefined ? {} : { saturate }),
    ...(semantics === undefined ? {} : { semantics }),
    ...(rounding === undefined || rounding === 'rs' ? {} : { rounding }),
  };
  let [zeros, signs, all] = [0, 0, 0];
  for (const [first, count] of rangesOf(entry.elements)) {
    const { source, from } = await reader.values(first, count);
    const before = signsOf(source, from, count);
    const packing = formats[to].width < 8 ? ({ packing: 'bytes' } as const) : {};
    const codes = convert(source, { ...options, from, to, ...packing });
    const after = signsOf(codes, to, count);
    for (const [i, sign] of before.entries()) {
      if (sign === 0 || Number.isNaN(sign)) continue;
      all += 1;
      if (sign < 0 && !formats[to].signed) signs += 1;
      else if (elementAt(after, i) !== sign) zeros += 1;
    }
  }
  return all === 0 ? { zeros: 0, signs: 0 } : { zeros: zeros / all, signs: signs / all };
}

/**
 * Returns the sign of each element: -1, 0, 1 or NaN. For formats of up to 16 bits, the sign is computed directly from
 * the code, because compiling a decoder would take longer than the whole check.
 */
function signsOf(elements: ArrayBufferView, format: FormatName, count: number): readonly number[] {
  const { width } = formats[format];
  const bytes = bytesOf(elements);
  if (width > 16) return Array.from(elementDecoder(format, false).values(bytes, count), Math.sign);
  const codes = width > 8 ? new Uint16Array(bytes.buffer, bytes.byteOffset, count) : bytes;
  return Array.from(codes, (code) => signOf(formats[format], code));
}

function signOf(format: NumberFormat, code: number): number {
  const { width, signed } = format;
  const isNegative = signed && code >>> (width - 1) === 1;
  if (format.kind !== 'float') return code === 0 ? 0 : isNegative ? -1 : 1;
  const magnitude = signed ? code & (2 ** (width - 1) - 1) : code;
  const allOnes = 2 ** (width - Number(signed)) - 1;
  const infinity = allOnes - (2 ** format.fractionBits - 1);
  if (format.nan === 'ieee' ? magnitude > infinity : format.nan === 'all-ones' && magnitude === allOnes)
    return Number.NaN;
  if (magnitude === 0 && format.subnormals) return 0;
  return isNegative ? -1 : 1;
}

/**
 * The ranges of elements that make up a sample: the whole tensor if it is small, and otherwise several ranges that are
 * evenly spread over it.
 */
function rangesOf(elements: number): readonly (readonly [first: number, count: number])[] {
  if (elements <= ranges * rangeElements) return elements === 0 ? [] : [[0, elements]];
  const step = Math.floor((elements - rangeElements) / (ranges - 1) / loadUnit) * loadUnit;
  return Array.from({ length: ranges }, (_, i) => [i * step, rangeElements] as const);
}
