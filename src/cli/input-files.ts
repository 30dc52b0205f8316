/** The files that make up a tensor input. */
import { dirname, join } from 'node:path';
import type { TensorInput } from './tensor-input.ts';

/** All files that an input is read from: the file itself, and the shards of an index. */
export function filesOfInput({ path, file }: TensorInput): readonly string[] {
  const shards = new Set(file.tensors.flatMap(({ shard }) => (shard === null ? [] : [shard])));
  return [path, ...[...shards].map((shard) => join(dirname(path), shard))];
}
