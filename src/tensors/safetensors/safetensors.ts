/**
 * The safetensors container. A file consists of the length of the header (eight bytes), the header itself as JSON, and
 * the data of all tensors without gaps. The rules are the same as in the reference implementation, except that
 * duplicate names, which the reference implementation does not notice, are rejected.
 */
import { type ByteSource, readBytes, sliceSource } from '../bytes.ts';
import { safetensorsDtypes } from './dtypes.ts';
import { bytesOf, elementsOf } from '../sizes.ts';
import { decodeUtf8, JsonCursor } from './strict-json.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { TensorEntry, TensorFile } from '../tensor-file.ts';

/** Maximum length of a header in bytes; the reference implementation has the same limit. */
export const longestSafetensorsHeader = 100_000_000;

/** A tensor as the header describes it. Offsets are relative to the end of the header. */
interface Info {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

export async function openSafetensors(source: ByteSource): Promise<TensorFile> {
  const header = await readHeader(source);
  const dataStart = 8 + header.length;
  const tensors: TensorEntry[] = [];
  let metadata: readonly (readonly [string, string])[] = [];
  const json = new JsonCursor(decodeUtf8(header));
  json.object((name) => {
    if (name === '__metadata__') metadata = readMetadata(json);
    else tensors.push(entryOf(name, readInfo(json, name), dataStart));
  });
  json.end();
  requireContiguous(tensors, dataStart, source.size);
  return {
    container: 'safetensors',
    tensors,
    metadata: Object.fromEntries(metadata),
    data: (entry) => sliceSource(source, entry.offset, entry.byteLength),
  };
}

async function readHeader(source: ByteSource): Promise<Uint8Array> {
  if (source.size < 8) throw new TensorFileError('truncated', 'a safetensors file has at least 8 bytes');
  const start = await readBytes(source, 0, 8);
  const length = new DataView(start.buffer).getBigUint64(0, true);
  if (length > longestSafetensorsHeader)
    throw new TensorFileError(
      'header-too-large',
      `the header claims to be ${length} bytes long, but at most 100 MB are read`,
    );
  if (8n + length > source.size)
    throw new TensorFileError(
      'truncated',
      `the header claims to be ${length} bytes long, but the file has ${source.size}`,
    );
  const header = await readBytes(source, 8, Number(length));
  if (header[0] !== 0x7b) throw new TensorFileError('bad-header', "the header does not begin with '{'");
  return header;
}

function readMetadata(json: JsonCursor): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  json.object((name) => pairs.push([name, json.string()]));
  return pairs;
}

function readInfo(json: JsonCursor, name: string): Info {
  let dtype: string | null = null;
  let shape: number[] | null = null;
  let offsets: number[] | null = null;
  json.object((key) => {
    if (key === 'dtype') dtype = json.string();
    else if (key === 'shape') shape = readSizes(json);
    else if (key === 'data_offsets') offsets = readSizes(json);
    else throw new TensorFileError('bad-header', `tensor ${quote(name)} has an unknown key ${quote(key)}`);
  });
  const [begin, end, more] = offsets ?? [];
  if (dtype === null || shape === null || begin === undefined || end === undefined || more !== undefined)
    throw new TensorFileError('bad-header', `tensor ${quote(name)} lacks a dtype, a shape or two data_offsets`);
  return { dtype, shape, begin, end };
}

function readSizes(json: JsonCursor): number[] {
  const sizes: number[] = [];
  json.array(() => {
    sizes.push(json.size());
    // Negative and fractional extents are rejected later, by elementsOf.
    if (sizes.length > 1000) throw new TensorFileError('bad-shape', 'there are more than 1000 extents');
  });
  return sizes;
}

function entryOf(name: string, info: Info, dataStart: number): TensorEntry {
  const dtype = safetensorsDtypes.get(info.dtype);
  if (dtype === undefined)
    throw new TensorFileError('unknown-dtype', `tensor ${quote(name)} has an unknown dtype ${quote(info.dtype)}`);
  const elements = elementsOf(info.shape, name);
  const byteLength = safetensorsBytes(elements, dtype.bits, name);
  if (info.end - info.begin !== byteLength)
    throw new TensorFileError(
      'bad-offsets',
      `tensor ${quote(name)} needs ${byteLength} bytes for its shape and dtype, but its data_offsets span ${info.end - info.begin}`,
    );
  return {
    name,
    dtype: dtype.name,
    format: dtype.format,
    shape: info.shape,
    elements,
    packing: packingOf(dtype.format, dtype.bits),
    offset: dataStart + info.begin,
    byteLength,
    shard: null,
  };
}

/**
 * The number of bytes that the given number of elements takes up. The number of 4-bit elements must be even, and the
 * number of 6-bit elements must be a multiple of four.
 */
export function safetensorsBytes(elements: number, bits: number, name: string): number {
  if (bits >= 8) return bytesOf(elements, 1, bits / 8, name);
  return bits === 4 ? bytesOf(elements, 2, 1, name) : bytesOf(elements, 4, 3, name);
}

export function packingOf(format: TensorEntry['format'], bits: number): TensorEntry['packing'] {
  if (format === 'opaque') return 'opaque';
  return bits < 8 ? 'dense' : 'whole';
}

function requireContiguous(tensors: readonly TensorEntry[], dataStart: number, size: number): void {
  const byOffset = tensors.toSorted((a, b) => a.offset - b.offset || a.byteLength - b.byteLength);
  let reached = dataStart;
  for (const { name, offset, byteLength } of byOffset) {
    if (offset !== reached)
      throw new TensorFileError(
        'bad-offsets',
        offset < reached
          ? `the data of ${quote(name)} overlaps that of another tensor`
          : `there is a gap before the data of ${quote(name)}`,
      );
    reached = offset + byteLength;
  }
  if (reached > size)
    throw new TensorFileError('truncated', `the header describes ${reached} bytes, but the file has ${size}`);
  if (reached < size)
    throw new TensorFileError('bad-offsets', `${size - reached} bytes at the end of the file belong to no tensor`);
}
