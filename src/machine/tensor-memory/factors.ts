/** Reads the elements of A and B for tcgen05.mma, from shared memory and tensor memory. */
import { viewOf } from '../../base/byte-view.ts';
import { tensorOffset, tensorPlace } from '../../isa/tensor-memory.ts';
import type { ProductDescriptor, TensorProduct } from '../../isa/tensor-product.ts';
import type { FactorFormat } from '../../numerics/dot-arithmetic.ts';
import { formats, type IntegerName } from '../../numerics/formats.ts';
import { sharedTile } from './shared-tile.ts';
import { misuse, requireColumns, smallCode, type TensorAccess } from './access.ts';
import { requireLanes, type RowLayout } from './rows.ts';

/** A factor of a product: its operand, and the format of its elements. */
export interface Factor {
  /** An address in tensor memory, or a descriptor of a matrix in shared memory. */
  readonly operand: bigint;
  readonly transposed: boolean;
  readonly format: FactorFormat | IntegerName;
  /** Number of bits that an element takes up in memory, which may be more than the width of the format. */
  readonly bits: TensorProduct['bits'];
}

/** The number of rows or columns that are read, and the number of elements in each of them. */
export interface FactorSize {
  readonly lines: number;
  readonly length: number;
}

export function formatOf<Format>(
  { factors }: { readonly factors: Readonly<Record<number, Format>> },
  code: number,
): Format {
  const format = factors[code];
  if (format === undefined) throw misuse(`the instruction descriptor has the unknown element type ${code}`);
  return format;
}

export function factorOf(
  operand: bigint,
  product: TensorProduct,
  descriptor: ProductDescriptor,
  side: 'a' | 'b',
): Factor {
  return {
    operand,
    transposed: side === 'a' ? descriptor.transposesA : descriptor.transposesB,
    format: formatOf<FactorFormat | IntegerName>(product, descriptor[side]),
    bits: product.bits,
  };
}

/**
 * Reads the codes of A from tensor memory. `part` is the index of a part of the layout. An fp4 number is in bits 2 to 5
 * of its byte, and an fp6 number is in bits 0 to 5.
 */
export function laneCodes(
  { operand, format, bits }: Factor,
  { lines, length }: FactorSize,
  layout: RowLayout,
  part: number,
  memory: TensorAccess,
): Uint32Array {
  const { laneOf } = layout;
  const [lane, column] = tensorPlace(operand);
  const bytes = (length * bits) / 8;
  requireColumns(column, bytes / 4, memory);
  requireLanes(lane, layout, lines);
  const low = format === 'e2m1' && bits === 8 ? 2 : 0;
  const mask = maskOf(formats[format].width);
  const codes = new Uint32Array(lines * length);
  for (let row = 0; row < lines; row++) {
    const view = viewOf(memory.read(tensorOffset(lane + laneOf(row, part), column), bytes));
    for (let k = 0; k < length; k++) codes[row * length + k] = (elementBits(view, k, bits) >>> low) & mask;
  }
  return codes;
}

function maskOf(width: number): number {
  return width === 32 ? 0xffff_ffff : 2 ** width - 1;
}

function elementBits(view: DataView, at: number, bits: TensorProduct['bits']): number {
  if (bits === 4) return view.getUint8(at >> 1) >>> (4 * (at & 1));
  if (bits === 32) return view.getUint32(4 * at, true);
  return bits === 16 ? view.getUint16(2 * at, true) : view.getUint8(at);
}

/** The codes of a matrix in shared memory, line by line; the elements of a line are adjacent along K. */
export function sharedCodes(
  { operand, transposed, format, bits }: Factor,
  { lines, length }: FactorSize,
  { chunk }: TensorAccess,
): Uint32Array {
  const tile = sharedTile(operand, !transposed, bits);
  const codes = new Uint32Array(lines * length);
  const { width } = formats[format];
  const perChunk = 128 / bits;
  const [outer, inner] = transposed ? [length, lines] : [lines, length];
  for (let line = 0; line < outer; line++) {
    for (let first = 0; first < inner; first += perChunk) {
      const bytes = chunk(tile(line, first / perChunk));
      const view = viewOf(bytes);
      for (let i = 0; i < perChunk && first + i < inner; i++) {
        const at = transposed ? (first + i) * length + line : line * length + first + i;
        codes[at] = width < 8 ? smallCode(bytes, i, width) : elementBits(view, i, bits);
      }
    }
  }
  return codes;
}

/**
 * Replaces each line with the line whose number `source` returns, or with zeros if `source` returns null. `count` is
 * the number of resulting lines.
 */
export function replaceLines(
  codes: Uint32Array,
  length: number,
  count: number,
  source: (line: number) => number | null,
): Uint32Array {
  const made = new Uint32Array(count * length);
  for (let line = 0; line < count; line++) {
    const from = source(line);
    if (from !== null) made.set(codes.subarray(from * length, (from + 1) * length), line * length);
  }
  return made;
}
