/** Computes the rows of D for tcgen05.mma. */
import { elementAt } from '../../base/element-at.ts';
import { tensorOffset, tensorPlace } from '../../isa/tensor-memory.ts';
import type { ProductDescriptor, TensorProduct, TensorScaling } from '../../isa/tensor-product.ts';
import type { DotArithmetic } from '../../numerics/dot-arithmetic.ts';
import { dotTile, selectElements, type TileLines, tileLines } from '../../numerics/dot-tile.ts';
import { formats } from '../../numerics/formats.ts';
import {
  groupScaledTile,
  linesWithNan,
  multipliedLines,
  productScaledTile,
  type TileScales,
  tileScales,
} from '../../numerics/scaled-tile.ts';
import { warpSize } from '../launch.ts';
import { misuse, requireColumns, type TensorAccess } from './access.ts';
import { formatOf } from './factors.ts';
import type { MultiplyRow, RowMultiplier } from './multiply-row.ts';
import type { ProductCall } from './product-call.ts';

/** Computes an element of D from its previous value. */
type ElementOf = (row: number, column: number, before: number) => number;

/**
 * Computes elements of a row of D, beginning with column `first`. `sums` contains their previous values, which are
 * replaced by the results.
 */
export type RowOf = (row: number, first: number, sums: Uint32Array) => void;

/** The bits of the elements of A, row by row, and of B, column by column. */
export interface Codes {
  /** The number of stored elements in a row of A. */
  readonly length: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /**
   * Returns, for each stored element in a row of A, the index of its factor in a column of B. Null if all elements of B
   * are used.
   */
  readonly kept: ((row: number) => Uint16Array) | null;
}

type Product<Kind extends TensorProduct['kind']> = Extract<TensorProduct, { readonly kind: Kind }>;

/** The functions that an engine provides for computing a product. */
export interface ProductEngine {
  readonly memory: TensorAccess;
  /** Multiplies whole rows; null if the engine computes each element separately. */
  readonly multiplier: RowMultiplier | null;
}

/**
 * Returns the function that computes rows of D. The elements have to be computed row by row: if A is sparse, different
 * elements of B are selected for each row.
 */
export function rowOf(call: ProductCall, descriptor: ProductDescriptor, codes: Codes, engine: ProductEngine): RowOf {
  const { product } = call;
  if (product.kind === 'integer') return oneByOne(integerElement(product, descriptor, codes));
  return floatRow(call, product, descriptor, codes, engine);
}

function oneByOne(element: ElementOf): RowOf {
  return (row, first, sums) => {
    for (let at = 0; at < sums.length; at++) sums[at] = element(row, first + at, sums[at] ?? 0);
  };
}

/** `of` creates the function that computes elements of D from B, and `select` selects elements of B. */
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

/** The factors of a floating-point product. */
interface FloatFactors {
  readonly a: TileLines;
  readonly b: TileLines;
  readonly kept: Codes['kept'];
  readonly arithmetic: DotArithmetic;
}

function floatRow(
  call: ProductCall,
  product: Product<'float'>,
  descriptor: ProductDescriptor,
  { length, a: codesOfA, b: codesOfB, kept }: Codes,
  engine: ProductEngine,
): RowOf {
  const ofFactors = [formatOf(product, descriptor.a), formatOf(product, descriptor.b)] as const;
  const a = tileLines(ofFactors[0], codesOfA, length, descriptor.negatesA);
  const b = tileLines(ofFactors[1], codesOfB, kept === null ? length : 2 * length, descriptor.negatesB);
  const { scaling } = product;
  const arithmetic = product.sums[scaling === null ? descriptor.d : wideSum];
  if (arithmetic === undefined) throw misuse(`the instruction descriptor has the unknown type ${descriptor.d} of D`);
  if (scaling !== null) return scaledRow(call, scaling, descriptor, { a, b, kept, arithmetic }, engine);
  const element = rowByRow(b, kept, selectElements, (lines) => dotTile(a, lines, arithmetic, call.scale));
  // A 16-bit number is stored in the low half of a column.
  const ofHalf: ElementOf = (row, column, before) => element(row, column, before & 0xffff);
  const each = arithmetic.end === 'f16' ? ofHalf : element;
  if (engine.multiplier === null || kept !== null || call.scale !== 0) return oneByOne(each);
  const multiply = engine.multiplier({ kind: 'elements', a, b, arithmetic, formats: ofFactors });
  return allAtOnce(multiply, each, specialIn(a), specialIn(b));
}

function scaledRow(
  call: ProductCall,
  scaling: TensorScaling,
  descriptor: ProductDescriptor,
  { a: lines, b, kept, arithmetic }: FloatFactors,
  { memory, multiplier }: ProductEngine,
): RowOf {
  const a = { lines, scales: scalesOf(call, descriptor, { scaling, side: 'a' }, memory) };
  const scales = scalesOf(call, descriptor, { scaling, side: 'b' }, memory);
  const tile = scaling.groups ? groupScaledTile : productScaledTile;
  const each = rowByRow(b, kept, selectElements, (ofB) => tile(a, { lines: ofB, scales }, arithmetic));
  if (multiplier === null || kept !== null) return oneByOne(each);
  if (scaling.groups) {
    const multiply = multiplier({ kind: 'groups', a, b: { lines: b, scales }, arithmetic });
    return allAtOnce(multiply, each, linesWithNan(a.scales), linesWithNan(scales));
  }
  const [fromA, fromB] = [multipliedLines(a), multipliedLines({ lines: b, scales })];
  const whole = { ...arithmetic, chunk: lines.length };
  const multiply = multiplier({ kind: 'elements', a: fromA.lines, b: fromB.lines, arithmetic: whole, formats: null });
  return allAtOnce(multiply, each, fromA.others, fromB.others);
}

/** The lines that contain an infinity or a NaN. */
function specialIn({ special }: TileLines): ReadonlySet<number> {
  return new Set(special.keys());
}

/**
 * Multiplies whole rows. Elements are computed one by one only in the given rows and columns, and in rows in which a
 * number is out of range.
 */
function allAtOnce(
  multiply: MultiplyRow,
  element: ElementOf,
  rows: ReadonlySet<number>,
  columns: ReadonlySet<number>,
): RowOf {
  const each = oneByOne(element);
  return (row, first, sums) => {
    const own = [...columns].filter((column) => column >= first && column < first + sums.length);
    const before = own.map((column) => elementAt(sums, column - first));
    if (rows.has(row) || !multiply(row, first, sums)) {
      each(row, first, sums);
      return;
    }
    own.forEach((column, i) => {
      sums[column - first] = element(row, column, elementAt(before, i));
    });
  };
}

/** The code that specifies f32 as the type of D. */
const wideSum = 1;

/**
 * The scale factors of A or B. The factors of line i are adjacent bytes of a word in lane `i % 32` and column `i / 32`.
 * (Every warp has a copy of the factors; this function reads the first copy.) If the columns of D are divided between
 * two lanes, the factors of B are divided as well: the factors of the second half begin in lane 64.
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

/** The code that specifies s32 as the type of D. */
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
