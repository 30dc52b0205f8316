/** A conversion of arrays as data, and the signature of the code for it. */
import type { ConversionStages } from '../../numerics/conversion-stages.ts';
import type { RandomLayout } from './array-random.ts';
import type { Storage } from './array-storage.ts';

export const scratchBytes = 256;

export interface ArrayPlan {
  /** The stages in order; random bits belong to the last one. */
  readonly stages: ConversionStages;
  readonly source: Storage;
  readonly target: Storage;
  readonly random: (RandomLayout & { readonly from: 'seed' | 'words' }) | null;
}

const keys = new WeakMap<ArrayPlan, string>();

/** The plan as text. */
export function planKey(plan: ArrayPlan): string {
  const known = keys.get(plan);
  if (known !== undefined) return known;
  // Patterns may be bigints, which JSON cannot hold.
  const key = JSON.stringify(plan, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  keys.set(plan, key);
  return key;
}

/** Elements that are staged at once; their memory fits in a processor's own cache. */
export const chunkSize = 32_768;

/** Bytes after its elements that a group may read. */
export const slack = 64;

/** Most threads that may use one memory; each has its own scratch memory. */
export const mostThreads = 64;

/** Addresses at the start of a memory where a chunk and its random words are staged, and the total in bytes. */
export interface Staging {
  readonly source: number;
  readonly words: number;
  readonly target: number;
  readonly bytes: number;
}

export const staging: Staging = layStaging();

/** Bytes of a page of WebAssembly memory. */
export const pageSize = 65_536;

/** Memory of one thread that is used only for staging. */
export function stagingMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: Math.ceil(staging.bytes / pageSize) });
}

function layStaging(): Staging {
  const widest = (64 / 8) * chunkSize + slack;
  const source = mostThreads * scratchBytes;
  const words = source + widest;
  // At least two elements share a word.
  const target = words + 4 * (chunkSize / 2) + slack;
  return { source, words, target, bytes: target + widest };
}

/**
 * Parameters: number of groups; addresses of source, target, random words and scratch memory; index of the first word;
 * keys of the seed.
 */
export type ConvertGroups = (
  ...operands: readonly [
    groups: number,
    source: number,
    target: number,
    words: number,
    scratch: number,
    firstWord: number,
    key: number,
    secondKey: number,
  ]
) => void;

/** The same parameters as locals of the function. */
export const parameters = {
  groups: 0,
  source: 1,
  target: 2,
  words: 3,
  scratch: 4,
  firstWord: 5,
  key: 6,
  secondKey: 7,
} as const;
