/** Products of matrices that a warp holds, exactly as the hardware computes them. */
import { type Bits, chop, numberOf } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { type Fragment, elementsOf, holdersOf, indexOf, placeOf } from '../isa/fragments.ts';
import type { MatrixProduct, Scaling, Sparsity } from '../isa/matrix-product.ts';
import { floatOperation } from '../numerics/arithmetic.ts';
import { conversion } from '../numerics/convert.ts';
import { type Addend, dotProduct, product, termOf } from '../numerics/dot.ts';
import { decode } from '../numerics/exact.ts';
import { formats } from '../numerics/formats.ts';
import type { Member } from './member.ts';

type ProductOf<Kind extends MatrixProduct['kind']> = Extract<MatrixProduct, { readonly kind: Kind }>;

/** The codes of a matrix by `indexOf`, and what lanes bring besides. */
interface Matrices {
  readonly a: readonly Bits[];
  readonly b: readonly Bits[];
  readonly c: readonly Bits[];
  /** Values after the registers of C, of a lane. */
  readonly more: (lane: number) => readonly Bits[];
}

/** The registers of D for each member. */
export function multiplyMatrices(shape: MatrixProduct, group: readonly Member[]): readonly (readonly Bits[])[] {
  const byLane = new Map(group.map((member) => [member.lane, member.values] as const));
  const valuesOf = (lane: number): readonly Bits[] => byLane.get(lane) ?? [];
  const [afterA, afterB] = [shape.a.fragment.registers, shape.a.fragment.registers + shape.b.fragment.registers];
  const afterC = afterB + shape.c.fragment.registers;
  const read = (fragment: Fragment, from: number): readonly Bits[] =>
    holdersOf(fragment).map(({ lane, register, low }) => {
      const bits = valuesOf(lane)[from + register] ?? (fragment.registerBits === 64 ? 0n : 0);
      return fragment.registerBits === 64 ? bits : (numberOf(bits) >>> low) & mask(fragment.bits);
    });
  const matrices: Matrices = {
    a: read(shape.a.fragment, 0),
    b: read(shape.b.fragment, afterA),
    c: read(shape.c.fragment, afterB),
    more: (lane) => valuesOf(lane).slice(afterC),
  };
  const results = resultsOf(shape, matrices);
  return group.map(({ lane }) => registersOf(shape.d.fragment, lane, results));
}

function mask(width: number): number {
  return width === 32 ? -1 : (1 << width) - 1;
}

function registersOf(fragment: Fragment, lane: number, codes: readonly Bits[]): readonly Bits[] {
  const perRegister = fragment.registerBits / fragment.bits;
  const registers = new Array<Bits>(fragment.registers).fill(0);
  for (let i = 0; i < elementsOf(fragment); i++) {
    const code = elementAt(codes, indexOf(fragment, placeOf(fragment, lane, i)));
    const at = Math.floor(i / perRegister);
    if (perRegister === 1) registers[at] = fragment.registerBits === 64 ? code : chop(code, 32);
    else registers[at] = (numberOf(registers[at] ?? 0) | (numberOf(code) << ((i % perRegister) * fragment.bits))) >>> 0;
  }
  return registers;
}

/** The elements of D by their index. */
function resultsOf(shape: MatrixProduct, matrices: Matrices): readonly Bits[] {
  const { fragment } = shape.d;
  const results: Bits[] = [];
  const element = elementOf(shape, matrices);
  for (let matrix = 0; matrix < fragment.matrices; matrix++) {
    for (let row = 0; row < fragment.rows; row++) {
      for (let column = 0; column < fragment.columns; column++) results.push(element(matrix, row, column));
    }
  }
  return results;
}

type ElementOf = (matrix: number, row: number, column: number) => Bits;

/** Pairs of an element of A and the one of B that it is multiplied by. */
type Pairs = (matrix: number, row: number, column: number) => readonly (readonly [a: Bits, b: Bits])[];

function elementOf(shape: MatrixProduct, matrices: Matrices): ElementOf {
  const pairs = pairsOf(shape, matrices);
  const startOf: ElementOf = (matrix, row, column) =>
    elementAt(matrices.c, indexOf(shape.c.fragment, { matrix, row, column }));
  switch (shape.kind) {
    case 'float':
      return floatElement(shape, matrices, pairs, startOf);
    case 'double':
      return doubleElement(shape, pairs, startOf);
    case 'integer':
      return integerElement(shape, pairs, startOf);
    case 'bits':
      return (matrix, row, column) => {
        const found = pairs(matrix, row, column).filter(([a, b]) =>
          shape.op === 'and' ? a === 1 && b === 1 : a !== b,
        );
        return (Number(startOf(matrix, row, column)) + found.length) >>> 0;
      };
  }
}

function pairsOf(shape: MatrixProduct, { a, b, more }: Matrices): Pairs {
  const columns = shape.a.fragment.columns;
  const columnOf = shape.sparsity === null ? null : keptColumns(shape.sparsity, columns, more);
  return (matrix, row, column) =>
    Array.from({ length: columns }, (_, at): readonly [Bits, Bits] => {
      const k = columnOf === null ? at : columnOf(row, at);
      return [
        elementAt(a, indexOf(shape.a.fragment, { matrix, row, column: at })),
        elementAt(b, indexOf(shape.b.fragment, { matrix, row: k, column })),
      ];
    });
}

/** The column of A that an element kept in a row belongs to. */
function keptColumns(
  { unit, rowBits, lanes }: Sparsity,
  columns: number,
  more: Matrices['more'],
): (row: number, at: number) => number {
  const perChunk = 2 * unit;
  const chunksPerLane = rowBits / 4;
  return (row, at) => {
    const chunk = Math.floor(at / perChunk);
    const word = Math.floor(chunk / chunksPerLane);
    const upper = row >> 3;
    const [, selector = 0] = more(0);
    const inGroup = rowBits === 16 ? word : upper + 2 * word;
    const [metadata = 0] = more(4 * (row & 7) + Number(selector) * lanes + inGroup);
    const low = (rowBits === 16 ? 16 * upper : 0) + 4 * (chunk % chunksPerLane);
    const indices = (numberOf(metadata) >>> low) & 15;
    const within = at % perChunk;
    const index = (indices >>> (2 * Math.floor(within / unit))) & 3;
    return Math.min(2 * columns - 1, chunk * 4 * unit + Math.floor(index * unit) + (unit === 2 ? within % 2 : 0));
  };
}

// --- floats ---------------------------------------------------------------------------------------------------------

const nearest = { rounding: 'rn', flush: false, sat: false, approximate: false, nan: false, xorSign: false } as const;

function floatElement(shape: ProductOf<'float'>, matrices: Matrices, pairs: Pairs, startOf: ElementOf): ElementOf {
  const { arithmetic, scaling, a, b, c, d } = shape;
  const [termA, termB] = [factorTerm(a), factorTerm(b)];
  const start = accumulate(c.format, d.format);
  const sum = floatOperation('add', d.format, nearest);
  const add = (x: number, y: number): number => Number(sum(x, y, 0));
  const scales = scaling === null ? null : scalesOf(scaling, matrices.more);
  return (matrix, row, column) => {
    const products = pairs(matrix, row, column).map(([x, y]) => product(termA(x), termB(y)));
    const scaled = scaling === null || scales === null ? products : scale(products, scaling, scales(row, column));
    return dotProduct(scaled, start(startOf(matrix, row, column)), arithmetic, add);
  };
}

function factorTerm({ format, low }: ProductOf<'float'>['a']): (bits: Bits) => Addend {
  const term = termOf(format);
  const { width } = formats[format];
  const terms = new Map<Bits, Addend>();
  return (bits) => {
    const known = terms.get(bits);
    if (known !== undefined) return known;
    const made = term(width === 32 ? bits : (numberOf(bits) >>> low) & mask(width));
    terms.set(bits, made);
    return made;
  };
}

/** C in the format of D. */
function accumulate(from: 'f16' | 'f32', to: 'f16' | 'f32'): (bits: Bits) => number {
  if (from === to) return Number;
  const convert = conversion({
    from,
    to,
    rounding: to === 'f16' ? 'rn' : null,
    integral: false,
    flush: false,
    sat: false,
    satfinite: false,
    relu: false,
    randomBits: 0,
    scaled: null,
  });
  return (bits) => Number(convert(bits, 0, 0x7f));
}

// --- scales ---------------------------------------------------------------------------------------------------------

/** The scales of a row of A and a column of B, one for each block. */
type Scales = (row: number, column: number) => readonly (readonly [a: Addend, b: Addend])[];

function scalesOf({ format, block, group }: Scaling, more: Matrices['more']): Scales {
  const count = group === 1 ? 1 : 64 / block;
  const read = format === 'ue8m0' ? powerScale : unsignedScale;
  const last = (lane: number): readonly number[] => more(lane).slice(-6).map(Number);
  return (row, column) => {
    const [, byteA = 0, threadA = 0, , byteB = 0, threadB = 0] = last(0);
    const [wordA = 0] = last(4 * (row & 7) + (row >> 3) + 2 * (threadA & 1));
    const wordB = last(4 * column + (threadB & 3))[3] ?? 0;
    return Array.from({ length: count }, (_, i): readonly [Addend, Addend] => [
      read((wordA >>> (8 * ((byteA + i) & 3))) & 0xff),
      read((wordB >>> (8 * ((byteB + i) & 3))) & 0xff),
    ]);
  };
}

function powerScale(bits: number): Addend {
  return bits === 0xff ? 'nan' : { significand: 1, exponent: bits - 127, fractionBits: 0 };
}

const e4m3Term = termOf('e4m3');

/** e4m3 whose sign is ignored. */
function unsignedScale(bits: number): Addend {
  return e4m3Term(bits & 0x7f);
}

/** Products times their scales: one by one, or as sums of groups. */
function scale(
  products: readonly Addend[],
  { block, group }: Scaling,
  scales: readonly (readonly [Addend, Addend])[],
): readonly Addend[] {
  if (group === 1) return products.map((one) => scaledProduct(one, elementAt(scales, 0)));
  return Array.from({ length: products.length / group }, (_, i) =>
    groupTerm(products.slice(i * group, (i + 1) * group), elementAt(scales, Math.floor((i * group) / block))),
  );
}

function scaledProduct(one: Addend, [a, b]: readonly [Addend, Addend]): Addend {
  if (typeof a === 'string' || typeof b === 'string') return 'nan';
  return typeof one === 'string' ? one : { ...one, exponent: one.exponent + a.exponent + b.exponent };
}

/**
 * The exact sum of a group times the significands of its scales, with the exponent of the scales alone. A group of zeros
 * counts as zero, a group that cancels does not.
 */
function groupTerm(products: readonly Addend[], [a, b]: readonly [Addend, Addend]): Addend {
  if (typeof a === 'string' || typeof b === 'string') return 'nan';
  const terms = products.filter((term) => typeof term !== 'string');
  const sum = terms.reduce((total, { significand, exponent }) => total + significand * 2 ** exponent, 0);
  const fractionBits = (terms[0]?.fractionBits ?? 0) + a.fractionBits + b.fractionBits;
  const significand = sum * a.significand * b.significand;
  const isZero = terms.every((term) => term.significand === 0) || a.significand * b.significand === 0;
  return { significand, exponent: a.exponent + b.exponent, fractionBits, counts: !isZero };
}

// --- doubles and integers -------------------------------------------------------------------------------------------

/** The NaN of a product of doubles. */
const doubleNan = 0x7fff_ffff_ffff_ffffn;

function doubleElement({ rounding }: ProductOf<'double'>, pairs: Pairs, startOf: ElementOf): ElementOf {
  const fma = floatOperation('fma', 'f64', { ...nearest, rounding });
  return (matrix, row, column) => {
    const bits = pairs(matrix, row, column).reduce((sum: Bits, [a, b]) => fma(a, b, sum), startOf(matrix, row, column));
    return decode('f64', bits).kind === 'nan' ? doubleNan : bits;
  };
}

function integerElement(shape: ProductOf<'integer'>, pairs: Pairs, startOf: ElementOf): ElementOf {
  const valueOf = (format: ProductOf<'integer'>['a']['format']) => {
    const { width, signed } = formats[format];
    return (bits: Bits): number => (signed ? (Number(bits) << (32 - width)) >> (32 - width) : Number(bits));
  };
  const [valueA, valueB] = [valueOf(shape.a.format), valueOf(shape.b.format)];
  return (matrix, row, column) => {
    const products = pairs(matrix, row, column).reduce((sum, [a, b]) => sum + valueA(a) * valueB(b), 0);
    const sum = products + (Number(startOf(matrix, row, column)) | 0);
    return (shape.satfinite ? Math.max(-0x80000000, Math.min(0x7fffffff, sum)) : sum) >>> 0;
  };
}
