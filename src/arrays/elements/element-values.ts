/**
 * Decodes stored elements to numbers: to f32 if f32 can represent every value of the format, and otherwise to f64.
 * Integers beyond 2^53 are rounded to the nearest f64, ties to even; everything else is exact. NaN payloads are lost.
 */
import { wordAt } from '../../base/typed-reads.ts';
import { decode, numberOfExact } from '../../numerics/exact.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import { convert } from '../convert.ts';

export interface ElementDecoder {
  /**
   * The smallest number of elements that fill whole bytes: 1, 2 or 4. All chunks except the last consist of whole
   * groups of this size.
   */
  readonly group: number;
  /** Number of bytes in a group. */
  readonly groupBytes: number;
  /**
   * The first `count` elements of `bytes`, little-endian. The array may be a view of `bytes` or of a buffer that the
   * next call overwrites.
   */
  values(bytes: Uint8Array, count: number): Float32Array | Float64Array;
}

/**
 * `dense`: 2-bit, 4-bit or 6-bit elements without padding, the first in the lowest bits of the first byte. Otherwise
 * each element is in the low bits of its own byte or bytes.
 */
export function elementDecoder(name: FormatName, dense: boolean): ElementDecoder {
  const { width } = formats[name];
  if (name === 'f32') return whole(4, (bytes, count) => viewOf(Float32Array, bytes, count));
  if (name === 'f64') return whole(8, (bytes, count) => viewOf(Float64Array, bytes, count));
  if (name === 'tf32') return whole(4, truncated());
  if (width === 32) return whole(4, integers(name));
  if (width === 64) return whole(8, longIntegers(formats[name].signed));
  return decoded(name, dense && width < 8);
}

type Values = ElementDecoder['values'];

function whole(groupBytes: number, values: Values): ElementDecoder {
  return { group: 1, groupBytes, values };
}

/** Formats of at most 16 bits. */
function decoded(name: FormatName, dense: boolean): ElementDecoder {
  const { width } = formats[name];
  const packing = width >= 8 ? {} : ({ sourcePacking: dense ? 'low-first' : 'bytes' } as const);
  const room = new Room(Float32Array);
  const [group, groupBytes] = dense ? denseGroup(width) : [1, Math.ceil(width / 8)];
  return {
    group,
    groupBytes,
    values: (bytes, count) => convert(bytes, { from: name, to: 'f32', ...packing, count, out: room.of(count) }),
  };
}

/** The smallest number of elements of the given width that exactly fill whole bytes, and the number of these bytes. */
function denseGroup(width: number): readonly [elements: number, bytes: number] {
  return width === 6 ? [4, 3] : [8 / width, 1];
}

function truncated(): Values {
  const room = new Room(Float32Array);
  return (bytes, count) => {
    const from = viewOf(Uint32Array, bytes, count);
    const out = room.of(count);
    const bits = new Uint32Array(out.buffer, 0, count);
    for (let i = 0; i < count; i++) bits[i] = wordAt(from, i) & 0xffffe000;
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

/**
 * Decodes 64-bit integers. Each half of an integer is exact in f64, so the value is rounded only once, when the two
 * halves are added.
 */
function longIntegers(signed: boolean): Values {
  const room = new Room(Float64Array);
  return (bytes, count) => {
    const words = viewOf(Uint32Array, bytes, count * 2);
    const out = room.of(count);
    for (let i = 0; i < count; i++) {
      const high = wordAt(words, 2 * i + 1);
      out[i] = (signed ? high | 0 : high) * 0x100000000 + wordAt(words, 2 * i);
    }
    return out;
  };
}

const tables = new Map<FormatName, Float32Array>();

/** The values of a format of at most 16 bits, indexed by encoding. */
export function valueTable(name: FormatName): Float32Array {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const table = Float32Array.from({ length: 2 ** formats[name].width }, (_, bits) => numberOfExact(decode(name, bits)));
  tables.set(name, table);
  return table;
}

/** The parts of the typed-array interface that the class `Room` needs. */
interface Elements<A> {
  readonly length: number;
  subarray(begin: number, end: number): A;
}

/** A buffer that grows and is reused. */
class Room<A extends Elements<A>> {
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
    return this.buffer.subarray(0, length);
  }
}

interface ViewKind<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): A;
}

/** The bytes viewed as elements of a typed array. Bytes that are not aligned are copied first. */
function viewOf<A>(Kind: ViewKind<A>, bytes: Uint8Array, length: number): A {
  const size = Kind.BYTES_PER_ELEMENT;
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice(0, length * size);
  return new Kind(aligned.buffer, aligned.byteOffset, length);
}
