/** Metadata of GGUF files: keys with typed values. */
import type { ByteWriter } from '../byte-writer.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { MetadataValue } from '../tensor-file.ts';

/** The value types, ordered by the numbers that represent them in a file. */
export const ggufValueTypes = [
  'u8',
  's8',
  'u16',
  's16',
  'u32',
  's32',
  'f32',
  'bool',
  'string',
  'array',
  'u64',
  's64',
  'f64',
] as const;

export type GgufValueType = (typeof ggufValueTypes)[number];

export interface GgufField {
  readonly key: string;
  readonly type: GgufValueType;
  /** If the value is an array, the type of its items, which cannot be arrays themselves; otherwise null. */
  readonly items: Exclude<GgufValueType, 'array'> | null;
  readonly value: MetadataValue;
}

/** Writes a field as it is stored in files. Throws `bad-header` if the value does not match the type of the field. */
export function writeField(writer: ByteWriter, { key, type, items, value }: GgufField): void {
  writeString(writer, key);
  writer.u32(ggufValueTypes.indexOf(type));
  if (type !== 'array') {
    writeValue(writer, key, type, value);
    return;
  }
  if (items === null || typeof value !== 'object') throw badField(key, value);
  writer.u32(ggufValueTypes.indexOf(items));
  writer.u64(value.length);
  for (const item of value) writeValue(writer, key, items, item);
}

const encoder = new TextEncoder();

export function writeString(writer: ByteWriter, text: string): void {
  const bytes = encoder.encode(text);
  writer.u64(bytes.length);
  writer.bytes(bytes);
}

const widths = { u8: 1, s8: 1, u16: 2, s16: 2, u32: 4, s32: 4, u64: 8, s64: 8 } as const;

function writeValue(
  writer: ByteWriter,
  key: string,
  type: Exclude<GgufValueType, 'array'>,
  value: MetadataValue,
): void {
  if (type === 'string' && typeof value === 'string') writeString(writer, value);
  else if (type === 'bool' && typeof value === 'boolean') writer.integer(1, Number(value));
  else if (type === 'f32' && typeof value === 'number') writer.float(4, value);
  else if (type === 'f64' && typeof value === 'number') writer.float(8, value);
  else if (isInteger(type) && fits(type, value)) writer.integer(widths[type], value);
  else throw badField(key, value);
}

function isInteger(type: GgufValueType): type is keyof typeof widths {
  return Object.hasOwn(widths, type);
}

function fits(type: keyof typeof widths, value: MetadataValue): value is number | bigint {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isSafeInteger(value))) return false;
  const bits = 8 * widths[type];
  const wrapped = type.startsWith('s') ? BigInt.asIntN(bits, BigInt(value)) : BigInt.asUintN(bits, BigInt(value));
  return wrapped === BigInt(value);
}

function badField(key: string, value: MetadataValue): TensorFileError {
  const shown = typeof value === 'object' ? 'a list' : quote(String(value));
  return new TensorFileError('bad-header', `the metadata ${quote(key)} does not match its type: ${shown}`);
}
