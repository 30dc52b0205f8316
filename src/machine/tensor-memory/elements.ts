/** Computes the elements of D for tcgen05.mma. */
import { tensorOffset, tensorPlace } from '../../isa/tensor-memory.ts';
import type { ProductDescriptor, TensorProduct, TensorScaling } from '../../isa/tensor-product.ts';
import { dotTile, selectElements, type TileLines, tileLines } from '../../numerics/dot-tile.ts';
import { formats } from '../../numerics/formats.ts';
import { groupScaledTile, productScaledTile, type TileScales, tileScales } from '../../numerics/scaled-tile.ts';
import { warpSize } from '../launch.ts';
import { misuse, requireColumns, type TensorAccess } from './access.ts';
import { formatOf } from './factors.ts';
import type { ProductCall } from './product-call.ts';

/** Computes an element of D from its previous value. */
export type ElementOf = (row: number, column: number, before: number) => number;

/** The bits of the elements of A and B, line by line. */
export interface Codes {
  /** The number of stored elements in a row of A. */
  readonly length: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Returns the elements of a column of B that the stored elements of a row of A are multiplied by; null for all. */
  readonly kept: ((row: number) => Uint16Array) | null;
}

type Product<Kind extends TensorProduct['kind']> = Extract<TensorProduct, { readonly kind: Kind }>;

/** Elements have to be computed row by row: for a sparse A, the elements of B are selected anew for each row. */
export function elementOf(
  call: ProductCall,
  descriptor: ProductDescriptor,
  codes: Codes,
  memory: TensorAccess,
): ElementOf {
  const { product } = call;
  if (product.kind === 'integer') return integerElement(product, descriptor, codes);
  return floatElement(call, product, descriptor, codes, memory);
}

/** `of` makes the function for the elements of B, and `select` selects some of these elements. */
function rowByRow<B>(
  b: B,
  kept: Codes['kept'],
  select: (b: B, places: Uint16Array) => B,
  of: (b: B) => ElementOf,
): ElementOf {
  if (kept === null) return of(b);
  let current = -1;
  let element: ElementOf = () => 0;
  return (row, column, before) => {
    if (row !== current) {
      current = row;
      element = of(select(b, kept(row)));
    }
    return element(row, column, before);
  };
}

// --- floats ---------------------------------------------------------------------------------------------------------

function floatElement(
  call: ProductCall,
  product: Product<'float'>,
  descriptor: ProductDescriptor,
  { length, a: codesOfA, b: codesOfB, kept }: Codes,
  memory: TensorAccess,
): ElementOf {
  const [ofA, ofB] = [formatOf(product, descriptor.a), formatOf(product, descriptor.b)];
  const a = tileLines(ofA, codesOfA, length, descriptor.negatesA);
  const b = tileLines(ofB, codesOfB, kept === null ? length : 2 * length, descriptor.negatesB);
  const { scaling } = product;
  const arithmetic = product.sums[scaling === null ? descriptor.d : wideSum];
  if (arithmetic === undefined) throw misuse(`the instruction descriptor has the unknown type ${descriptor.d} of D`);
  const over = (of: (b: TileLines) => ElementOf): ElementOf => rowByRow(b, kept, selectElements, of);
  if (scaling !== null) {
    const tile = scaling.groups ? groupScaledTile : productScaledTile;
    const scalesOfA = scalesOf(call, descriptor, { scaling, side: 'a' }, memory);
    const scalesOfB = scalesOf(call, descriptor, { scaling, side: 'b' }, memory);
    return over((lines) => tile({ lines: a, scales: scalesOfA }, { lines, scales: scalesOfB }, arithmetic));
  }
  const element = over((lines) => dotTile(a, lines, arithmetic, call.scale));
  // A number of 16 bits takes up the low half of a column.
  if (arithmetic.end === 'f16') return (row, column, before) => element(row, column, before & 0xffff);
  return element;
}

/** The code of f32 as the type of D. */
const wideSum = 1;

/**
 * The scale factors of A or B. Those of line i are adjacent bytes of a word, in lane i % 32 and column i / 32. (Every
 * warp has a copy of them; here, the first one is read.) If the columns of D are divided between two lanes, so are the
 * factors of B: those of the second half begin in lane 64.
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
  const [lane, column] = tensorPlace(address);
  if (lane !== 0) throw misuse('the scale factors do not begin in lane 0');
  const isDivided = side === 'b' && m / product.blocks === 64;
  const together = isDivided ? lines / 2 : lines;
  requireColumns(column, Math.ceil(together / warpSize), memory);
  const codes = new Uint8Array(lines * count);
  for (let line = 0; line < lines; line++) {
    const own = line % together;
    const ofLine = (own % warpSize) + (line < together ? 0 : 2 * warpSize);
    const at = tensorOffset(ofLine, column + Math.floor(own / warpSize));
    const word = memory.read(at, 4);
    for (let i = 0; i < count; i++) codes[line * count + i] = word[(first + i) & 3] ?? 0;
  }
  return tileScales(format, codes, count);
}

// --- integers -------------------------------------------------------------------------------------------------------

/** The code of s32 as the type of D. */
const integerSum = 2;

function integerElement(
  product: Product<'integer'>,
  descriptor: ProductDescriptor,
  { length, a, b, kept }: Codes,
): ElementOf {
  const signs = [descriptor.a, descriptor.b].map((code) => formats[formatOf(product, code)].signed);
  if (descriptor.d !== integerSum) throw misuse(`the instruction descriptor has the unknown type ${descriptor.d} of D`);
  const left = integersOf(a, signs[0] === true);
  const select = (all: Int32Array, places: Uint16Array): Int32Array => {
    const lines = all.length / (2 * length);
    return Int32Array.from({ length: lines * length }, (_, i) => {
      const line = Math.floor(i / length);
      return all[line * 2 * length + (places[i % length] ?? 0)] ?? 0;
    });
  };
  return rowByRow(integersOf(b, signs[1] === true), kept, select, (right) => (row, column, before) => {
    let sum = before | 0;
    for (let k = 0; k < length; k++) sum += (left[row * length + k] ?? 0) * (right[column * length + k] ?? 0);
    return (descriptor.saturates ? Math.max(-0x8000_0000, Math.min(0x7fff_ffff, sum)) : sum) >>> 0;
  });
}

function integersOf(codes: Uint32Array, signed: boolean): Int32Array {
  return Int32Array.from(codes, (code) => (signed ? (code << 24) >> 24 : code));
}
