/** Reads arrays of values in any of the formats that can be quantized. */
import { once } from '../../base/once.ts';
import { PtxlabError } from '../../base/error.ts';
import { tagOf } from '../../base/tag-of.ts';
import { codeAt, singleAt } from '../../base/typed-reads.ts';
import { requireBytes } from '../require-bytes.ts';
import { requireFormat } from '../names.ts';

/** An array of f32 values, or of the bit patterns of f16 or bf16 values. */
export type SourceArray = Float32Array | Uint16Array;
export type SourceFormat = 'f32' | 'f16' | 'bf16';

/** The arrays that callers may pass. These include `Float16Array`, which only newer runtimes have. */
export type GivenArray = SourceArray | HalfArray;

interface HalfArray extends ArrayBufferView {
  readonly length: number;
  readonly [Symbol.toStringTag]: 'Float16Array';
}

/**
 * The elements of the caller's array, and their format. Throws a PtxlabError with the code `bad-source`, or any error
 * that `requireFormat` throws.
 */
export function sourceOf(
  given: GivenArray,
  named: string | undefined,
): { readonly source: SourceArray; readonly from: SourceFormat } {
  requireBytes(given, 'the source', 'bad-source');
  const kind = tagOf(given);
  const held = heldBy(kind);
  const format = named === undefined ? held[0] : requireFormat(named);
  const from = held.find((one) => one === format);
  if (from === undefined) {
    throw new PtxlabError('bad-source', `a ${kind} holds ${held.join(' or ')}, not ${format}`);
  }
  if (named === undefined && held.length > 1) {
    throw new PtxlabError('bad-source', `a ${kind} holds ${held.join(' or ')}: choose one with \`from\``);
  }
  const { buffer, byteOffset, length } = given;
  // A new view is needed because the caller's view may come from another realm, or may be a Float16Array, whose
  // elements are read here as 16-bit patterns.
  const source =
    from === 'f32' ? new Float32Array(buffer, byteOffset, length) : new Uint16Array(buffer, byteOffset, length);
  return { source, from };
}

function heldBy(kind: string): readonly SourceFormat[] {
  switch (kind) {
    case 'Float32Array':
      return ['f32'];
    case 'Float16Array':
      return ['f16'];
    case 'Uint16Array':
      return ['f16', 'bf16'];
    default:
      throw new PtxlabError(
        'bad-source',
        `a ${kind} cannot be quantized: pass f32 in a Float32Array, or bits of f16 or bf16 in a Uint16Array`,
      );
  }
}

/** The exact values of all f16 patterns. Decoding them here takes a third of the time that `valueTable` needs. */
const halfValues = once(() =>
  Float32Array.from({ length: 65536 }, (_, bits) => {
    const [exponent, fraction] = [(bits >>> 10) & 31, bits & 0x3ff];
    const sign = bits < 0x8000 ? 1 : -1;
    if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
  }),
);

/**
 * Converts the values of a source to f32, which is always exact, and writes them to `room`. Returns the part of `room`
 * that holds them. If the values are f32 already, returns the source itself.
 */
export function singlesOf(source: SourceArray, from: SourceFormat, room: Float32Array): Float32Array {
  if (source instanceof Float32Array) return source;
  const count = source.length;
  if (from === 'bf16') {
    const words = new Uint32Array(room.buffer, room.byteOffset, count);
    for (let i = 0; i < count; i++) words[i] = codeAt(source, i) << 16;
  } else {
    const values = halfValues();
    for (let i = 0; i < count; i++) room[i] = singleAt(values, codeAt(source, i));
  }
  return room.subarray(0, count);
}
