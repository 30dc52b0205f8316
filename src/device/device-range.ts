/** A range of device memory that the host can read and write. */
import type { Addressed } from './arguments.ts';
import { type Bytes, bytesOf } from '../arrays/storage.ts';
import { PtxlabError } from '../base/error.ts';
import { shown } from '../base/rules.ts';
import type { GlobalMemory } from '../machine/memory/global-memory.ts';
import type { FormatName } from '../numerics/formats.ts';
import { type DecodedFormat, elementsOf, type NativeArrays, type NativeFormat } from './typed-read.ts';

/** Maps each range to the memory that it belongs to. */
const homes = new WeakMap<object, GlobalMemory>();

/** Records the memory that a range, or a texture, belongs to. */
export function setHome(value: object, memory: GlobalMemory): void {
  homes.set(value, memory);
}

/** Whether a value is a range or a texture that belongs to another device; `memory` is the memory of this device. */
export function isOfAnotherDevice(value: unknown, memory: GlobalMemory): boolean {
  const home = typeof value === 'object' && value !== null ? homes.get(value) : undefined;
  return home !== undefined && home !== memory;
}

/** The base class of buffers and module variables. The address of a range can be passed as a kernel argument. */
export abstract class DeviceRange implements Addressed {
  constructor(memory: GlobalMemory) {
    setHome(this, memory);
  }

  /** The generic address of the range. */
  abstract get address(): bigint;

  /** The bytes themselves, not a copy; throws if the memory has been freed. */
  protected abstract bytes(): Uint8Array;
  /** The name used in error messages. */
  protected abstract get owner(): string;

  /** Returns a copy of the bytes in the range. */
  read(): Uint8Array;
  /**
   * Returns a copy of the range as elements of `format`. Integers, f32 and f64 are returned in a typed array of that
   * type; values of every other format (f16, bf16, tf32, e4m3, e2m1 …) are returned in a Float32Array. In memory, 2-bit
   * and 4-bit elements are packed, with the first one in the lowest bits; 6-bit elements take one byte each.
   *
   * @throws PtxlabError `unknown-format`; `buffer-size` if the bytes do not make up a whole number of elements
   */
  read<F extends NativeFormat>(format: F): NativeArrays[F];
  read(format: DecodedFormat): Float32Array;
  read(format: FormatName): NativeArrays[NativeFormat];
  read(format?: FormatName): Uint8Array | NativeArrays[NativeFormat] {
    const bytes = this.bytes();
    return format === undefined ? bytes.slice() : elementsOf(bytes, format, this.owner);
  }

  /**
   * Returns a view of the bytes in the range, starting at byte `offset`. The view is not a copy, and is valid until the
   * next allocation or launch.
   *
   * @throws PtxlabError `buffer-size` if there are fewer than `length` bytes after `offset`
   */
  view(offset = 0, length?: number): Uint8Array {
    const bytes = this.bytes();
    const count = length ?? bytes.byteLength - (isSize(offset) ? offset : 0);
    if (isSize(offset) && isSize(count) && offset + count <= bytes.byteLength)
      return bytes.subarray(offset, offset + count);
    throw new PtxlabError(
      'buffer-size',
      `${this.owner} has ${bytes.byteLength} bytes, not ${shown(count)} at ${shown(offset)}`,
    );
  }

  /**
   * Copies the bytes of an array, view or buffer into the range, starting at byte `offset`.
   *
   * @throws PtxlabError `argument-type` if `source` is not an array, a view or a buffer; `buffer-size` if the bytes do
   *   not fit after `offset`
   */
  write(source: Bytes, offset = 0): void {
    const target = this.bytes();
    const from = checkedBytes(source);
    const { byteLength } = target;
    if (!isSize(offset) || offset + from.byteLength > byteLength) {
      throw new PtxlabError(
        'buffer-size',
        `${from.byteLength} bytes at ${shown(offset)} do not fit in ${this.owner}, which has ${byteLength}`,
      );
    }
    target.set(from, offset);
  }
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function checkedBytes(source: unknown): Uint8Array {
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return bytesOf(source);
  if (typeof SharedArrayBuffer !== 'undefined' && source instanceof SharedArrayBuffer) return bytesOf(source);
  throw new PtxlabError('argument-type', 'write takes a typed array, a DataView or a buffer');
}
