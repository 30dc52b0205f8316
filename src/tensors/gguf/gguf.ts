/** GGUF files: the header lists the tensors; the data of each begins at a multiple of the file's alignment. */
import { type ByteSource, sliceSource } from '../bytes.ts';
import { aligned, alignmentOf, ggufBytes } from './data.ts';
import type { GgufField } from './fields.ts';
import { type GgufTensor, readGgufHeader } from './header.ts';
import { ggufTypesById } from './types.ts';
import { elementsOf } from '../sizes.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { TensorEntry, TensorFile } from '../tensor-file.ts';

export interface GgufFile extends TensorFile {
  readonly container: 'gguf';
  /** The metadata with its types, for another GGUF file. */
  readonly fields: readonly GgufField[];
}

export async function openGguf(source: ByteSource): Promise<GgufFile> {
  const { fields, tensors: found, size } = await readGgufHeader(source);
  const alignment = alignmentOf(fields);
  const dataStart = aligned(size, alignment);
  const tensors = found.map((tensor) => entryOf(tensor, dataStart));
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

function entryOf({ name, type: id, extents, offset }: GgufTensor, dataStart: number): TensorEntry {
  const type = ggufTypesById.get(id);
  if (type === undefined)
    throw new TensorFileError('unknown-dtype', `tensor ${quote(name)} has the unknown type ${id}`);
  const shape = extents.map(Number).toReversed();
  const elements = elementsOf(shape, name);
  const byteLength = ggufBytes(type, shape, name);
  const start = dataStart + Number(offset);
  if (!Number.isSafeInteger(start + byteLength))
    throw new TensorFileError('bad-offsets', `the data of ${quote(name)} lies outside the file`);
  const { format, packing } = type;
  return { name, dtype: type.name, format, shape, elements, packing, offset: start, byteLength, shard: null };
}

function requireNames(tensors: readonly TensorEntry[]): void {
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name)) throw new TensorFileError('duplicate-name', `${quote(name)} is there twice`);
    names.add(name);
  }
}

/** As ggml requires it: the data has no gaps except for alignment. */
function requireContiguous(tensors: readonly TensorEntry[], dataStart: number, alignment: number, size: number): void {
  let reached = dataStart;
  for (const { name, offset, byteLength } of tensors.toSorted(
    (a, b) => a.offset - b.offset || a.byteLength - b.byteLength,
  )) {
    if (offset !== aligned(reached, alignment))
      throw new TensorFileError(
        'bad-offsets',
        `the data of ${quote(name)} begins at ${offset}, not at ${aligned(reached, alignment)} behind the one before`,
      );
    reached = offset + byteLength;
  }
  if (tensors.length > 0 && reached > size)
    throw new TensorFileError('truncated', `the header announces ${reached} bytes, the file has ${size}`);
}
