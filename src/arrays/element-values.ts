/**
 * Stored elements as the numbers they stand for: in f32 where every value of the format fits, in f64 where not. 64-bit
 * integers beyond 2^53 become the nearest f64, ties to even; everything else is exact. NaN payloads are not kept.
 */
import { decode, power } from '../numerics/exact.ts';
import { formats, type FormatName } from '../numerics/formats.ts';

export interface ElementDecoder {
  /** Elements that begin at a byte again after this many: 1, 2 or 4. Chunks hold whole groups, but for the last. */
  readonly group: number;
  /** Bytes of a group. */
  readonly groupBytes: number;
  /**
   * The first `count` elements of `bytes`, little-endian. The array may be a view of `bytes` or of a buffer that the
   * next call fills anew.
   */
  values(bytes: Uint8Array, count: number): Float32Array | Float64Array;
}

/**
 * `dense`: elements of 2, 4 or 6 bits without padding, the first in the lowest bits of the first byte. Else each lies in
 * the low bits of the bytes it needs.
 */
export function elementDecoder(name: FormatName, dense: boolean): ElementDecoder {
  const { width } = formats[name];
  if (name === 'f32') return whole(4, (bytes, count) => viewOf(Float32Array, bytes, count));
  if (name === 'f64') return whole(8, (bytes, count) => viewOf(Float64Array, bytes, count));
  if (name === 'tf32') return whole(4, truncated());
  if (width === 32) return whole(4, integers(name));
  if (width === 64) return whole(8, longIntegers(formats[name].signed));
  if (width === 16)
    return whole(
      2,
      gathered(name, (bytes, count) => viewOf(Uint16Array, bytes, count)),
    );
  if (!dense || width === 8)
    return whole(
      1,
      gathered(name, (bytes) => bytes),
    );
  return denseDecoder(name, width);
}

type Values = ElementDecoder['values'];

function whole(groupBytes: number, values: Values): ElementDecoder {
  return { group: 1, groupBytes, values };
}

/** Codes through a table of all values. */
function gathered(name: FormatName, codesOf: (bytes: Uint8Array, count: number) => Uint8Array | Uint16Array): Values {
  const table = valueTable(name);
  const mask = table.length - 1;
  const room = new Room(Float32Array);
  return (bytes, count) => {
    const codes = codesOf(bytes, count);
    const out = room.of(count);
    for (let i = 0; i < count; i++) out[i] = table[(codes[i] as number) & mask] as number;
    return out;
  };
}

function denseDecoder(name: FormatName, width: number): ElementDecoder {
  const table = valueTable(name);
  const room = new Room(Float32Array);
  const mask = table.length - 1;
  const group = width === 6 ? 4 : 8 / width;
  const groupBytes = width === 6 ? 3 : 1;
  const wordOf =
    width === 6
      ? (bytes: Uint8Array, at: number): number =>
          (bytes[at] as number) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)
      : (bytes: Uint8Array, at: number): number => bytes[at] as number;
  const values: Values = (bytes, count) => {
    const out = room.of(count);
    for (let i = 0, at = 0; i < count; at += groupBytes) {
      let word = wordOf(bytes, at);
      for (const end = Math.min(i + group, count); i < end; i++, word >>>= width) out[i] = table[word & mask] as number;
    }
    return out;
  };
  return { group, groupBytes, values };
}

function truncated(): Values {
  const room = new Room(Float32Array);
  return (bytes, count) => {
    const from = viewOf(Uint32Array, bytes, count);
    const out = room.of(count);
    const bits = new Uint32Array(out.buffer, 0, count);
    for (let i = 0; i < count; i++) bits[i] = (from[i] as number) & 0xffffe000;
    return out;
  };
}

function integers(name: FormatName): Values {
  const room = new Room(Float64Array);
  return (bytes, count) => {
    const out = room.of(count);
    out.set(name === 's32' ? viewOf(Int32Array, bytes, count) : viewOf(Uint32Array, bytes, count));
    return out;
  };
}

/** The two halves of an integer are exact in f64, so their sum is rounded once. */
function longIntegers(signed: boolean): Values {
  const room = new Room(Float64Array);
  return (bytes, count) => {
    const words = viewOf(Uint32Array, bytes, count * 2);
    const out = room.of(count);
    for (let i = 0; i < count; i++) {
      const high = words[2 * i + 1] as number;
      out[i] = (signed ? high | 0 : high) * 0x100000000 + (words[2 * i] as number);
    }
    return out;
  };
}

const tables = new Map<FormatName, Float32Array>();

/** The value of every encoding of a format of at most 16 bits, by encoding; NaN where it is one. */
export function valueTable(name: FormatName): Float32Array {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const table = Float32Array.from({ length: 2 ** formats[name].width }, (_, bits) => valueOf(name, bits));
  tables.set(name, table);
  return table;
}

function valueOf(name: FormatName, bits: number): number {
  const exact = decode(name, bits);
  switch (exact.kind) {
    case 'nan':
      return Number.NaN;
    case 'zero':
      return exact.sign === 1 ? -0 : 0;
    case 'infinity':
      return exact.sign === 1 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    case 'finite':
      return (exact.sign === 1 ? -1 : 1) * exact.significand * power(exact.exponent);
  }
}

/** A buffer that grows and is used again. */
class Room<A extends Float32Array | Float64Array> {
  private readonly Kind: new (
    length: number,
  ) => A;
  private buffer: A;

  constructor(Kind: new (length: number) => A) {
    this.Kind = Kind;
    this.buffer = new Kind(0);
  }

  of(length: number): A {
    if (this.buffer.length < length) this.buffer = new this.Kind(length);
    return this.buffer.subarray(0, length) as A;
  }
}

interface ViewKind<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): A;
}

/** The bytes as elements of a typed array; copied where they do not lie on its boundary. */
function viewOf<A>(Kind: ViewKind<A>, bytes: Uint8Array, length: number): A {
  const size = Kind.BYTES_PER_ELEMENT;
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice(0, length * size);
  return new Kind(aligned.buffer, aligned.byteOffset, length);
}
