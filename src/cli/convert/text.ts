/** The output of `convert`: the plan as text and as JSON, and a report of the result. */
import { printable } from '../../diagnostics/renderers/printable.ts';
import { formats } from '../../numerics/formats.ts';
import { isLinearWeight } from '../../tensors/checkpoints/written-layouts.ts';
import type { ConversionPlan } from '../../tensors/conversion-plan.ts';
import { outputsOf } from '../../tensors/tensor-work.ts';
import type { ConversionReport } from '../../tensors/convert-file.ts';
import type { NamedOutOfRange } from '../../tensors/conversion-pieces.ts';
import { leastLost, type LostValues } from '../../tensors/lost-values.ts';
import { joinWords } from '../../base/join-words.ts';
import { alignColumns } from '../columns.ts';
import { shapeText } from '../inspect/text.ts';
import { bytesText, countText, plural } from '../number-text.ts';
import { nonFiniteWords, someNames } from '../warnings.ts';

export function planText({ work, layout }: ConversionPlan): string {
  const rows = work.map((one) => {
    const outputs = outputsOf(one);
    const to = one.kind === 'copy' ? 'as it is' : outputs.map(({ dtype }) => dtype).join(' + ');
    const bytes = outputs.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const { dtype, shape, name } = one.entry;
    return [dtype, to, shapeText(shape, false), bytesText(bytes), printable(name)];
  });
  const head = ['from', 'to', 'shape', 'size', 'name'];
  const lines = alignColumns([head, ...rows], ['left', 'left', 'right', 'right', 'left']);
  const files = layout.files === null ? '' : ` in ${plural(layout.files.length - 1, 'file')} and an index`;
  return `${lines.join('\n')}\n\n${plural(work.length, 'tensor')}, ${bytesText(layout.size)}${files}\n`;
}

/**
 * Tells the user that tensors converted to an integer type get scales even without `--scale`; empty if there are no
 * such tensors, or if the user has chosen scales or a layout.
 */
export function scaleNote({ choice, work }: ConversionPlan): string {
  const made = work.find((one) => one.kind === 'quantize' && one.scheme.block === null);
  if (choice.scale !== undefined || choice.layout !== undefined || made?.kind !== 'quantize') return '';
  return `${made.scheme.name} gets one scale per row, in X_scale; --scale selects other scales, or none\n`;
}

/** A warning if no tensor is converted although the user asked for another format; empty if no warning is needed. */
export function unchangedWords({ choice, work }: ConversionPlan): readonly string[] {
  if (work.length === 0 || work.some(({ kind, entry }) => kind !== 'copy' || entry.format === choice.to)) return [];
  const types = [...new Set(work.map(({ entry }) => entry.dtype))];
  // --dtype has no effect on types without a number format, except for numpy's untyped bytes.
  const bytes = work.some(({ entry }) => /^[<|]V\d+$/.test(entry.dtype))
    ? '; use --dtype to specify the format of raw bytes'
    : '';
  return [`nothing was converted, because tensors of type ${joinWords(types, 'and')} are copied${bytes}`];
}

/**
 * A message about tensors that were to be quantized but stay as they are, because the chosen layout does not support
 * their shapes in quantized form; empty if there are none.
 */
export function keptWords({ choice, work }: ConversionPlan): readonly string[] {
  const { layout, takes = isLinearWeight } = choice;
  if (layout === undefined) return [];
  const kept = work.filter(({ kind, entry }) => kind === 'copy' && entry.shape.length > 1 && takes(entry.name));
  const floats = kept.filter(({ entry: { format } }) => format !== 'opaque' && formats[format].kind === 'float');
  if (floats.length === 0) return [];
  const shown = someNames(floats.map(({ entry }) => entry.name));
  const stay = floats.length === 1 ? '1 tensor stays as it is' : `${countText(floats.length)} tensors stay as they are`;
  return [`${stay}, because ${layout} has only matrices that consist of whole blocks: ${shown}`];
}

/** Warnings about tensors that the user should check after a conversion. */
export function reportWords({ nonFinite, outOfRange, lost }: ConversionReport): readonly string[] {
  return [
    ...nonFinite.map(({ name, nans, infinities }) => nonFiniteWords(name, nans, infinities)),
    ...outOfRange.map(rangeWords),
    ...lost.flatMap(lostWords),
  ];
}

function rangeWords({ name, to, clipped, infinities, nans }: NamedOutOfRange): string {
  const counts = [
    ...(infinities > 0 ? [`${countText(infinities)} became infinite`] : []),
    ...(nans > 0 ? [`${countText(nans)} became NaN`] : []),
    ...(clipped > 0 ? [`${countText(clipped)} became the largest number`] : []),
  ];
  return `${printable(name)} has values out of the range of ${to}: ${joinWords(counts, 'and')}`;
}

function lostWords({ name, share, signs, to }: LostValues): readonly string[] {
  const percent = (part: number): string => `${Math.round(100 * part)}% of ${printable(name)}`;
  const zeros = share > leastLost ? [`${percent(share)} became 0 because it has no scale`] : [];
  const changed = signs > leastLost ? [`${percent(signs)} lost the sign, because ${to} has none`] : [];
  return [...zeros, ...changed];
}

export function planJson({ work, layout, quantizationConfig }: ConversionPlan): object {
  return {
    container: layout.container,
    bytes: layout.size,
    ...(quantizationConfig === null ? {} : { quantizationConfig }),
    files: layout.files?.map(({ name, size }) => ({ name, bytes: size })) ?? null,
    tensors: work.map((one) => ({
      name: one.entry.name,
      action: one.kind,
      from: one.entry.dtype,
      shape: one.entry.shape,
      outputs: outputsOf(one).map(({ name, dtype, shape, byteLength }) => ({ name, dtype, shape, bytes: byteLength })),
    })),
  };
}

export function summaryText({ work, layout }: ConversionPlan, sourceBytes: number, seconds: number): string {
  const copied = work.filter(({ kind }) => kind === 'copy').length;
  const rate = bytesText(sourceBytes / Math.max(seconds, 1e-3));
  const sizes = `${bytesText(sourceBytes)} to ${bytesText(layout.size)}`;
  return `${plural(work.length - copied, 'tensor')} converted, ${copied} copied; ${sizes} in ${seconds.toFixed(1)} s (${rate}/s)\n`;
}
