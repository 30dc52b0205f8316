/**
 * The header of a GGUF file of version 2 or 3: metadata, then an entry for each tensor. Everything is little-endian.
 */
import { viewOf } from '../../base/byte-view.ts';
import { elementAt } from '../../base/element-at.ts';
import { type ByteSource, readBytes } from '../bytes.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { MetadataValue } from '../tensor-file.ts';
import { type GgufField, type GgufValueType, ggufValueTypes } from './fields.ts';

export interface GgufTensor {
  readonly name: string;
  /** The number of the element type; see types.ts. */
  readonly type: number;
  /** The extents in the order in which they are stored: the first index varies fastest. */
  readonly extents: readonly bigint[];
  /** Offset of the tensor's data, relative to the start of the data section. */
  readonly offset: bigint;
}

export interface GgufHeader {
  readonly fields: readonly GgufField[];
  readonly tensors: readonly GgufTensor[];
  /** Length of the header in bytes, without the padding before the data. */
  readonly size: number;
}

/** Size in bytes of the fixed part at the start: the magic number, the version and two counts. */
const startSize = 24;
const firstRead = 1 << 20;
/**
 * Maximum length of a header in bytes, which is the same as for safetensors. Real headers are only a few megabytes long
 * and consist mostly of the vocabulary of the model.
 */
const longest = 100_000_000;
const mostExtents = 4;

/**
 * Reads the header. Throws `not-this-container` if the file is not a GGUF file, `unsupported` for other versions,
 * big-endian files and nested lists, `truncated` if the file ends inside the header, `header-too-large` if the header
 * exceeds the maximum length, and `bad-header` for other mistakes.
 */
export async function readGgufHeader(source: ByteSource): Promise<GgufHeader> {
  await requireStart(source);
  // The header does not contain its own length, so parsing is repeated with more and more bytes until the whole header
  // has been read.
  for (let length = firstRead; ; length *= 4) {
    const bytes = await readBytes(source, 0, Math.min(length, longest, source.size));
    const header = parse(new Cursor(bytes, source.size));
    if (header !== null) return header;
    if (length >= longest) throw new TensorFileError('header-too-large', `the header has more than ${longest} bytes`);
  }
}

async function requireStart(source: ByteSource): Promise<void> {
  const start = await readBytes(source, 0, Math.min(startSize, source.size));
  if (new TextDecoder('latin1').decode(start.subarray(0, 4)) !== 'GGUF')
    throw new TensorFileError('not-this-container', 'not a GGUF file');
  if (start.length < startSize) throw new TensorFileError('truncated', 'the header is cut off');
  const version = viewOf(start).getUint32(4, true);
  if (version === 2 || version === 3) return;
  if (version & 0xffff) throw new TensorFileError('unsupported', `unknown GGUF version ${version}`);
  throw new TensorFileError('unsupported', 'the GGUF file is big-endian');
}

/** Parses the header in the first bytes of a file. Returns null if the header does not end within these bytes. */
function parse(cursor: Cursor): GgufHeader | null {
  try {
    cursor.skip(8);
    const [tensorCount, fieldCount] = [cursor.u64(), cursor.u64()];
    const fields = cursor.times(fieldCount, () => readField(cursor));
    requireKeys(fields);
    const tensors = cursor.times(tensorCount, () => readTensor(cursor));
    return { fields, tensors, size: cursor.at };
  } catch (error) {
    if (error instanceof NeedsMore) return null;
    throw error;
  }
}

function readField(cursor: Cursor): GgufField {
  const key = cursor.text('a key of the metadata');
  const type = readType(cursor, key);
  if (type !== 'array') return { key, type, items: null, value: readValue(cursor, key, type) };
  const items = readType(cursor, key);
  if (items === 'array') throw new TensorFileError('unsupported', `the metadata ${quote(key)} is a list of lists`);
  return { key, type, items, value: cursor.times(cursor.u64(), () => readValue(cursor, key, items)) };
}

function readType(cursor: Cursor, key: string): GgufValueType {
  const id = cursor.u32();
  const type = ggufValueTypes[id];
  if (type === undefined) throw new TensorFileError('bad-header', `metadata ${quote(key)} has the unknown type ${id}`);
  return type;
}

function readValue(cursor: Cursor, key: string, type: Exclude<GgufValueType, 'array'>): MetadataValue {
  switch (type) {
    case 'string':
      return cursor.text(`metadata ${quote(key)}`);
    case 'bool':
      return cursor.integer(1, false) !== 0;
    case 'u8':
    case 'u16':
    case 'u32':
      return cursor.integer(Number(type.slice(1)) / 8, false);
    case 's8':
    case 's16':
    case 's32':
      return cursor.integer(Number(type.slice(1)) / 8, true);
    case 'u64':
      return cursor.u64();
    case 's64':
      return BigInt.asIntN(64, cursor.u64());
    case 'f32':
      return cursor.float(4);
    case 'f64':
      return cursor.float(8);
  }
}

function readTensor(cursor: Cursor): GgufTensor {
  const name = cursor.text('the name of a tensor');
  const count = cursor.u32();
  if (count > mostExtents)
    throw new TensorFileError('bad-header', `${quote(name)} has ${count} extents; GGUF has at most ${mostExtents}`);
  const extents = cursor.times(BigInt(count), () => cursor.u64());
  return { name, extents, type: cursor.u32(), offset: cursor.u64() };
}

function requireKeys(fields: readonly GgufField[]): void {
  const keys = new Set<string>();
  for (const { key } of fields) {
    if (keys.has(key)) throw new TensorFileError('bad-header', `the metadata has ${quote(key)} twice`);
    keys.add(key);
  }
}

/** Thrown when parsing reaches the end of the bytes that have been read so far, but not the end of the file. */
class NeedsMore extends Error {}

/** Reads values one after the other from the first bytes of a file. */
class Cursor {
  at = 0;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly fileSize: number;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  constructor(bytes: Uint8Array, fileSize: number) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.fileSize = fileSize;
  }

  /** Skips `size` bytes and returns the position of the first skipped byte. */
  skip(size: number): number {
    const { at } = this;
    const end = at + size;
    if (end > this.fileSize) throw new TensorFileError('truncated', 'the header continues past the end of the file');
    if (end > this.bytes.length) throw new NeedsMore();
    this.at = end;
    return at;
  }

  /**
   * Reads `count` values. No memory is reserved in advance, so if the count is too large, parsing simply fails when it
   * reaches the end of the file.
   */
  times<T>(count: bigint, read: () => T): readonly T[] {
    if (count > BigInt(this.fileSize))
      throw new TensorFileError('truncated', `the file is too short for ${count} values`);
    const values: T[] = [];
    for (let left = Number(count); left > 0; left--) values.push(read());
    return values;
  }

  /** A 1-byte, 2-byte or 4-byte integer. */
  integer(size: number, signed: boolean): number {
    const at = this.skip(size);
    let value = 0;
    for (let i = size - 1; i >= 0; i--) value = value * 256 + elementAt(this.bytes, at + i);
    return signed && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  u64(): bigint {
    return this.view.getBigUint64(this.skip(8), true);
  }

  float(size: 4 | 8): number {
    const at = this.skip(size);
    return size === 4 ? this.view.getFloat32(at, true) : this.view.getFloat64(at, true);
  }

  /** Reads a string that is preceded by its length. @param what describes the string in messages */
  text(what: string): string {
    const length = this.u64();
    if (length > BigInt(this.fileSize)) throw new TensorFileError('truncated', `${what} is longer than the file`);
    const at = this.skip(Number(length));
    try {
      return this.decoder.decode(this.bytes.subarray(at, this.at));
    } catch {
      throw new TensorFileError('bad-header', `${what} is not UTF-8`);
    }
  }
}
