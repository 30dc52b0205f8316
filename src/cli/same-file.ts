/** Prevents outputs from overwriting inputs. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from './exit.ts';
import type { TensorInput } from './tensor-input.ts';

/** All files that an input is read from: the file itself, and the shards of an index. */
export function filesOfInput({ path, file }: TensorInput): readonly string[] {
  const shards = new Set(file.tensors.flatMap(({ shard }) => (shard === null ? [] : [shard])));
  return [path, ...[...shards].map((shard) => join(dirname(path), shard))];
}

/** @throws UsageError if an output file is also an input, even under another name or through a link */
export async function refuseSameFiles(inputs: readonly TensorInput[], made: readonly string[]): Promise<void> {
  const read = new Map<string, string>();
  for (const one of inputs.flatMap(filesOfInput)) read.set(await identityOf(one), one);
  for (const one of made) {
    const same = read.get(await identityOf(one).catch(() => ''));
    if (same !== undefined) throw new UsageError(`${same} and ${one} are the same file`);
  }
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path);
  return `${dev} ${ino}`;
}
