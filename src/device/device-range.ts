/** A range of device memory that the host reads and writes. */
import type { Addressed } from './arguments.ts';
import { type Bytes, bytesOf } from '../arrays/storage.ts';
import { PtxlabError } from '../base/error.ts';
import type { FormatName } from '../numerics/formats.ts';
import { type DecodedFormat, elementsOf, type NativeArrays, type NativeFormat } from './typed-read.ts';

/** What buffers and module variables have in common. Its address can be an argument of a launch. */
export abstract class DeviceRange implements Addressed {
  /** Its generic address. */
  abstract get address(): bigint;

  /** The bytes themselves, not a copy; throws if the memory is gone. */
  protected abstract bytes(): Uint8Array;
  /** Names it in errors. */
  protected abstract get owner(): string;

  /** A copy of its bytes. */
  read(): Uint8Array;
  /**
   * A copy as elements of a format: integers, f32 and f64 in their own typed arrays, every other format (f16, bf16,
   * tf32, e4m3, e2m1 …) as its values in a Float32Array. Elements of 2 and 4 bits are dense, the first one in the lowest
   * bits; elements of 6 bits take a byte each.
   *
   * @throws PtxlabError `unknown-format`; `buffer-size` if the bytes are not whole elements
   */
  read<F extends NativeFormat>(format: F): NativeArrays[F];
  read(format: DecodedFormat): Float32Array;
  read(format: FormatName): NativeArrays[NativeFormat];
  read(format?: FormatName): Uint8Array | NativeArrays[NativeFormat] {
    const bytes = this.bytes();
    return format === undefined ? bytes.slice() : elementsOf(bytes, format, this.owner);
  }

  /**
   * Copies the bytes of an array, view or buffer in, from byte `offset` of the range on.
   *
   * @throws PtxlabError `argument-type` for anything without bytes, `buffer-size` if they do not fit after `offset`
   */
  write(source: Bytes, offset = 0): void {
    const target = this.bytes();
    const from = checkedBytes(source);
    const { byteLength } = target;
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + from.byteLength > byteLength) {
      throw new PtxlabError(
        'buffer-size',
        `${from.byteLength} bytes at ${offset} do not fit in ${this.owner}, which has ${byteLength}`,
      );
    }
    target.set(from, offset);
  }
}

function checkedBytes(source: unknown): Uint8Array {
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return bytesOf(source);
  if (typeof SharedArrayBuffer !== 'undefined' && source instanceof SharedArrayBuffer) return bytesOf(source);
  throw new PtxlabError('argument-type', 'a write takes a typed array, a DataView or a buffer');
}
