/** Carries out tcgen05.mma. Each engine supplies the accesses to memory. */
import { laneBytes, tensorLanes } from '../isa/tensor-memory.ts';
import { type ProductDescriptor, readDescriptor, type TensorProduct } from '../isa/tensor-product.ts';
import { dotTile, tileLines } from '../numerics/dot-tile.ts';
import type { FactorFormat } from '../numerics/dot-arithmetic.ts';
import { formats, type IntegerName } from '../numerics/formats.ts';
import { sharedTile } from './shared-tile.ts';
import { misuse, placeOf, requireColumns, type TensorAccess, wordsOf } from './tensor-access.ts';

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
  /** The lanes of D that remain unchanged: one bit each, in four words. */
  readonly unchanged: readonly number[];
}

/** The number of bytes along K that one instruction multiplies. */
const bytesAlongK = 32;

export function multiplyInTensor(call: ProductCall, memory: TensorAccess): void {
  const { product, instruction } = call;
  const descriptor = readDescriptor(instruction);
  const { m, n } = descriptor;
  if (!isShape(descriptor, product)) throw misuse(`the instruction descriptor has the shape ${m} by ${n}`);
  if (descriptor.sparse) throw misuse('the instruction descriptor is for a sparse product');
  const length = (8 * bytesAlongK) / product.bits;
  const a = product.aInTensor
    ? laneCodes(call, descriptor, length, memory)
    : sharedCodes({ ...sideOf(call, descriptor, 'a'), length }, memory);
  const b = sharedCodes({ ...sideOf(call, descriptor, 'b'), length }, memory);
  const element = elementOf(call, descriptor, length, a, b);
  const [lane, column] = placeOf(call.d);
  requireColumns(column, n, memory);
  requireLanes(lane, m);
  const size = 4 * n;
  for (let row = 0; row < m; row++) {
    const own = lane + laneOf(row, m);
    if ((((call.unchanged[own >> 5] ?? 0) >>> (own & 31)) & 1) === 1) continue;
    const offset = own * laneBytes + 4 * column;
    const before = call.adds ? wordsOf(memory.read(offset, size)).slice() : null;
    const results = wordsOf(memory.write(offset, size));
    for (let at = 0; at < n; at++) results[at] = element(row, at, before?.[at] ?? 0);
  }
}

function requireLanes(lane: number, m: number): void {
  if (lane + laneOf(m - 1, m) >= tensorLanes) throw misuse('the rows of a matrix do not fit into the lanes');
}

function isShape({ m, n }: ProductDescriptor, { kind }: TensorProduct): boolean {
  if (n < 8 || n > 256) return false;
  if (kind === 'integer' && n > 32 && n % 16 !== 0) return false;
  return m === 64 || (m === 128 && n % 16 === 0);
}

/** A product with 64 rows uses 16 of the 32 lanes of each warp (layout F of section 9.7.16.10.5). */
function laneOf(row: number, m: number): number {
  return m === 128 ? row : 32 * (row >> 4) + (row & 15);
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
  const code = descriptor[side];
  const format = product.factors[code];
  if (format === undefined) throw misuse(`the instruction descriptor has the unknown element type ${code}`);
  return {
    operand: call[side],
    lines: isA ? descriptor.m : descriptor.n,
    transposed: isA ? descriptor.transposesA : descriptor.transposesB,
    format,
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
  const { operand, lines, format, bits } = sideOf(call, descriptor, 'a');
  const [lane, column] = placeOf(operand);
  requireColumns(column, bytesAlongK / 4, memory);
  requireLanes(lane, lines);
  const low = format === 'e2m1' ? 2 : 0;
  const mask = maskOf(formats[format].width);
  const codes = new Uint32Array(lines * length);
  for (let row = 0; row < lines; row++) {
    const bytes = memory.read((lane + laneOf(row, lines)) * laneBytes + 4 * column, bytesAlongK);
    for (let k = 0; k < length; k++) codes[row * length + k] = (elementBits(viewOf(bytes), k, bits) >>> low) & mask;
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
  const perChunk = 128 / bits;
  const [outer, inner] = transposed ? [length, lines] : [lines, length];
  for (let line = 0; line < outer; line++) {
    for (let first = 0; first < inner; first += perChunk) {
      const bytes = viewOf(chunk(tile(line, first / perChunk)));
      for (let i = 0; i < perChunk && first + i < inner; i++) {
        const at = transposed ? (first + i) * length + line : line * length + first + i;
        codes[at] = codeIn(bytes, i, bits, formats[format].width);
      }
    }
  }
  return codes;
}

/** Elements of fewer than 8 bits are packed at the start of their chunk; the rest of the chunk is padding. */
function codeIn(chunk: DataView, i: number, bits: TensorProduct['bits'], width: number): number {
  if (width >= 8) return elementBits(chunk, i, bits);
  const low = i * width;
  const both = chunk.getUint8(low >> 3) | (chunk.getUint8((low >> 3) + 1) << 8);
  return (both >>> (low & 7)) & maskOf(width);
}

type ElementOf = (row: number, column: number, before: number) => number;

function elementOf(
  call: ProductCall,
  descriptor: ProductDescriptor,
  length: number,
  a: Uint32Array,
  b: Uint32Array,
): ElementOf {
  const { product, scale } = call;
  const unknown = (): Error => misuse('the instruction descriptor has an unknown type');
  if (product.kind === 'integer') {
    const [ofA, ofB] = [product.factors[descriptor.a], product.factors[descriptor.b]];
    if (ofA === undefined || ofB === undefined || descriptor.d !== integerSum) throw unknown();
    const [left, right] = [integersOf(a, formats[ofA].signed), integersOf(b, formats[ofB].signed)];
    return (row, column, before) => {
      let sum = before | 0;
      for (let k = 0; k < length; k++) sum += (left[row * length + k] ?? 0) * (right[column * length + k] ?? 0);
      return (descriptor.saturates ? Math.max(-0x8000_0000, Math.min(0x7fff_ffff, sum)) : sum) >>> 0;
    };
  }
  const arithmetic = product.sums[descriptor.d];
  const [ofA, ofB] = [product.factors[descriptor.a], product.factors[descriptor.b]];
  if (arithmetic === undefined || ofA === undefined || ofB === undefined) throw unknown();
  const element = dotTile(
    tileLines(ofA, a, length, descriptor.negatesA),
    tileLines(ofB, b, length, descriptor.negatesB),
    arithmetic,
    scale,
  );
  // A number of 16 bits takes up the low half of a column.
  if (arithmetic.end === 'f16') return (row, column, before) => element(row, column, before & 0xffff);
  return element;
}

/** The code of s32 as the type of D. */
const integerSum = 2;

function integersOf(codes: Uint32Array, signed: boolean): Int32Array {
  return Int32Array.from(codes, (code) => (signed ? (code << 24) >> 24 : code));
}
