/** Finds the shard that a task should compute. */
import { UsageError } from '../exit.ts';
import type { Environment } from '../session.ts';

/** The variables in which schedulers number tasks, with the number of the first task. */
const numbering: Readonly<Record<string, number>> = {
  SLURM_ARRAY_TASK_ID: 0,
  JOB_COMPLETION_INDEX: 0,
  PARALLEL_SEQ: 1,
};

/**
 * The shard given by `--shard` or, without it, by the scheduler's variable.
 *
 * @param count the number of shards
 */
export function shardNumber(given: string | undefined, env: Environment, count: number): number {
  if (given !== undefined) return readNumber('--shard', given, 0, count);
  const set = Object.entries(numbering).flatMap(([name, first]) => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [{ name, first, value }];
  });
  const [one, ...others] = set;
  if (one === undefined)
    throw new UsageError(`work needs --shard, or a scheduler that sets ${Object.keys(numbering).join(', ')}`);
  if (others.length > 0)
    throw new UsageError(`${set.map(({ name }) => name).join(' and ')} are both set; name the shard with --shard`);
  return readNumber(one.name, one.value, one.first, count);
}

function readNumber(name: string, text: string, first: number, count: number): number {
  const shard = /^\d{1,15}$/.test(text) ? Number(text) - first : -1;
  if (shard >= 0 && shard < count) return shard;
  throw new UsageError(`${name} takes ${first} to ${count - 1 + first}, not '${text}'`);
}
