/** The output of `convert`: a plan for people and as JSON, and a report of the result. */
import { printable } from '../../diagnostics/renderers/printable.ts';
import type { ConversionPlan, TensorWork } from '../../tensors/conversion-plan.ts';
import type { TensorEntry } from '../../tensors/tensor-file.ts';
import { alignColumns } from '../columns.ts';
import { plural, shapeText } from '../inspect/text.ts';
import { bytesText } from '../number-text.ts';

function outputsOf(work: TensorWork): readonly TensorEntry[] {
  if (work.kind !== 'quantize') return [work.out];
  return [work.out, work.scales, ...(work.second === null ? [] : [work.second])];
}

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

export function planJson({ work, layout }: ConversionPlan): object {
  return {
    container: layout.container,
    bytes: layout.size,
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
