/** Reads the values of one tensor, or of a part of it, into an array. */
import { PtxlabError } from '../base/error.ts';
import { requireArgument, requireOptions } from '../base/require.ts';
import { anything, oneOf, type RulesFor, shown, whole } from '../base/rules.ts';
import { nearestWord } from '../base/nearest-word.ts';
import { modelOf, type ModelTensor, plainTensor } from './checkpoints/model-tensors.ts';
import { modelValues } from './model-values.ts';
import { quote, TensorFileError } from './tensor-error.ts';
import { requireEntry, requireModelTensor } from './require-file.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';
import { loadUnit, type TensorValues } from './tensor-values.ts';

export interface ReadTensorOptions {
  /** Index of the first element, in C order. Default 0. */
  readonly offset?: number;
  /** Number of elements. Default: all elements starting at `offset`. */
  readonly count?: number;
  /**
   * With `bigint`, 64-bit integers are read exactly, into a BigInt64Array or BigUint64Array, and tensors of other types
   * are rejected. Default `number`.
   */
  readonly as?: 'number' | 'bigint';
}

const rules: RulesFor<ReadTensorOptions> = {
  // Which values of `offset` and `count` are valid depends on the tensor, so they are checked later.
  offset: anything(),
  count: anything(),
  as: oneOf('number', 'bigint'),
};

/**
 * The tensor to read: a name, a tensor from `modelOf`, or an entry of the file. If an entry is given, its elements are
 * read as they are stored, without applying separate scales.
 */
export type TensorChoice = string | ModelTensor | TensorEntry;

/** Number of elements that are read at a time. */
const pieceElements = 2 ** 18;

/**
 * Returns the values of a tensor, or of a range of its elements, in C order (the last index varies fastest). The values
 * are the same as in the output of `inspect` and `diff`: narrow elements are unpacked, and scales are applied, whether
 * they are stored in the blocks or in separate tensors. A tensor that belongs to another one, for example because it
 * contains that tensor's scales, can also be read on its own, by its name.
 *
 * The result is a Float32Array if f32 can represent every value of the element's format, and otherwise a Float64Array.
 * For tensors with separate scales, and for 32-bit and 64-bit integers, the result is always a Float64Array. Integers
 * beyond 2^53 are rounded to the nearest f64 unless `as` is `bigint`. If a scale is NaN or infinite, all values to
 * which it applies are NaN or infinite, too. For an empty range, the result is an empty Float32Array.
 *
 * @throws TensorFileError `no-such-tensor`, `unsupported` if the elements are not numbers, or any error of the source
 * @throws PtxlabError `bad-option` if the range extends beyond the tensor, `out-of-memory` if the array cannot be
 *   allocated
 */
export async function readTensor(
  file: TensorFile,
  tensor: TensorChoice,
  options?: ReadTensorOptions & { readonly as?: 'number' },
): Promise<Float32Array | Float64Array>;
export async function readTensor(
  file: TensorFile,
  tensor: TensorChoice,
  options: ReadTensorOptions & { readonly as: 'bigint' },
): Promise<BigInt64Array | BigUint64Array>;
export async function readTensor(
  file: TensorFile,
  tensor: TensorChoice,
  options: ReadTensorOptions = {},
): Promise<Float32Array | Float64Array | BigInt64Array | BigUint64Array> {
  const model = modelOf(file);
  requireOptions(options, rules, 'readTensor');
  const found = chosen(tensor, model.tensors, file.tensors);
  const range = rangeOf(options, found.entry);
  if (options.as === 'bigint') return longIntegers(model.file, found, range);
  return numbers(await modelValues(model.file, found, 'keep'), range);
}

function chosen(tensor: TensorChoice, tensors: readonly ModelTensor[], stored: readonly TensorEntry[]): ModelTensor {
  if (typeof tensor === 'string') return tensorNamed(tensor, tensors, stored);
  if (typeof tensor === 'object' && tensor !== null) {
    if ('entry' in tensor) {
      requireModelTensor(tensor);
      return tensor;
    }
    requireEntry(tensor);
    return plainTensor(tensor);
  }
  throw new PtxlabError(
    'bad-option',
    `the tensor must be a name, an entry or a tensor of a model, not ${shown(tensor)}`,
  );
}

function tensorNamed(name: string, tensors: readonly ModelTensor[], stored: readonly TensorEntry[]): ModelTensor {
  const found = tensors.find(({ entry }) => entry.name === name);
  if (found !== undefined) return found;
  const part = stored.find((entry) => entry.name === name);
  if (part !== undefined) return plainTensor(part);
  const names = new Set([...tensors.map(({ entry }) => entry.name), ...stored.map((entry) => entry.name)]);
  const near = nearestWord(name, names);
  const hint = near === null ? '' : `; did you mean ${quote(near)}?`;
  throw new TensorFileError('no-such-tensor', `the file has no tensor ${quote(name)}${hint}`);
}

interface Range {
  readonly offset: number;
  readonly count: number;
}

function rangeOf({ offset = 0, count }: ReadTensorOptions, { name, elements }: TensorEntry): Range {
  requireUpTo(elements, `${quote(name)}: offset`, offset);
  const rest = elements - offset;
  if (count !== undefined) requireUpTo(rest, `${quote(name)}: count`, count);
  return { offset, count: count ?? rest };
}

function requireUpTo(most: number, what: string, value: number): void {
  requireArgument(what, value, whole(most, String(most)), 'bad-option');
}

async function numbers(values: TensorValues, { offset, count }: Range): Promise<Float32Array | Float64Array> {
  let out: Float32Array | Float64Array = new Float32Array(0);
  const end = offset + count;
  for (let from = offset - (offset % loadUnit); from < end; from += pieceElements) {
    const to = Math.min(from + pieceElements, Math.ceil(end / loadUnit) * loadUnit, values.elements);
    const piece = (await values.load(from, to - from))();
    if (out.length === 0)
      out = piece instanceof Float32Array ? allocated(Float32Array, count) : allocated(Float64Array, count);
    const first = Math.max(from, offset);
    out.set(piece.subarray(first - from, Math.min(to, end) - from), first - offset);
  }
  return out;
}

async function longIntegers(
  file: TensorFile,
  { entry, scales }: ModelTensor,
  { offset, count }: Range,
): Promise<BigInt64Array | BigUint64Array> {
  const { format, packing, name, dtype } = entry;
  if (scales !== null || packing !== 'whole' || (format !== 's64' && format !== 'u64')) {
    const words = `elements of type ${dtype} are not 64-bit integers, so they cannot be read as bigint`;
    throw new TensorFileError('unsupported', `${quote(name)}: ${words}`);
  }
  const out = format === 's64' ? allocated(BigInt64Array, count) : allocated(BigUint64Array, count);
  await file.data(entry).read(8 * offset, new Uint8Array(out.buffer));
  return out;
}

function allocated<A>(Kind: new (length: number) => A, count: number): A {
  try {
    return new Kind(count);
  } catch (cause) {
    throw new PtxlabError(
      'out-of-memory',
      `an array of ${count} elements cannot be allocated; read only a part of it`,
      { cause },
    );
  }
}
