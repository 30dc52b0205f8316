/** Carries out tcgen05.mma. Each engine supplies the accesses to memory. */
import { laneBytes, tensorLanes } from '../isa/tensor-memory.ts';
import {
  type ProductDescriptor,
  readDescriptor,
  type TensorProduct,
  type TensorScaling,
} from '../isa/tensor-product.ts';
import { dotTile, type TileLines, tileLines } from '../numerics/dot-tile.ts';
import { groupScaledTile, productScaledTile, type TileScales, tileScales } from '../numerics/scaled-tile.ts';
import type { FactorFormat } from '../numerics/dot-arithmetic.ts';
import { formats, type IntegerName } from '../numerics/formats.ts';
import { sharedTile } from './shared-tile.ts';
import { warpSize } from './launch.ts';
import { misuse, placeOf, requireColumns, smallCode, type TensorAccess, wordsOf } from './tensor-access.ts';

/** The operands of an instruction that multiplies matrices. */
export interface ProductCall {
  readonly product: TensorProduct;
  /** The address of D in tensor memory. */
  readonly d: bigint;
  /** The address of A in tensor memory, or a descriptor of A in shared memory. */
  readonly a: bigint;
  /** A descriptor of B in shared memory. */
  readonly b: bigint;
  readonly instruction: number;
  /** Whether the product is added to the previous value of D. */
  readonly adds: boolean;
  /** The previous value of D is multiplied by 2^-`scale`. */
  readonly scale: number;
  /** The addresses of the scale factors of A and B in tensor memory, if the elements have them. */
  readonly scales: readonly bigint[];
  /** The lanes of D that remain unchanged: one bit each, in four words. */
  readonly unchanged: readonly number[];
}

/** The number of bytes along K that one instruction multiplies. */
const bytesAlongK = 32;

/** @param memories those of the blocks that multiply together, by their ranks */
export function multiplyInTensor(call: ProductCall, memories: readonly TensorAccess[]): void {
  const { product, instruction } = call;
  const descriptor = readDescriptor(instruction);
  const { m, n } = descriptor;
  if (!isShape(descriptor, product)) throw misuse(`there is no product with ${m} rows and ${n} columns`);
  if (descriptor.sparse) throw misuse('the instruction descriptor is for a sparse product');
  const length = (8 * bytesAlongK) / product.bits;
  const side = { ...sideOf(call, descriptor, 'b'), lines: n / memories.length, length };
  const b = joined(memories.map((memory) => sharedCodes(side, memory)));
  memories.forEach((memory, rank) => {
    const unchanged = call.unchanged.slice(4 * rank, 4 * rank + 4);
    multiplyRows({ ...call, unchanged }, descriptor, { length, b }, memory);
  });
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((count, { length }) => count + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Computes the rows of D that one block gets. */
function multiplyRows(
  call: ProductCall,
  descriptor: ProductDescriptor,
  { length, b }: Pick<Codes, 'length' | 'b'>,
  memory: TensorAccess,
): void {
  const { product, adds, unchanged } = call;
  const rows = descriptor.m / product.blocks;
  const layout = layoutOf(rows, descriptor.n, product);
  const a = product.aInTensor
    ? laneCodes(call, descriptor, length, memory)
    : sharedCodes({ ...sideOf(call, descriptor, 'a'), lines: rows, length }, memory);
  const element = elementOf(call, descriptor, { length, a, b }, memory);
  const [lane, column] = placeOf(call.d);
  const { columns } = layout;
  requireColumns(column, columns, memory);
  requireLanes(lane, Math.max(...layout.lanesOf(rows - 1)));
  const size = 4 * columns;
  for (let row = 0; row < rows; row++) {
    layout.lanesOf(row).forEach((of, part) => {
      const own = lane + of;
      if ((((unchanged[own >> 5] ?? 0) >>> (own & 31)) & 1) === 1) return;
      const offset = own * laneBytes + 4 * column;
      const before = adds ? wordsOf(memory.read(offset, size)).slice() : null;
      const results = wordsOf(memory.write(offset, size));
      const first = part * columns;
      for (let at = 0; at < columns; at++) results[at] = element(row, first + at, before?.[at] ?? 0);
    });
  }
}

function requireLanes(lane: number, last: number): void {
  if (lane + last >= tensorLanes) throw misuse('the rows of a matrix do not fit into the lanes');
}

function isShape({ m, n }: ProductDescriptor, product: TensorProduct): boolean {
  const { kind, blocks } = product;
  const rows = m / blocks;
  if (n < 8 || n > 256 || (blocks === 2 && n % 16 !== 0)) return false;
  if (kind === 'float' && product.scaling !== null && rows !== 128) return false;
  if (kind === 'integer' && n > 32 && n % 16 !== 0) return false;
  return rows === 64 || (rows === 128 && n % 16 === 0);
}

/** Where a block has its rows of D (PTX ISA 9.1, section 9.7.16.10.5). */
interface RowLayout {
  /** The lanes that hold a row, each of them another part of its columns. */
  readonly lanesOf: (row: number) => readonly number[];
  /** The number of columns in one lane. */
  readonly columns: number;
}

/**
 * 128 rows use a lane each. 64 rows of one block use 16 of the 32 lanes of each warp (layout F); those of two blocks use
 * two lanes each, with half of the columns (layout B).
 */
function layoutOf(rows: number, n: number, { blocks }: TensorProduct): RowLayout {
  if (blocks === 2 && rows === 64) return { lanesOf: (row) => [row, row + 64], columns: n / 2 };
  return { lanesOf: (row) => [laneOf(row, rows)], columns: n };
}

function laneOf(row: number, rows: number): number {
  return rows === 128 ? row : 32 * (row >> 4) + (row & 15);
}

// --- elements -------------------------------------------------------------------------------------------------------

/** A factor of the product: its operand, the number of its rows or columns, and the format of its elements. */
interface Side {
  readonly operand: bigint;
  readonly lines: number;
  readonly transposed: boolean;
  readonly format: FactorFormat | IntegerName;
  /** Number of bits that an element takes up in memory, which may be more than the format has. */
  readonly bits: TensorProduct['bits'];
}

function sideOf(call: ProductCall, descriptor: ProductDescriptor, side: 'a' | 'b'): Side {
  const { product } = call;
  const isA = side === 'a';
  return {
    operand: call[side],
    lines: isA ? descriptor.m : descriptor.n,
    transposed: isA ? descriptor.transposesA : descriptor.transposesB,
    format: formatOf<FactorFormat | IntegerName>(product, descriptor[side]),
    bits: product.bits,
  };
}

/** The codes of A in tensor memory. An fp4 number is in bits 2 to 5 of its byte, an fp6 number in bits 0 to 5. */
function laneCodes(
  call: ProductCall,
  descriptor: ProductDescriptor,
  length: number,
  memory: TensorAccess,
): Uint32Array {
  const { operand, lines: all, format, bits } = sideOf(call, descriptor, 'a');
  const { blocks } = call.product;
  const lines = all / blocks;
  if (blocks === 2 && lines === 64) throw misuse('A with 64 rows in each of two blocks must be in shared memory');
  const [lane, column] = placeOf(operand);
  requireColumns(column, bytesAlongK / 4, memory);
  requireLanes(lane, laneOf(lines - 1, lines));
  const low = format === 'e2m1' && bits === 8 ? 2 : 0;
  const mask = maskOf(formats[format].width);
  const codes = new Uint32Array(lines * length);
  for (let row = 0; row < lines; row++) {
    const view = viewOf(memory.read((lane + laneOf(row, lines)) * laneBytes + 4 * column, bytesAlongK));
    for (let k = 0; k < length; k++) codes[row * length + k] = (elementBits(view, k, bits) >>> low) & mask;
  }
  return codes;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
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
function sharedCodes(
  { operand, lines, length, transposed, format, bits }: Side & { readonly length: number },
  { chunk }: TensorAccess,
): Uint32Array {
  const tile = sharedTile(operand, !transposed);
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

type ElementOf = (row: number, column: number, before: number) => number;

/** The bits of the elements of A and B, line by line, with `length` elements in a line. */
interface Codes {
  readonly length: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
}

type Product<Kind extends TensorProduct['kind']> = Extract<TensorProduct, { readonly kind: Kind }>;

function elementOf(call: ProductCall, descriptor: ProductDescriptor, codes: Codes, memory: TensorAccess): ElementOf {
  const { product } = call;
  if (product.kind === 'integer') return integerElement(product, descriptor, codes);
  const { length } = codes;
  const [ofA, ofB] = [formatOf(product, descriptor.a), formatOf(product, descriptor.b)];
  const a = tileLines(ofA, codes.a, length, descriptor.negatesA);
  const b = tileLines(ofB, codes.b, length, descriptor.negatesB);
  const { scaling } = product;
  const arithmetic = product.sums[scaling === null ? descriptor.d : wideSum];
  if (arithmetic === undefined) throw misuse(`the instruction descriptor has the unknown type ${descriptor.d} of D`);
  if (scaling !== null) {
    const scaled = (lines: TileLines, side: 'a' | 'b') => ({
      lines,
      scales: scalesOf(call, descriptor, { scaling, side }, memory),
    });
    return (scaling.groups ? groupScaledTile : productScaledTile)(scaled(a, 'a'), scaled(b, 'b'), arithmetic);
  }
  const element = dotTile(a, b, arithmetic, call.scale);
  // A number of 16 bits takes up the low half of a column.
  if (arithmetic.end === 'f16') return (row, column, before) => element(row, column, before & 0xffff);
  return element;
}

/** The code of f32 as the type of D. */
const wideSum = 1;

function formatOf<Format>({ factors }: { readonly factors: Readonly<Record<number, Format>> }, code: number): Format {
  const format = factors[code];
  if (format === undefined) throw misuse(`the instruction descriptor has the unknown element type ${code}`);
  return format;
}

/**
 * The scale factors of A or B. Those of line i are adjacent bytes of a word, in lane i % 32 and column i / 32. (Every
 * warp has a copy of them; here, the first one is read.)
 */
function scalesOf(
  { scales, product }: ProductCall,
  { m, n, scaleFormat, firstScaleA, firstScaleB }: ProductDescriptor,
  { scaling, side }: { readonly scaling: TensorScaling; readonly side: 'a' | 'b' },
  memory: TensorAccess,
): TileScales {
  const { count } = scaling;
  const [address = 0n, lines, first] =
    side === 'a' ? ([scales[0], m / product.blocks, firstScaleA] as const) : ([scales[1], n, firstScaleB] as const);
  const format = scaling.formats[scaleFormat];
  if (format === undefined) throw misuse(`the instruction descriptor has the unknown scale format ${scaleFormat}`);
  const [lane, column] = placeOf(address);
  if (lane !== 0) throw misuse('the scale factors do not begin in lane 0');
  requireColumns(column, Math.ceil(lines / warpSize), memory);
  const codes = new Uint8Array(lines * count);
  for (let line = 0; line < lines; line++) {
    const at = (line % warpSize) * laneBytes + 4 * (column + Math.floor(line / warpSize));
    const word = memory.read(at, 4);
    for (let i = 0; i < count; i++) codes[line * count + i] = word[(first + i) & 3] ?? 0;
  }
  return tileScales(format, codes, count);
}

function integerElement(
  product: Product<'integer'>,
  descriptor: ProductDescriptor,
  { length, a, b }: Codes,
): ElementOf {
  const signs = [descriptor.a, descriptor.b].map((code) => formats[formatOf(product, code)].signed);
  if (descriptor.d !== integerSum) throw misuse(`the instruction descriptor has the unknown type ${descriptor.d} of D`);
  const [left, right] = [integersOf(a, signs[0] === true), integersOf(b, signs[1] === true)];
  return (row, column, before) => {
    let sum = before | 0;
    for (let k = 0; k < length; k++) sum += (left[row * length + k] ?? 0) * (right[column * length + k] ?? 0);
    return (descriptor.saturates ? Math.max(-0x8000_0000, Math.min(0x7fff_ffff, sum)) : sum) >>> 0;
  };
}

/** The code of s32 as the type of D. */
const integerSum = 2;

function integersOf(codes: Uint32Array, signed: boolean): Int32Array {
  return Int32Array.from(codes, (code) => (signed ? (code << 24) >> 24 : code));
}
