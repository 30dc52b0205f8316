/** The description of an array conversion as plain data, and the signature of the compiled function. */
import { wasmPageBytes } from '../../base/wasm-pages.ts';
import type { ConversionStages } from '../../numerics/conversion-stages.ts';
import type { RandomLayout } from './array-random.ts';
import type { Storage } from './array-storage.ts';

export const scratchBytes = 256;

export interface ArrayPlan {
  /** The stages of the conversion, in order. Only the last stage uses random bits. */
  readonly stages: ConversionStages;
  readonly source: Storage;
  readonly target: Storage;
  readonly random: (RandomLayout & { readonly from: 'seed' | 'words' }) | null;
}

const keys = new WeakMap<ArrayPlan, string>();

/** Returns a string that identifies the plan. */
export function planKey(plan: ArrayPlan): string {
  const known = keys.get(plan);
  if (known !== undefined) return known;
  // Patterns may be bigints, which JSON cannot represent.
  const key = JSON.stringify(plan, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  keys.set(plan, key);
  return key;
}

/**
 * Number of elements that are copied and converted at a time. A chunk of this size fits into the private cache of a
 * processor core.
 */
export const chunkSize = 32_768;

/** Maximum number of bytes that the code may read beyond the last element of a group. */
export const slack = 64;

/** Maximum number of threads that may share one WebAssembly memory. Each thread has its own scratch memory. */
export const mostThreads = 64;

/**
 * The layout of the area to which a chunk and its random words are copied before they are converted: the addresses of
 * its parts, and its total size in bytes. The area is at the start of the WebAssembly memory.
 */
export interface Staging {
  readonly source: number;
  readonly words: number;
  readonly target: number;
  readonly bytes: number;
}

export const staging: Staging = layStaging();

/**
 * Creates a WebAssembly memory for a single thread. To convert data, the thread copies it to this memory chunk by
 * chunk.
 */
export function stagingMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: Math.ceil(staging.bytes / wasmPageBytes) });
}

function layStaging(): Staging {
  const widest = (64 / 8) * chunkSize + slack;
  const source = mostThreads * scratchBytes;
  const words = source + widest;
  // Each random word is shared by at least two elements.
  const target = words + 4 * (chunkSize / 2) + slack;
  return { source, words, target, bytes: target + widest };
}

/**
 * Converts groups of elements. The parameters are the number of groups, the addresses of source, target, random words
 * and scratch memory, the index of the first random word, and the two keys derived from the seed.
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

/** The parameters of `ConvertGroups`, as locals of the generated function. */
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
