/** Finds the shards that a task should compute. */
import { UsageError } from '../exit.ts';
import type { Environment } from '../session.ts';

/**
 * The environment variables in which schedulers pass the number of a task, each with the number that the scheduler
 * gives to the first task.
 */
const numbering: Readonly<Record<string, number>> = {
  SLURM_ARRAY_TASK_ID: 0,
  JOB_COMPLETION_INDEX: 0,
  PARALLEL_SEQ: 1,
};

/** Both ends are included. */
export interface ShardRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The shards that `--shard` selects, such as `5` or `4..7`. If the option is not given, the only shard is the one whose
 * number the scheduler has stored in an environment variable.
 *
 * @param count the number of shards in the plan
 */
export function shardsOfTask(given: string | undefined, env: Environment, count: number): ShardRange {
  if (given !== undefined) return readRange(given, count);
  const set = Object.entries(numbering).flatMap(([name, first]) => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [{ name, first, value }];
  });
  const [one, ...others] = set;
  if (one === undefined)
    throw new UsageError(`work needs --shard, or a scheduler that sets ${Object.keys(numbering).join(', ')}`);
  if (others.length > 0)
    throw new UsageError(`${set.map(({ name }) => name).join(' and ')} are both set; name the shard with --shard`);
  const shard = readNumber(one, count);
  return { first: shard, last: shard };
}

function readRange(text: string, count: number): ShardRange {
  const ends = /^(\d{1,15})(?:\.\.(\d{1,15}))?$/.exec(text);
  const first = Number(ends?.[1]);
  const last = Number(ends?.[2] ?? ends?.[1]);
  if (first <= last && last < count) return { first, last };
  throw new UsageError(`--shard takes 0 to ${count - 1}, or a range such as 0..${count - 1}, not '${text}'`);
}

interface Variable {
  readonly name: string;
  /** The number of the first task. */
  readonly first: number;
  readonly value: string;
}

function readNumber({ name, first, value }: Variable, count: number): number {
  const shard = /^\d{1,15}$/.test(value) ? Number(value) - first : -1;
  if (shard >= 0 && shard < count) return shard;
  throw new UsageError(`${name} takes ${first} to ${count - 1 + first}, not '${value}'`);
}
