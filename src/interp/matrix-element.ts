/**
 * Computes one element of a matrix product: determines which terms are added to the element of C, and how they are
 * added.
 */
import type { Bits } from '../base/bits.ts';
import { numberOf } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { type MatrixProduct, type ProductOf, type Scaling, sumConversion, sumFormatOf } from '../isa/matrix-product.ts';
import { floatOperation } from '../numerics/arithmetic.ts';
import { conversion } from '../numerics/convert.ts';
import { type Addend, dotProduct, factorTermOf, product, stepwiseSum, termOf } from '../numerics/dot.ts';
import type { Accumulator, DotArithmetic } from '../numerics/dot-arithmetic.ts';
import { decode } from '../numerics/exact.ts';
import { formats } from '../numerics/formats.ts';
import { plainMode } from '../numerics/operations.ts';

/**
 * Elements of A and the elements of B that they are multiplied by, in the same order. All elements are given as bits,
 * as they appear in a register.
 */
export interface Factors {
  readonly a: readonly Bits[];
  readonly b: readonly Bits[];
}

/** The two scale factors of a block of products: one for the elements of A, and one for the elements of B. */
export type ScalePair = readonly [a: Addend, b: Addend];

/**
 * The bits of an element of D, given the bits of the element of C. `scales` has one pair for each block; it is empty if
 * the product has no scales.
 */
export type ElementFunction = (factors: Factors, c: Bits, scales: readonly ScalePair[]) => Bits;

export function elementFunction(shape: MatrixProduct): ElementFunction {
  switch (shape.kind) {
    case 'float': {
      const { terms, start, end, add } = floatTerms(shape);
      return (factors, c, scales) => end(dotProduct(terms(factors, scales), start(c), shape.arithmetic, add));
    }
    case 'stepwise':
      return stepwiseElement(shape);
    case 'double':
      return doubleElement(shape);
    case 'integer':
      return integerElement(shape);
    case 'bits':
      return ({ a, b }, c) => {
        const found = a.filter((bit, i) => (shape.op === 'and' ? bit === 1 && b[i] === 1 : bit !== b[i]));
        return (Number(c) + found.length) >>> 0;
      };
  }
}

// --- floats ---------------------------------------------------------------------------------------------------------

/** The parts of a dot product of floats. */
export interface FloatTerms {
  /** The terms of the sum: products, or scaled sums of products. */
  readonly terms: (factors: Factors, scales: readonly ScalePair[]) => readonly Addend[];
  /** Converts C to the format of the sum. */
  readonly start: (c: Bits) => number;
  /** Converts the sum to the format of D. */
  readonly end: (sum: number) => number;
  /** Adds two numbers in the format of the sum and rounds to nearest even. */
  readonly add: (a: number, b: number) => number;
}

export function floatTerms(shape: ProductOf<'float'>): FloatTerms {
  const { scaling, a, b, c, d, arithmetic } = shape;
  const format = sumFormatOf(shape);
  const [termsA, termsB] = [factorTerms(a, arithmetic), factorTerms(b, arithmetic)];
  const sum = floatOperation('add', format, plainMode);
  return {
    terms: (factors, scales) => {
      const ofB = termsB(factors.b);
      const products = termsA(factors.a).map((one, i) => product(one, elementAt(ofB, i)));
      return scaling === null ? products : scale(products, scaling, scales);
    },
    start: converter(c.format, format),
    end: converter(format, d.format),
    add: (x, y) => Number(sum(x, y, 0)),
  };
}

/** Caches the terms of each list, because a row of A is multiplied by every column of B. */
function factorTerms(
  { format, low }: ProductOf<'float'>['a'],
  { order }: DotArithmetic,
): (codes: readonly Bits[]) => readonly Addend[] {
  const term = factorTermOf(format, order);
  const { width } = formats[format];
  const known = new WeakMap<readonly Bits[], readonly Addend[]>();
  return (codes) => {
    const before = known.get(codes);
    if (before !== undefined) return before;
    const made = codes.map((bits) => term(width === 32 ? bits : (numberOf(bits) >>> low) & mask(width)));
    known.set(codes, made);
    return made;
  };
}

/** Returns a function that converts a sum. */
function converter(from: Accumulator, to: Accumulator): (bits: Bits) => number {
  if (from === to) return Number;
  const convert = conversion(sumConversion(from, to));
  return (bits) => Number(convert(bits, 0, 0x7f));
}

// --- scales ---------------------------------------------------------------------------------------------------------

/** Returns a function that decodes the scale factors of a format. */
export function scaleTerm(format: Scaling['format']): (bits: number) => Addend {
  return format === 'ue8m0' ? powerScale : unsignedScale;
}

function powerScale(bits: number): Addend {
  return bits === 0xff ? 'nan' : { significand: 1, exponent: bits - 127, fractionBits: 0 };
}

const e4m3Term = termOf('e4m3');

/** Decodes an e4m3 scale factor, ignoring its sign. */
function unsignedScale(bits: number): Addend {
  return e4m3Term(bits & 0x7f);
}

/** Applies the scale factors to the products: to each product individually, or to the sum of each group of products. */
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
 * The term for a group of products. The term is the exact sum of the products, multiplied by the significands of the
 * scales, and its exponent is that of the scales alone. The term is ignored if all products of the group are zero, but
 * not if nonzero products happen to add up to zero.
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

// --- sums that are rounded after every addition ---------------------------------------------------------------------

function stepwiseElement(shape: ProductOf<'stepwise'>): ElementFunction {
  const { c: first, d, arithmetic } = shape;
  const format = sumFormatOf(shape);
  const [start, end, widen] = [converter(first.format, format), converter(format, d.format), converter('f16', format)];
  const operation = (fn: 'add' | 'mul') => {
    const own = floatOperation(fn, format, plainMode);
    return (x: number, y: number): number => Number(own(x, y, 0));
  };
  const [add, multiply] = [operation('add'), operation('mul')];
  return ({ a, b }, c) => {
    const products = a.map((one, i) => multiply(widen(one), widen(elementAt(b, i))));
    return end(stepwiseSum(products, start(c), arithmetic, add));
  };
}

// --- doubles and integers -------------------------------------------------------------------------------------------

function doubleElement({ rounding, nan }: ProductOf<'double'>): ElementFunction {
  const fma = floatOperation('fma', 'f64', { ...plainMode, rounding });
  return ({ a, b }, c) => {
    const bits = a.reduce((sum, one, i) => fma(one, elementAt(b, i), sum), c);
    return nan !== null && decode('f64', bits).kind === 'nan' ? nan : bits;
  };
}

function integerElement(shape: ProductOf<'integer'>): ElementFunction {
  const valueOf = (format: ProductOf<'integer'>['a']['format']) => {
    const { width, signed } = formats[format];
    return (bits: Bits): number => (signed ? (Number(bits) << (32 - width)) >> (32 - width) : Number(bits));
  };
  const [valueA, valueB] = [valueOf(shape.a.format), valueOf(shape.b.format)];
  return ({ a, b }, c) => {
    const products = a.reduce((sum: number, one, i) => sum + valueA(one) * valueB(elementAt(b, i)), 0);
    const sum = products + (Number(c) | 0);
    return (shape.satfinite ? Math.max(-0x80000000, Math.min(0x7fffffff, sum)) : sum) >>> 0;
  };
}

function mask(width: number): number {
  return width === 32 ? -1 : (1 << width) - 1;
}
