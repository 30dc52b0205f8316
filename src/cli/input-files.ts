/** The files that make up a tensor input. */
import { dirname, join } from 'node:path';
import type { TensorInput } from './tensor-input.ts';

/** All files from which an input is read: the file itself and, if it is the index of a sharded model, the shards. */
export function filesOfInput({ path, file }: TensorInput): readonly string[] {
  const shards = new Set(file.tensors.flatMap(({ shard }) => (shard === null ? [] : [shard])));
  return [path, ...[...shards].map((shard) => join(dirname(path), shard))];
}
