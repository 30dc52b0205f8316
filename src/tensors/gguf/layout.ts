/** Lays out GGUF files (version 3) that are to be written. */
import { alignUp } from '../../base/align.ts';
import { ByteWriter } from '../byte-writer.ts';
import { alignmentOf, ggufBytes } from './data.ts';
import { type GgufField, writeField, writeString } from './fields.ts';
import { type GgufType, ggufTypesByName } from './types.ts';
import { elementsOf } from '../sizes.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { FileLayout, TensorEntry, TensorPlan } from '../tensor-file.ts';

/** The longest name that ggml supports, without the terminating zero. */
const longestName = 63;
const mostExtents = 4;

/**
 * Lays out the file with tensors in the given order. Throws TensorFileError for a tensor that ggml could not read: its
 * name is too long or not unique, it has more than four extents, or its rows do not fill whole blocks.
 */
export function layoutGguf(plans: readonly TensorPlan[], fields: readonly GgufField[] = []): FileLayout {
  const alignment = alignmentOf(fields);
  requireUnique(plans.map(({ name }) => name));
  requireUnique(fields.map(({ key }) => key));
  let reached = 0;
  const relative = plans.map((plan) => {
    const entry = entryOf(plan, alignUp(reached, alignment));
    reached = entry.offset + entry.byteLength;
    return entry;
  });
  const writer = new ByteWriter();
  writeHeader(writer, relative, fields);
  const dataStart = alignUp(writer.length, alignment);
  const header = new Uint8Array(dataStart);
  header.set(writer.toBytes());
  const tensors = relative.map((entry) => ({ ...entry, offset: entry.offset + dataStart }));
  // ggml also maps the padding after the data of the last tensor into memory, so the file must contain it.
  return {
    container: 'gguf',
    size: dataStart + alignUp(reached, alignment),
    header,
    tensors,
    finish: null,
    files: null,
  };
}

function entryOf({ name, dtype, shape }: TensorPlan, offset: number): TensorEntry {
  const { format, packing } = typeOf(dtype);
  if (new TextEncoder().encode(name).length > longestName)
    throw new TensorFileError(
      'bad-header',
      `the name ${quote(name)} is longer than ggml's limit of ${longestName} bytes`,
    );
  if (shape.length > mostExtents)
    throw new TensorFileError(
      'bad-shape',
      `${quote(name)} has ${shape.length} extents, but ggml supports at most ${mostExtents}`,
    );
  const elements = elementsOf(shape, name);
  const byteLength = ggufBytes(typeOf(dtype), shape, name);
  return { name, dtype, format, shape, elements, packing, offset, byteLength, shard: null };
}

function typeOf(dtype: string): GgufType {
  const type = ggufTypesByName.get(dtype);
  if (type === undefined) throw new TensorFileError('unknown-dtype', `GGUF has no type ${quote(dtype)}`);
  return type;
}

function writeHeader(writer: ByteWriter, tensors: readonly TensorEntry[], fields: readonly GgufField[]): void {
  writer.bytes(new TextEncoder().encode('GGUF'));
  writer.u32(3);
  writer.u64(tensors.length);
  writer.u64(fields.length);
  for (const field of fields) writeField(writer, field);
  for (const { name, dtype, shape, offset } of tensors) {
    writeString(writer, name);
    writer.u32(shape.length);
    for (const extent of shape.toReversed()) writer.u64(extent);
    writer.u32(typeOf(dtype).id);
    writer.u64(offset);
  }
}

function requireUnique(names: readonly string[]): void {
  const known = new Set<string>();
  for (const name of names) {
    if (known.has(name)) throw new TensorFileError('duplicate-name', `${quote(name)} occurs twice`);
    known.add(name);
  }
}
