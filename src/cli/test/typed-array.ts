/**
 * Converts buffers to the typed arrays that reference functions take, and converts the arrays that these functions
 * return back to bytes.
 */
import { tagOf } from '../../base/tag-of.ts';
import type { NpyType } from '../../tensors/npy/npy.ts';
import type { BufferContents } from '../run/inputs.ts';

/**
 * Returns a copy of a buffer as a typed array whose type matches that of the buffer. The elements of `f16` buffers are
 * 16-bit patterns, and a buffer without a type becomes an array of bytes.
 */
export function typedArrayOf({ bytes, element }: BufferContents): ArrayBufferView {
  const { buffer } = bytes.slice();
  switch (element?.type) {
    case 'f4':
      return new Float32Array(buffer);
    case 'f8':
      return new Float64Array(buffer);
    case 'f2':
    case 'u2':
      return new Uint16Array(buffer);
    case 'i1':
      return new Int8Array(buffer);
    case 'i2':
      return new Int16Array(buffer);
    case 'i4':
      return new Int32Array(buffer);
    case 'i8':
      return new BigInt64Array(buffer);
    case 'u4':
      return new Uint32Array(buffer);
    case 'u8':
      return new BigUint64Array(buffer);
    case 'u1':
    case 'b1':
    case undefined:
      return new Uint8Array(buffer);
  }
}

const types: ReadonlyMap<string, NpyType> = new Map([
  ['Float32Array', 'f4'],
  ['Float64Array', 'f8'],
  ['Int8Array', 'i1'],
  ['Int16Array', 'i2'],
  ['Int32Array', 'i4'],
  ['BigInt64Array', 'i8'],
  ['Uint8Array', 'u1'],
  ['Uint16Array', 'u2'],
  ['Uint32Array', 'u4'],
  ['BigUint64Array', 'u8'],
]);

/** The bytes of an array, and its type. */
export function contentsOf(array: ArrayBufferView): BufferContents {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const type = types.get(tagOf(array));
  const count = 'length' in array ? Number(array.length) : array.byteLength;
  return { bytes, element: type === undefined ? null : { type, shape: [count] } };
}
