/**
 * Computes all dot products of the rows of one matrix and the columns of another, the way tensor cores do. The results
 * are those of `dotProduct`, which is much slower because it works on one term at a time.
 */
import type { Bits } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { type Addend, chunkSum, ending, product, readAccumulator, termOf } from './dot.ts';
import { accumulatorOf, type DotArithmetic, type FactorFormat } from './dot-arithmetic.ts';
import { power } from './exact.ts';
import { formats } from './formats.ts';

/** The rows of A or the columns of B, one after the other. Each of them has `length` elements. */
export interface TileLines {
  readonly length: number;
  readonly values: Float64Array;
  /** The exponents of the elements; `ofZero` for zeros. */
  readonly exponents: Int32Array;
  /** The elements of each line that contains an infinity or a NaN, as terms. */
  readonly special: ReadonlyMap<number, readonly Addend[]>;
}

/** The exponent that represents zero. It is less than the exponent of any nonzero product. */
export const ofZero = -100_000;

/**
 * Decodes lines of elements.
 *
 * @param codes the bits of the elements, one line after the other
 * @param negates whether to negate every element
 */
export function tileLines(format: FactorFormat, codes: Uint32Array, length: number, negates: boolean): TileLines {
  const decoding = decodingOf(format);
  const shift = format === 'tf32' ? 13 : 0;
  const sign = negates ? -1 : 1;
  const values = new Float64Array(codes.length);
  const exponents = new Int32Array(codes.length);
  const special = new Map<number, readonly Addend[]>();
  codes.forEach((code, i) => {
    const exponent = decoding.exponents[code >>> shift] ?? 0;
    values[i] = sign * (decoding.values[code >>> shift] ?? 0);
    exponents[i] = exponent;
    const line = Math.floor(i / length);
    if (exponent !== notFinite || special.has(line)) return;
    const own = codes.subarray(line * length, (line + 1) * length);
    const terms = Array.from(own, (one) => signed(decoding.terms(one), negates));
    special.set(line, terms);
  });
  return { length, values, exponents, special };
}

/** Selects elements of each line by their positions in the line. */
export function selectElements(
  { length, values, exponents, special }: TileLines,
  places: ArrayLike<number>,
): TileLines {
  const count = places.length;
  const lines = values.length / length;
  const selected = { values: new Float64Array(lines * count), exponents: new Int32Array(lines * count) };
  for (let line = 0; line < lines; line++) {
    for (let i = 0; i < count; i++) {
      const from = line * length + (places[i] ?? 0);
      selected.values[line * count + i] = values[from] ?? 0;
      selected.exponents[line * count + i] = exponents[from] ?? 0;
    }
  }
  const ofSpecial = [...special].map(
    ([line, terms]) => [line, Array.from(places, (at) => elementAt(terms, at))] as const,
  );
  return { length: count, ...selected, special: new Map(ofSpecial) };
}

function signed(term: Addend, negates: boolean): Addend {
  if (!negates) return term;
  if (typeof term !== 'string') return { ...term, significand: -term.significand };
  return term === 'nan' ? term : term === 'infinity' ? '-infinity' : 'infinity';
}

/** The exponent of infinities and NaNs in a table. */
const notFinite = 0x7fff;

interface Decoding {
  readonly values: Float64Array;
  readonly exponents: Int32Array;
  readonly terms: (bits: Bits) => Addend;
}

const decodings = new Map<FactorFormat, Decoding>();

/**
 * Returns a table that contains the value of each code of a format. The codes of tf32 are 32 bits wide, but the low 13
 * bits have no effect.
 */
function decodingOf(format: FactorFormat): Decoding {
  const known = decodings.get(format);
  if (known !== undefined) return known;
  const terms = termOf(format);
  const isTf32 = format === 'tf32';
  const count = 2 ** (isTf32 ? 19 : formats[format].width);
  const made = { values: new Float64Array(count), exponents: new Int32Array(count), terms };
  for (let code = 0; code < count; code++) {
    const term = terms(isTf32 ? (code << 13) >>> 0 : code);
    made.values[code] = typeof term === 'string' ? 0 : term.significand * power(term.exponent - term.fractionBits);
    made.exponents[code] = typeof term === 'string' ? notFinite : term.significand === 0 ? ofZero : term.exponent;
  }
  decodings.set(format, made);
  return made;
}

/**
 * Returns a function that computes one element of the product: it adds the products of the elements in a row of A and a
 * column of B to an accumulator, and returns the bits of the result.
 *
 * @param scale the accumulator is multiplied by 2^-`scale` first
 * @param arithmetic must have the order `direct`
 */
export function dotTile(
  a: TileLines,
  b: TileLines,
  arithmetic: DotArithmetic,
  scale = 0,
): (row: number, column: number, accumulator: number) => number {
  const { chunk, kept, zeroExponent, end } = arithmetic;
  const { length, values: ofA, exponents: powersOfA } = a;
  const { values: ofB, exponents: powersOfB } = b;
  const hasSpecial = a.special.size > 0 || b.special.size > 0;
  const read = accumulatorReader(accumulatorOf(end));
  const down = power(-scale);
  return (row, column, accumulator) => {
    let bits = accumulator;
    for (let from = 0; from < length; from += chunk) {
      read(bits);
      const isSpecial = accumulated.exponent === notFinite;
      if (isSpecial || (hasSpecial && (a.special.has(row) || b.special.has(column)))) {
        const term = scaled(readAccumulator[accumulatorOf(end)](bits), from === 0 ? scale : 0);
        bits = chunkSum([...termsOf(row, column, from), term], arithmetic);
        continue;
      }
      const isFirst = from === 0;
      bits = addChunk(
        row * length + from,
        column * length + from,
        isFirst ? accumulated.value * down : accumulated.value,
        isFirst ? accumulated.exponent - scale : accumulated.exponent,
      );
    }
    return bits;
  };

  /**
   * Adds the products of a chunk of elements to a finite sum. The chunk begins at index `inA` in A and at `inB` in B.
   */
  function addChunk(inA: number, inB: number, sum: number, sumExponent: number): number {
    const count = Math.min(chunk, length - (inA % length));
    let greatest = sum === 0 ? zeroExponent : sumExponent;
    for (let i = 0; i < count; i++) {
      const exponent = (powersOfA[inA + i] ?? 0) + (powersOfB[inB + i] ?? 0);
      if (exponent > greatest) greatest = exponent;
    }
    if (greatest < zeroExponent && hasZero(inA, inB, count)) greatest = zeroExponent;
    const unit = greatest - kept;
    const toUnit = power(-unit);
    let total = Math.trunc(sum * toUnit);
    for (let i = 0; i < count; i++) total += Math.trunc((ofA[inA + i] ?? 0) * (ofB[inB + i] ?? 0) * toUnit);
    return end === 'f32' ? truncated(total, unit) : ending(total, unit, end);
  }

  /** Only very small numbers have an exponent below `zeroExponent`, so this function is rarely called. */
  function hasZero(inA: number, inB: number, count: number): boolean {
    for (let i = 0; i < count; i++) if (powersOfA[inA + i] === ofZero || powersOfB[inB + i] === ofZero) return true;
    return false;
  }

  function termsOf(row: number, column: number, from: number): readonly Addend[] {
    const to = Math.min(from + chunk, length);
    const ofColumn = partOfLine(b, column, from, to);
    return partOfLine(a, row, from, to).map((one, i) => product(one, elementAt(ofColumn, i)));
  }
}

/**
 * The accumulator that was read last. It is stored here instead of being returned, so that no object has to be created.
 */
const accumulated = { value: 0, exponent: 0 };

function accumulatorReader(format: 'f16' | 'f32'): (bits: number) => void {
  if (format === 'f32') {
    return (bits) => {
      word[0] = bits;
      accumulated.value = float[0] ?? 0;
      const exponent = (bits >>> 23) & 0xff;
      accumulated.exponent = exponent === 0xff ? notFinite : Math.max(1, exponent) - 127;
    };
  }
  const { values, exponents } = decodingOf('f16');
  return (bits) => {
    accumulated.value = values[bits & 0xffff] ?? 0;
    accumulated.exponent = exponents[bits & 0xffff] ?? 0;
  };
}

function scaled(term: Addend, scale: number): Addend {
  return typeof term === 'string' || scale === 0 ? term : { ...term, exponent: term.exponent - scale };
}

/** The elements `from` to `to` of a line as terms. */
export function partOfLine(
  { length, values, exponents, special }: TileLines,
  line: number,
  from: number,
  to: number,
): readonly Addend[] {
  return (
    special.get(line)?.slice(from, to) ??
    Array.from({ length: to - from }, (_, i): Addend => {
      const at = line * length + from + i;
      const exponent = exponents[at] ?? 0;
      const value = values[at] ?? 0;
      return value === 0
        ? { significand: 0, exponent: 0, fractionBits: 0 }
        : { significand: value * power(-exponent), exponent, fractionBits: 0 };
    })
  );
}

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** The bits of `sum` * 2^`unit`, truncated to f32. A number that is too large becomes infinity. */
export function truncated(sum: number, unit: number): number {
  const exact = sum * power(unit);
  float[0] = exact;
  const bits = word[0] ?? 0;
  if (Math.abs(float[0] ?? 0) > Math.abs(exact) && Math.abs(exact) < 2 ** 128) return withoutZeroSign(bits - 1);
  return withoutZeroSign(bits);
}

function withoutZeroSign(bits: number): number {
  return bits === 0x8000_0000 ? 0 : bits;
}
