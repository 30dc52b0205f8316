/** Converts codes and scales back to values. */
import { elementAt } from '../../base/element-at.ts';
import { PtxlabError } from '../../base/error.ts';
import { requireOptions } from '../../base/require.ts';
import { anything, oneOf, type RulesFor } from '../../base/rules.ts';
import { tagOf } from '../../base/tag-of.ts';
import { singleAt } from '../../base/typed-reads.ts';
import { formats } from '../../numerics/formats.ts';
import { unpackCodes } from '../elements/bit-packing.ts';
import { chunkElements } from './block-encoder.ts';
import { requireBytes } from '../require-bytes.ts';
import { convert } from '../convert.ts';
import { valuesOf } from '../elements/element-codes.ts';
import { blockDecoder } from '../elements/encoders.ts';
import { type Piece, piecesOf } from '../pieces.ts';
import { type QuantizedArray, requireQuantized } from './quantized-array.ts';
import type { SourceArray } from '../elements/source-values.ts';
import { type ArrayOf, overlap } from '../storage.ts';

/** Formats that values can be dequantized to. */
export type ValueFormat = 'f32' | 'f16' | 'bf16';

export interface DequantizeOptions<T extends ValueFormat = ValueFormat> {
  /**
   * The format of the result; f32 by default. For f16 and bf16, the product is first rounded to f32 and then to this
   * format, both times to nearest even.
   */
  readonly to?: T | undefined;
  /** Where to write the values; must be as long as the array. */
  readonly out?: ArrayOf<T> | undefined;
  /** `plain` never uses WebAssembly; the results are the same. */
  readonly engine?: 'plain' | undefined;
}

const rules: RulesFor<DequantizeOptions> = {
  to: oneOf('f32', 'f16', 'bf16'),
  // `out` is checked later, together with the size of the result.
  out: anything(),
  engine: oneOf('plain'),
};

/**
 * The values of a quantized array: code times scale, rounded to f32. A ue8m0 scale is used exactly as it is stored. The
 * scale of an NVFP4 block is the block's own scale times the scale of the tensor, rounded to f32. With ue8m0 scales,
 * the product is exact unless it exceeds the range of f32. If a code or its scale is NaN, the value is the canonical
 * NaN, which is 0x7fffffff in f32.
 *
 * @throws PtxlabError `bad-output` if `out` has the wrong length or type, or overlaps the codes or scales;
 *   `bad-quantized` if the array cannot be a result of `quantize`; `bad-option` for invalid options
 */
export function dequantize<T extends ValueFormat = 'f32'>(
  quantized: QuantizedArray,
  options?: DequantizeOptions<T>,
): ArrayOf<T>;
export function dequantize(quantized: QuantizedArray, options: DequantizeOptions = {}): SourceArray {
  requireQuantized(quantized);
  requireOptions(options, rules, 'dequantize');
  const to: ValueFormat = options.to ?? 'f32';
  const result = outputOf(to, quantized, options.out);
  const plain = options.engine === 'plain';
  for (const piece of piecesOf(quantized.layout)) {
    const part = result.subarray(piece.at, piece.at + piece.count);
    if (holdsSingles(part)) decodePiece(quantized, piece, part, plain);
    else {
      const values = valueRoom.subarray(0, piece.count);
      decodePiece(quantized, piece, values, plain);
      convert(values, { to, out: part });
    }
  }
  return result;
}

/** Whether the array is a Float32Array of this realm or of any other. */
function holdsSingles(array: SourceArray): array is Float32Array {
  return tagOf(array) === 'Float32Array';
}

const valueRoom = new Float32Array(chunkElements);

/** For each format of dequantized values, the typed arrays that can hold values of this format. */
const holders: Readonly<Record<ValueFormat, readonly string[]>> = {
  f32: ['Float32Array'],
  f16: ['Uint16Array', 'Float16Array'],
  bf16: ['Uint16Array'],
};

function outputOf(
  to: ValueFormat,
  { layout, codes, scales }: QuantizedArray,
  out: SourceArray | undefined,
): SourceArray {
  const count = layout.rows * layout.columns;
  if (out === undefined) return to === 'f32' ? new Float32Array(count) : new Uint16Array(count);
  requireBytes(out, 'out', 'bad-output');
  if (!holders[to].includes(tagOf(out))) throw new PtxlabError('bad-output', `a ${tagOf(out)} cannot hold ${to}`);
  if (out.length !== count) {
    throw new PtxlabError('bad-output', `out has room for ${out.length} values, but the array has ${count}`);
  }
  if (overlap(out, codes) || overlap(out, scales)) {
    throw new PtxlabError('bad-output', 'out overlaps codes or scales that have not been read yet');
  }
  return out;
}

const codeRoom = new Uint8Array(chunkElements);
const factorRoom = new Float32Array(chunkElements / 16);

/** Dequantizes one piece of an array. */
export function decodePiece(
  quantized: QuantizedArray,
  { at, count, block, firstScale }: Piece,
  out: Float32Array,
  plain = false,
): void {
  const { scheme, codes, packing } = quantized;
  const { element } = scheme;
  const factors = factorRoom.subarray(0, Math.ceil(count / block));
  scalesFrom(quantized, firstScale, factors);
  const bits = packing === 'bytes' ? 8 : formats[element].width;
  if ((at * bits) % 8 === 0) {
    blockDecoder(element, packing === 'low-first', plain).decode(codes.subarray((at * bits) / 8), block, factors, out);
    return;
  }
  const bytes = codeRoom.subarray(0, count);
  unpackCodes(codes, bits, bytes, at);
  blockDecoder(element, false, plain).decode(bytes, block, factors, out);
}

/**
 * Decodes consecutive scales, starting with scale `first`, and stores the f32 factors that they represent in `factors`.
 */
export function scalesFrom(
  { scheme, scales, tensorScale }: QuantizedArray,
  first: number,
  factors: Float32Array,
): void {
  const { scale } = scheme;
  if (scale === 'f32') {
    factors.set(scales.subarray(first, first + factors.length));
    return;
  }
  const values = valuesOf(scale);
  for (let i = 0; i < factors.length; i++) {
    factors[i] = singleAt(values, elementAt(scales, first + i)) * tensorScale;
  }
}
