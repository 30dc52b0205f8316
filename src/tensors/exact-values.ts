/**
 * Reads elements as numbers. If a tensor contains integers that f64 cannot represent, their rounding errors are
 * returned as well.
 */
import { wordAt } from '../base/typed-reads.ts';
import type { ByteSource } from './bytes.ts';
import { type Side, valuesOf } from './pairing.ts';
import type { TensorEntry } from './tensor-file.ts';
import type { Loader, TensorValues } from './tensor-values.ts';

/** A chunk of elements. The exact value of an element is the sum of its entries in `values` and `rest`. */
export interface ExactChunk {
  readonly values: Float32Array | Float64Array;
  /** Null if `values` represents all elements of the chunk exactly. */
  readonly rest: Float64Array | null;
}

/** Reads the numbers that a tensor represents. Throws the same errors as `valuesOf`. */
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

/**
 * For each element, returns the exact difference a - b minus the difference between the rounded values. Returns null if
 * no element needs a correction.
 */
export function restOfDifference(a: ExactChunk, b: ExactChunk): Float64Array | null {
  if (a.rest === null && b.rest === null) return null;
  return Float64Array.from(a.values, (_, i) => (a.rest?.[i] ?? 0) - (b.rest?.[i] ?? 0));
}

type Rests = (from: number, count: number) => Promise<Float64Array | null>;

/**
 * Returns a function that reads elements and computes the errors that occur when they are rounded to f64; null if f64
 * can represent all values of the element type.
 */
function restsOf({ file, entry, scales, isSwapped }: Side): Rests | null {
  if (scales !== null || isSwapped || !isLong(entry)) return null;
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

/**
 * Adds the two halves of each integer in f64 and computes the rounding error of the sum. f64 can represent this error
 * exactly.
 */
function rests(words: Uint32Array, isSigned: boolean): Float64Array | null {
  const found = new Float64Array(words.length / 2);
  let isAny = false;
  for (let i = 0; i < found.length; i++) {
    const [low, word] = [wordAt(words, 2 * i), wordAt(words, 2 * i + 1)];
    const high = (isSigned ? word | 0 : word) * 2 ** 32;
    const rest = low - (high + low - high);
    found[i] = rest;
    if (rest !== 0) isAny = true;
  }
  return isAny ? found : null;
}
