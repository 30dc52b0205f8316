/** Reads the bytes of device memory as elements of a number format. */
import { elementDecoder } from '../arrays/elements/element-values.ts';
import { storageOf, storedElements } from '../arrays/storage.ts';
import { PtxlabError } from '../base/error.ts';
import { shown } from '../base/rules.ts';
import { type FormatName, formats, isFormatName } from '../numerics/formats.ts';

/** The formats for which JavaScript has a typed array. */
export interface NativeArrays {
  readonly f64: Float64Array;
  readonly f32: Float32Array;
  readonly s8: Int8Array;
  readonly u8: Uint8Array;
  readonly s16: Int16Array;
  readonly u16: Uint16Array;
  readonly s32: Int32Array;
  readonly u32: Uint32Array;
  readonly s64: BigInt64Array;
  readonly u64: BigUint64Array;
}

export type NativeFormat = keyof NativeArrays;

/** All other formats. Every value of these formats can be represented exactly in f32. */
export type DecodedFormat = Exclude<FormatName, NativeFormat>;

/** Creates a typed array that covers a whole buffer, so that the array is always aligned. */
type Maker<A> = (buffer: ArrayBuffer) => A;

const makers: { readonly [F in NativeFormat]: Maker<NativeArrays[F]> } = {
  f64: (buffer) => new Float64Array(buffer),
  f32: (buffer) => new Float32Array(buffer),
  s8: (buffer) => new Int8Array(buffer),
  u8: (buffer) => new Uint8Array(buffer),
  s16: (buffer) => new Int16Array(buffer),
  u16: (buffer) => new Uint16Array(buffer),
  s32: (buffer) => new Int32Array(buffer),
  u32: (buffer) => new Uint32Array(buffer),
  s64: (buffer) => new BigInt64Array(buffer),
  u64: (buffer) => new BigUint64Array(buffer),
};

function isNative(format: FormatName): format is NativeFormat {
  return Object.hasOwn(makers, format);
}

/**
 * Returns a copy of the bytes as elements of a format.
 *
 * @param owner name of the memory in error messages
 * @throws PtxlabError `unknown-format`; `buffer-size` if the bytes are not a whole number of elements
 */
export function elementsOf(
  bytes: Uint8Array,
  format: FormatName,
  owner: string,
): NativeArrays[NativeFormat] | Float32Array {
  if (!isFormatName(format)) throw new PtxlabError('unknown-format', `${shown(format)} is not a number format`);
  const elementBytes = Math.max(1, formats[format].width / 8);
  if (bytes.byteLength % Math.ceil(elementBytes) !== 0) {
    throw new PtxlabError(
      'buffer-size',
      `the ${bytes.byteLength} bytes of ${owner} are not a whole number of ${format} elements`,
    );
  }
  if (isNative(format)) return makers[format](Uint8Array.from(bytes).buffer);
  const storage = storageOf(format, undefined);
  const values = elementDecoder(format, storage.dense).values(bytes.slice(), storedElements(storage, bytes.byteLength));
  return Float32Array.from(values);
}
