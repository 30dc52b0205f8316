/**
 * Lays out a model as several safetensors files with an index. The files are treated as one sequence, in which the
 * bytes of each file follow those of the previous one.
 */
import { elementAt } from '../../base/element-at.ts';
import type { ByteSink } from '../bytes.ts';
import { compareText, layoutSafetensors } from './layout.ts';
import type { FileLayout, FilePlace, TensorEntry, TensorPlan } from '../tensor-file.ts';

/** How a model is split into files, and how the files are named. */
export interface Sharding {
  /**
   * The base name of the files. With `model`, the names are `model-00001-of-00003.safetensors`, …, and
   * `model.safetensors.index.json`.
   */
  readonly name: string;
  /** Maximum number of bytes of tensor data per file. A tensor that is larger than this gets a file of its own. */
  readonly mostBytes: number;
}

/**
 * Lays out the files. All tensors of a group go into the same file. The index is the last file. Throws the same errors
 * as `layoutSafetensors`.
 */
export function layoutShards(
  groups: readonly (readonly TensorPlan[])[],
  { name, mostBytes }: Sharding,
  metadata: Readonly<Record<string, string>> = {},
): FileLayout {
  // Names and shapes are checked for all files together, because two tensors with the same name could otherwise end up
  // in different files.
  const sizes = new Map(layoutSafetensors(groups.flat()).tensors.map((entry) => [entry.name, entry.byteLength]));
  const sizeOf = (plans: readonly TensorPlan[]): number =>
    plans.reduce((sum, plan) => sum + (sizes.get(plan.name) ?? 0), 0);
  const shards = cut(groups, sizeOf, mostBytes).map((plans) => layoutSafetensors(plans, metadata));
  const names = shards.map((_, i) => `${name}-${padded(i + 1)}-of-${padded(shards.length)}.safetensors`);
  const index = indexOf(shards, names);
  const files = consecutive([
    ...shards.map(({ size }, i) => [elementAt(names, i), size] as const),
    [`${name}.safetensors.index.json`, index.length],
  ]);
  return {
    container: 'safetensors',
    size: files.reduce((sum, { size }) => sum + size, 0),
    header: shards[0]?.header ?? new Uint8Array(0),
    tensors: shards.flatMap(({ tensors }, i) => tensors.map((entry) => moved(entry, elementAt(files, i)))),
    finish: async (into: ByteSink) => {
      // The header of the first file has already been written, because it is the `header` of the layout.
      const texts = [...shards.slice(1).map(({ header }) => header), index];
      for (const [i, text] of texts.entries()) await into.write(elementAt(files, i + 1).offset, text);
    },
    files,
  };
}

const padded = (number: number): string => String(number).padStart(5, '0');

/**
 * Distributes the groups over shards without changing their order. Each shard contains as many groups as fit into it.
 * There is always at least one shard.
 */
function cut(
  groups: readonly (readonly TensorPlan[])[],
  sizeOf: (plans: readonly TensorPlan[]) => number,
  most: number,
): readonly (readonly TensorPlan[])[] {
  const shards: TensorPlan[][] = [[]];
  let filled = 0;
  for (const group of groups) {
    const size = sizeOf(group);
    if (filled > 0 && filled + size > most) {
      shards.push([]);
      filled = 0;
    }
    shards.at(-1)?.push(...group);
    filled += size;
  }
  return shards;
}

function consecutive(files: readonly (readonly [name: string, size: number])[]): readonly FilePlace[] {
  let offset = 0;
  return files.map(([name, size]) => {
    const place = { name, offset, size };
    offset += size;
    return place;
  });
}

function moved(entry: TensorEntry, { name, offset }: FilePlace): TensorEntry {
  return { ...entry, offset: entry.offset + offset, shard: name };
}

/**
 * Returns the text of the index, in the form that the `transformers` library writes: the total number of bytes of
 * tensor data, and a list of the tensors sorted by name.
 */
function indexOf(shards: readonly FileLayout[], names: readonly string[]): Uint8Array {
  const tensors = shards.flatMap((shard, i) => shard.tensors.map((entry) => [entry.name, names[i]] as const));
  const total = shards.flatMap((shard) => shard.tensors).reduce((sum, { byteLength }) => sum + byteLength, 0);
  const members = tensors
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([name, file]) => `    ${JSON.stringify(name)}: ${JSON.stringify(file)}`);
  const map = members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n  }`;
  return new TextEncoder().encode(`{\n  "metadata": {\n    "total_size": ${total}\n  },\n  "weight_map": ${map}\n}\n`);
}
