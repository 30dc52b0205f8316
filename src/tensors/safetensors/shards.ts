/** A model in several safetensors files, with an index that specifies which file contains each tensor. */
import { type ByteSource, readBytes } from '../bytes.ts';
import { longestSafetensorsHeader, openSafetensors } from './safetensors.ts';
import { decodeUtf8, JsonCursor } from './strict-json.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { Metadata, MetadataValue, TensorEntry, TensorFile } from '../tensor-file.ts';

interface Index {
  readonly metadata: readonly (readonly [string, MetadataValue])[];
  /** Pairs of names in the order of the index: the name of a tensor, and the name of the file that contains it. */
  readonly weights: readonly (readonly [string, string])[];
}

/**
 * Opens `model.safetensors.index.json` and every file it names. The named files must be in the same folder as the index
 * and contain the tensors that it lists. The resulting file has the entries of the index, in the same order.
 */
export async function openShards(
  source: ByteSource,
  openBeside: (name: string) => Promise<ByteSource>,
): Promise<TensorFile> {
  const index = await readIndex(source);
  const shards = new Map<string, TensorFile>();
  for (const [, shard] of index.weights) {
    requirePlainName(shard);
    if (!shards.has(shard)) shards.set(shard, await openShard(shard, openBeside));
  }
  const byName = new Map(
    [...shards].map(([shard, file]) => [shard, new Map(file.tensors.map((entry) => [entry.name, entry]))]),
  );
  const tensors = index.weights.map(([name, shard]): TensorEntry => {
    const entry = byName.get(shard)?.get(name);
    if (entry === undefined)
      throw new TensorFileError(
        'bad-header',
        `the index says that ${quote(name)} is in ${quote(shard)}, but it is not`,
      );
    return { ...entry, shard };
  });
  const listed = new Set(index.weights.map(([name]) => name));
  const stored = [...shards.values()].flatMap((file) => file.tensors.map(({ name }) => name));
  return {
    container: 'safetensors',
    tensors,
    unlisted: stored.filter((name) => !listed.has(name)),
    metadata: { ...commonMetadata([...shards.values()]), ...Object.fromEntries(index.metadata) },
    data(entry) {
      const file = shards.get(entry.shard ?? '');
      if (file === undefined) throw new TensorFileError('no-such-tensor', `${quote(entry.name)} is not in this model`);
      return file.data(entry);
    },
  };
}

/** The metadata that is the same in all files of a model. */
function commonMetadata([first, ...others]: readonly TensorFile[]): Metadata {
  const pairs = Object.entries(first?.metadata ?? {});
  return Object.fromEntries(pairs.filter(([key, value]) => others.every(({ metadata }) => metadata[key] === value)));
}

/** Whether a file name looks like the name of a model's index. */
export function isIndexName(name: string): boolean {
  return /\.safetensors\.index\.json$/i.test(name);
}

async function readIndex(source: ByteSource): Promise<Index> {
  if (source.size === 0) throw new TensorFileError('truncated', 'the index is empty');
  if (source.size > longestSafetensorsHeader)
    throw new TensorFileError(
      'header-too-large',
      `the index is ${source.size} bytes long, but at most 100 MB are read`,
    );
  const text = decodeUtf8(await readBytes(source, 0, source.size));
  if (text.startsWith('\ufeff'))
    throw new TensorFileError('bad-header', 'the index begins with a byte order mark, which JSON does not allow');
  const json = new JsonCursor(text);
  const metadata: (readonly [string, MetadataValue])[] = [];
  let weights: (readonly [string, string])[] | null = null;
  json.object((key) => {
    if (key === 'weight_map') {
      const pairs: (readonly [string, string])[] = [];
      json.object((name) => pairs.push([name, json.string()]));
      weights = pairs;
    } else if (key === 'metadata') json.object((name) => metadata.push([name, json.value()]));
    else json.value();
  });
  json.end();
  if (weights === null) throw new TensorFileError('bad-header', 'the index has no weight_map');
  return { metadata, weights };
}

/** Index files are untrusted, so each shard name must be the plain name of a file in the same folder as the index. */
function requirePlainName(shard: string): void {
  // oxlint-disable-next-line no-control-regex -- this searches for control characters
  if (!/^[^/\\:\x00-\x1f]+$/.test(shard) || shard === '.' || shard === '..')
    throw new TensorFileError('unsafe-path', `the index names ${quote(shard)}, which is not a file in its folder`);
  if (isIndexName(shard))
    throw new TensorFileError('bad-header', `the index names ${quote(shard)}, which is an index, not a shard`);
}

async function openShard(shard: string, openBeside: (name: string) => Promise<ByteSource>): Promise<TensorFile> {
  const source = await openBeside(shard);
  try {
    return await openSafetensors(source);
  } catch (error) {
    if (!(error instanceof TensorFileError)) throw error;
    throw new TensorFileError(error.code, `${quote(shard)}: ${error.message}`, { cause: error });
  }
}
