/**
 * GGUF files. The header lists the tensors, and the data of each tensor begins at a multiple of the file's alignment.
 */
import { alignUp } from '../../base/align.ts';
import { type ByteSource, sliceSource } from '../bytes.ts';
import { alignmentOf, ggufBytes } from './data.ts';
import type { GgufField } from './fields.ts';
import { type GgufTensor, readGgufHeader } from './header.ts';
import { ggufTypesById, unknownType } from './types.ts';
import { elementsOf } from '../sizes.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { TensorEntry, TensorFile } from '../tensor-file.ts';

export interface GgufFile extends TensorFile {
  readonly container: 'gguf';
  /** The metadata with its types, so that it can be copied to another GGUF file. */
  readonly fields: readonly GgufField[];
}

export async function openGguf(source: ByteSource): Promise<GgufFile> {
  const { fields, tensors: found, size } = await readGgufHeader(source);
  const alignment = alignmentOf(fields);
  const dataStart = alignUp(size, alignment);
  const gaps = gapsOf(found, source.size - dataStart);
  const tensors = found.map((tensor) => entryOf(tensor, dataStart, gaps.get(tensor.offset) ?? 0));
  requireNames(tensors);
  requireContiguous(tensors, dataStart, alignment, source.size);
  return {
    container: 'gguf',
    fields,
    tensors,
    metadata: Object.fromEntries(fields.map(({ key, value }) => [key, value])),
    data: (entry) => sliceSource(source, entry.offset, entry.byteLength),
  };
}

/**
 * @param gap number of bytes up to the next tensor; if the tensor's type is unknown, its data is assumed to have this
 *   length
 */
function entryOf({ name, type: id, extents, offset }: GgufTensor, dataStart: number, gap: number): TensorEntry {
  const type = ggufTypesById.get(id);
  const shape = extents.map(Number).toReversed();
  const elements = elementsOf(shape, name);
  const byteLength = type === undefined ? gap : ggufBytes(type, shape, name);
  const start = dataStart + Number(offset);
  if (byteLength < 0 || !Number.isSafeInteger(start + byteLength))
    throw new TensorFileError('bad-offsets', `the data of ${quote(name)} lies outside the file`);
  const { name: dtype, format, packing } = type ?? unknownType(id);
  return { name, dtype, format, shape, elements, packing, offset: start, byteLength, shard: null };
}

/**
 * Maps the offset of each tensor's data to the number of bytes up to the next tensor. For the last tensor, this is the
 * number of bytes up to `size`.
 */
function gapsOf(tensors: readonly GgufTensor[], size: number): ReadonlyMap<bigint, number> {
  const offsets = [...new Set(tensors.map(({ offset }) => offset))].sort((a, b) => (a < b ? -1 : 1));
  return new Map(offsets.map((offset, i) => [offset, Number((offsets[i + 1] ?? BigInt(size)) - offset)]));
}

function requireNames(tensors: readonly TensorEntry[]): void {
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name)) throw new TensorFileError('duplicate-name', `${quote(name)} occurs twice`);
    names.add(name);
  }
}

/** Checks that the data has no gaps other than those that alignment causes, as ggml requires. */
function requireContiguous(tensors: readonly TensorEntry[], dataStart: number, alignment: number, size: number): void {
  let reached = dataStart;
  for (const { name, offset, byteLength } of tensors.toSorted(
    (a, b) => a.offset - b.offset || a.byteLength - b.byteLength,
  )) {
    if (offset !== alignUp(reached, alignment))
      throw new TensorFileError(
        'bad-offsets',
        `the data of ${quote(name)} begins at ${offset}, not at ${alignUp(reached, alignment)} after the previous one`,
      );
    reached = offset + byteLength;
  }
  if (tensors.length > 0 && reached > size)
    throw new TensorFileError('truncated', `the header describes ${reached} bytes, but the file has ${size}`);
}
