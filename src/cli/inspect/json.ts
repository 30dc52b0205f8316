/** The output of `inspect --json` for a file. */
import type { Summary } from '../../arrays/statistics/summary.ts';
import type { MetadataValue, TensorEntry } from '../../tensors/tensor-file.ts';
import type { InspectedTensor, Inspection } from './inspection.ts';
import { jsonNumber } from '../number-text.ts';

export function inspectionJson({ input, model, tensors }: Inspection): object {
  const { path, size, file } = input;
  return {
    file: path,
    container: file.container,
    bytes: size,
    tensors: tensors.flatMap(tensorJson),
    totals: totalsOf(tensors.flatMap(({ parts }) => parts)),
    warnings: model.lookAlikes,
    metadata: Object.fromEntries(Object.entries(file.metadata).map(([key, value]) => [key, metadataJson(value)])),
  };
}

/**
 * A tensor, followed by the other stored tensors that belong to it: its scales, and its codes if these are stored under
 * a different name.
 */
function tensorJson({ entry, layout, parts, summary }: InspectedTensor): readonly object[] {
  const statistics = summary === null ? null : summaryJson(summary);
  const others = parts.filter(({ name }) => name !== entry.name);
  return [
    { ...entryJson(entry), layout: layout?.title ?? null, partOf: null, statistics },
    ...others.map((part) => ({ ...entryJson(part), layout: null, partOf: entry.name, statistics: null })),
  ];
}

function entryJson({ name, dtype, format, packing, shape, elements, byteLength, offset, shard }: TensorEntry): object {
  return { name, dtype, format, packing, shape, elements, bytes: byteLength, offset, shard };
}

function summaryJson({ min, max, amax, mean, exponents, ...counts }: Summary): object {
  const { zeros, subnormals, nans, infinities } = counts;
  const [low, high, largest, average] = [min, max, amax, mean].map(jsonNumber);
  return { min: low, max: high, amax: largest, mean: average, zeros, subnormals, nans, infinities, exponents };
}

/** Converts metadata to JSON. 64-bit integers are converted to strings, so that no digits are lost. */
function metadataJson(value: MetadataValue): unknown {
  if (typeof value === 'object') return value.map(metadataJson);
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'number' ? jsonNumber(value) : value;
}

export interface Total {
  readonly dtype: string;
  readonly tensors: number;
  readonly elements: number;
  readonly bytes: number;
}

/** The totals for each element type, largest first. */
export function totalsOf(entries: readonly TensorEntry[]): readonly Total[] {
  const totals = new Map<string, Total>();
  for (const { dtype, elements, byteLength } of entries) {
    const before = totals.get(dtype) ?? { dtype, tensors: 0, elements: 0, bytes: 0 };
    totals.set(dtype, {
      dtype,
      tensors: before.tensors + 1,
      elements: before.elements + elements,
      bytes: before.bytes + byteLength,
    });
  }
  return [...totals.values()].sort((a, b) => b.bytes - a.bytes);
}
