/** Computes the layout of safetensors files that are to be written. */
import { alignUp } from '../../base/align.ts';
import { packingOf, safetensorsBytes } from './safetensors.ts';
import { longestSafetensorsHeader } from './safetensors.ts';
import { safetensorsDtypes } from './dtypes.ts';
import { elementsOf } from '../sizes.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { FileLayout, TensorEntry, TensorPlan } from '../tensor-file.ts';

/**
 * Lays out the file. As in the reference implementation, tensors are sorted by alignment and then by name, and the data
 * begins at a multiple of 8 bytes. Throws TensorFileError for names, dtypes and shapes that a reader would reject.
 */
export function layoutSafetensors(
  plans: readonly TensorPlan[],
  metadata: Readonly<Record<string, string>> = {},
): FileLayout {
  const ranks = new Map([...safetensorsDtypes.keys()].map((name, rank) => [name, rank]));
  const rank = (plan: TensorPlan): number => ranks.get(plan.dtype) ?? -1;
  const sorted = plans.toSorted((a, b) => rank(b) - rank(a) || compareText(a.name, b.name));
  let reached = 0;
  const relative = sorted.map((plan) => {
    const entry = entryOf(plan, reached);
    reached += entry.byteLength;
    return entry;
  });
  requireNames(sorted);
  const header = headerOf(relative, metadata);
  const tensors = relative.map((entry) => ({ ...entry, offset: entry.offset + header.length }));
  return { container: 'safetensors', size: header.length + reached, header, tensors, finish: null, files: null };
}

function entryOf({ name, dtype: spelled, shape }: TensorPlan, offset: number): TensorEntry {
  const dtype = safetensorsDtypes.get(spelled);
  if (dtype === undefined) throw new TensorFileError('unknown-dtype', `safetensors has no dtype ${quote(spelled)}`);
  const elements = elementsOf(shape, name);
  const byteLength = safetensorsBytes(elements, dtype.bits, name);
  const packing = packingOf(dtype.format, dtype.bits);
  return { name, dtype: spelled, format: dtype.format, shape, elements, packing, offset, byteLength, shard: null };
}

function requireNames(sorted: readonly TensorPlan[]): void {
  const names = new Set<string>();
  for (const { name } of sorted) {
    if (name === '__metadata__' || names.has(name))
      throw new TensorFileError('duplicate-name', `two tensors cannot both be called ${quote(name)}`);
    if (/\p{Surrogate}/u.test(name)) throw new TensorFileError('bad-header', `the name ${quote(name)} is not Unicode`);
    names.add(name);
  }
}

function headerOf(tensors: readonly TensorEntry[], metadata: Readonly<Record<string, string>>): Uint8Array {
  const members = tensors.map(({ name, dtype, shape, offset, byteLength }) => [
    name,
    { dtype, shape, data_offsets: [offset, offset + byteLength] },
  ]);
  const all = Object.keys(metadata).length === 0 ? members : [['__metadata__', metadata], ...members];
  const json = all.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',');
  const text = new TextEncoder().encode(`{${json}}`);
  const length = alignUp(text.length, 8);
  if (length > longestSafetensorsHeader)
    throw new TensorFileError('header-too-large', 'a safetensors header holds at most 100 MB of names and metadata');
  const header = new Uint8Array(8 + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(text, 8);
  return header;
}

/** Compares two strings by their code units, so that the order does not depend on the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
