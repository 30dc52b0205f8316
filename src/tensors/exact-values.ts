/** Elements as numbers, and what these lack of integers that are too long for f64. */
import type { ByteSource } from './bytes.ts';
import { type Side, valuesOf } from './pairing.ts';
import type { TensorEntry } from './tensor-file.ts';
import type { Loader, TensorValues } from './tensor-values.ts';

/** A chunk of elements: each is its value and its rest together. */
export interface ExactChunk {
  readonly values: Float32Array | Float64Array;
  /** Null where no element of the chunk has one. */
  readonly rest: Float64Array | null;
}

/** The numbers that a tensor stands for. Throws as `valuesOf` does. */
export async function exactValuesOf(side: Side): Promise<Loader<ExactChunk> & { readonly values: TensorValues }> {
  const values = await valuesOf(side);
  const restOf = restsOf(side);
  return {
    elements: values.elements,
    values,
    async load(from, count) {
      const [loaded, rest] = await Promise.all([values.load(from, count), restOf?.(from, count) ?? null]);
      return () => ({ values: loaded(), rest });
    },
  };
}

/** What a - b is beyond the difference of the values; null where that is nothing. */
export function restOfDifference(a: ExactChunk, b: ExactChunk): Float64Array | null {
  if (a.rest === null && b.rest === null) return null;
  return Float64Array.from(a.values, (_, i) => (a.rest?.[i] ?? 0) - (b.rest?.[i] ?? 0));
}

type Rests = (from: number, count: number) => Promise<Float64Array | null>;

/** Null for elements that f64 has room for. */
function restsOf({ file, entry, scales }: Side): Rests | null {
  if (scales !== null || !isLong(entry)) return null;
  const source = file.data(entry);
  return async (from, count) => rests(await wordsOf(source, from, count), entry.format === 's64');
}

function isLong({ format, packing }: TensorEntry): boolean {
  return packing === 'whole' && (format === 's64' || format === 'u64');
}

async function wordsOf(source: ByteSource, from: number, count: number): Promise<Uint32Array> {
  const words = new Uint32Array(2 * count);
  await source.read(8 * from, new Uint8Array(words.buffer));
  return words;
}

/** The sum of both halves is rounded to f64; what that takes away is exact. */
function rests(words: Uint32Array, isSigned: boolean): Float64Array | null {
  const found = new Float64Array(words.length / 2);
  let isAny = false;
  for (let i = 0; i < found.length; i++) {
    const [low, word] = [words[2 * i] as number, words[2 * i + 1] as number];
    const high = (isSigned ? word | 0 : word) * 2 ** 32;
    const rest = low - (high + low - high);
    found[i] = rest;
    if (rest !== 0) isAny = true;
  }
  return isAny ? found : null;
}
