/**
 * The header of a GGUF file, read by @huggingface/gguf. That library expects a server: it requests two megabytes at a
 * time, treats missing bytes as zeros, and truncates a string that ends after the requested range. So the result is
 * checked: written again, it must have the same length as in the file.
 */
import { GGUFValueType, gguf } from '@huggingface/gguf';
import { ByteWriter } from '../byte-writer.ts';
import { type ByteSource, readBytes } from '../bytes.ts';
import { type GgufField, type GgufValueType, ggufValueTypes, writeField } from './fields.ts';
import { TensorFileError } from '../tensor-error.ts';
import type { MetadataValue } from '../tensor-file.ts';

export interface GgufTensor {
  readonly name: string;
  /** The number of its type, see types.ts. */
  readonly type: number;
  /** As in the file: the first extent varies fastest. */
  readonly extents: readonly bigint[];
  /** Relative to the start of the data of all tensors. */
  readonly offset: bigint;
}

export interface GgufHeader {
  readonly fields: readonly GgufField[];
  readonly tensors: readonly GgufTensor[];
  /** Bytes of the header, without the padding before the data. */
  readonly size: number;
}

type Parsed = Awaited<ReturnType<typeof parse>>;

/** Magic number, version, and two counts. */
const startSize = 24;

export async function readGgufHeader(source: ByteSource): Promise<GgufHeader> {
  await requireStart(source);
  const parsed = await parse(source);
  const [fieldsEnd, size] = parsed.tensorInfoByteRange;
  if (size > source.size) throw new TensorFileError('truncated', 'the header is cut off');
  const fields = fieldsOf(parsed);
  const writer = new ByteWriter();
  for (const field of fields) writeField(writer, field);
  const infos = parsed.tensorInfos.reduce((sum, { name, shape }) => sum + infoSize(name, shape.length), 0);
  if (startSize + writer.length !== fieldsEnd || fieldsEnd + infos !== size)
    throw new TensorFileError('bad-header', 'the header has a key twice, or text that cannot be read');
  const tensors = parsed.tensorInfos.map(({ name, shape, dtype, offset }) => ({
    name,
    type: dtype,
    extents: shape,
    offset,
  }));
  return { fields, tensors, size };
}

/** Bytes of the header entry of one tensor: its name, extents, type and offset. */
function infoSize(name: string, extents: number): number {
  return 8 + new TextEncoder().encode(name).length + 4 + 8 * extents + 4 + 8;
}

async function requireStart(source: ByteSource): Promise<void> {
  const start = await readBytes(source, 0, Math.min(startSize, source.size));
  if (new TextDecoder('latin1').decode(start.subarray(0, 4)) !== 'GGUF')
    throw new TensorFileError('not-this-container', 'not a GGUF file');
  if (start.length < startSize) throw new TensorFileError('truncated', 'the header is cut off');
  const version = new DataView(start.buffer).getUint32(4, true);
  if (version === 2 || version === 3) return;
  if (version & 0xffff) throw new TensorFileError('unsupported', `GGUF version ${version} is not known`);
  throw new TensorFileError('unsupported', 'the GGUF file is big-endian');
}

async function parse(source: ByteSource) {
  try {
    return await gguf('https://localhost/model.gguf', { fetch: fetchFrom(source), typedMetadata: true });
  } catch (error) {
    if (error instanceof TensorFileError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TensorFileError('bad-header', `the GGUF header cannot be read: ${reason}`, { cause: error });
  }
}

/** A `fetch` that answers range requests from the source. */
function fetchFrom(source: ByteSource): typeof fetch {
  let beyond = 0;
  return async (_, init) => {
    const range = new Headers(init?.headers).get('range');
    const [first = 0, last = 0] = (range?.match(/\d+/g) ?? []).map(Number);
    const length = Math.max(0, Math.min(last + 1, source.size) - first);
    // The library reads ahead, so it may request one range past the end; a second such request means that it did not
    // find the end.
    if (length === 0) beyond += 1;
    if (beyond > 1) throw new TensorFileError('truncated', 'the header continues past the end of the file');
    const bytes = length === 0 ? new Uint8Array(0) : await readBytes(source, first, length);
    return new Response(bytes as Uint8Array<ArrayBuffer>);
  };
}

function fieldsOf({ typedMetadata }: Parsed): GgufField[] {
  return Object.entries(typedMetadata)
    .filter(([key]) => !['version', 'tensor_count', 'kv_count'].includes(key))
    .map(([key, field]) => {
      const name = valueType(field.type);
      const items = name === 'array' && 'subType' in field ? valueType(field.subType ?? GGUFValueType.ARRAY) : null;
      if (items === 'array') throw new TensorFileError('unsupported', 'the metadata has lists of lists');
      return { key, type: name, items, value: field.value as MetadataValue };
    });
}

function valueType(type: GGUFValueType): GgufValueType {
  const name = ggufValueTypes[type];
  if (name === undefined || GGUFValueType[type] === undefined)
    throw new TensorFileError('bad-header', `metadata of type ${type} is not known`);
  return name;
}
