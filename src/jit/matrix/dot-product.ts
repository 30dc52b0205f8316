/** Computes one dot product of floats with integer arithmetic, one term at a time. Slow, but handles every case. */
import { type DotArithmetic, longestChunk } from '../../numerics/dot-arithmetic.ts';
import { formats } from '../../numerics/formats.ts';
import { plainMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import { narrowFunction } from '../arithmetic/narrow-arithmetic.ts';
import type { Helpers } from '../helpers.ts';
import { alignFunction, endFunction } from './aligned-sum.ts';
import { decodedBytes } from './context.ts';
import { decodeFunction, notFinite, notNumber } from './decoded.ts';

/** The layout of a dot product's terms in the scratch memory. */
export interface DotShape {
  readonly arithmetic: DotArithmetic;
  /** Number of terms. */
  readonly count: number;
  /** Number of fraction bits of each product: the total number of fraction bits of its two factors. */
  readonly fractionBits: number;
}

/**
 * Returns the index of a function that takes the address of the terms and the bits of the accumulator, and returns the
 * bits of the result. Each term is a product, stored as two words: its significand and its exponent.
 */
export function dotFunction(helpers: Helpers, shape: DotShape, origin: number): number {
  const key = `dot ${JSON.stringify(shape)}`;
  return helpers.function(key, { parameters: ['i32', 'i32'], results: ['i32'] }, (code) => {
    const { arithmetic, count } = shape;
    const { order } = arithmetic;
    const chunk = longestChunk(count, arithmetic);
    const start = code.local('i32');
    if (order === 'halves') code.get(1).set(start).i32(0).set(1);
    for (let first = 0; first < count; first += chunk) {
      const terms = Math.min(chunk, count - first);
      code
        .get(0)
        .i32(first * decodedBytes)
        .op('i32.add')
        .get(1);
      code.call(chunkFunction(helpers, { ...shape, count: terms }, origin)).set(1);
    }
    if (order === 'halves')
      code
        .get(start)
        .get(1)
        .call(addFunction(helpers, arithmetic.end === 'f16' ? 'f16' : 'f32'))
        .set(1);
    code.get(1);
  });
}

/** The bits of every f32 result that is a NaN. */
const notNumberWord = 0x7fffffff;

function addFunction(helpers: Helpers, format: 'f16' | 'f32'): number {
  if (format === 'f16') return narrowFunction(helpers, 'add', 'f16', plainMode, 2);
  return helpers.function('add f32', { parameters: ['i32', 'i32'], results: ['i32'] }, (code) => {
    const sum = code.local('f32');
    code.get(0).op('f32.reinterpret_i32').get(1).op('f32.reinterpret_i32', 'f32.add').tee(sum).get(sum);
    code.op('f32.ne').if(() => code.i32(notNumberWord).op('return'));
    code.get(sum).op('i32.reinterpret_f32');
  });
}

/** Adds the four numbers in a local to the four numbers on the stack, rounding to nearest even. */
export function addSums(code: Code, other: number): void {
  const sum = code.local('v128');
  code.get(other).vector('f32x4.add').set(sum);
  code.words(notNumberWord, notNumberWord, notNumberWord, notNumberWord);
  code.get(sum).get(sum).get(sum).vector('f32x4.ne', 'v128.bitselect');
}

/**
 * Returns the index of a function that adds the terms of one chunk to the accumulator. It takes the address of the
 * terms and the bits of the accumulator, and returns the bits of the sum.
 */
function chunkFunction(helpers: Helpers, shape: DotShape, origin: number): number {
  const key = `chunk ${JSON.stringify(shape)}`;
  return helpers.function(key, { parameters: ['i32', 'i32'], results: ['i32'] }, (code) =>
    new ChunkWriter(code, helpers, shape, origin).write(),
  );
}

class ChunkWriter {
  private readonly code: Code;
  private readonly helpers: Helpers;
  private readonly shape: DotShape;
  private readonly origin: number;
  private readonly terms = 0;
  private readonly accumulator = 1;
  private readonly greatest: number;
  private readonly own: number;
  private readonly significand: number;
  private readonly at: number;
  private readonly sum: number;

  constructor(code: Code, helpers: Helpers, shape: DotShape, origin: number) {
    this.code = code;
    this.helpers = helpers;
    this.shape = shape;
    this.origin = origin;
    this.greatest = code.local('i32');
    this.own = code.local('i32');
    this.significand = code.local('i32');
    this.at = code.local('i32');
    this.sum = code.local('i64');
  }

  write(): void {
    const { code, helpers, shape, greatest, own, significand, accumulator, sum } = this;
    const { arithmetic, fractionBits } = shape;
    const { end, kept } = arithmetic;
    const format = end === 'f16' ? 'f16' : 'f32';
    const decoded = code.local('i64');
    code.get(accumulator).call(decodeFunction(helpers, format)).tee(decoded).op('i32.wrap_i64').set(significand);
    code.get(decoded).i64(32n).op('i64.shr_s', 'i32.wrap_i64').set(own);
    // Zeros have a special exponent. Products that are zero already have this exponent, so it has to be set only for
    // the accumulator.
    code.get(own).i32(arithmetic.zeroExponent).get(significand).op('select').set(greatest);
    const [term, exponent] = [code.local('i32'), code.local('i32')];
    this.eachTerm(() => {
      this.pushTerm(term, exponent);
      code.get(exponent).get(greatest).get(exponent).get(greatest).op('i32.gt_s', 'select').set(greatest);
    });
    code
      .get(greatest)
      .i32(notFinite)
      .op('i32.ge_s')
      .if(() => this.special());
    code.get(greatest).i32(kept).op('i32.sub').set(greatest);
    code.get(significand).op('i64.extend_i32_s').get(own).i32(formats[format].fractionBits).op('i32.sub').get(greatest);
    code.op('i32.sub').call(alignFunction(helpers)).set(sum);
    this.eachTerm(() => {
      this.pushTerm(term, exponent);
      code.get(sum).get(term).op('i64.extend_i32_s').get(exponent).i32(fractionBits).op('i32.sub').get(greatest);
      code.op('i32.sub').call(alignFunction(helpers)).op('i64.add').set(sum);
    });
    code.get(sum).get(greatest).call(endFunction(helpers, end));
  }

  private eachTerm(body: () => void): void {
    const { code, shape, at } = this;
    code.get(this.terms).set(at);
    code.loop((again) => {
      body();
      code.get(at).i32(decodedBytes).op('i32.add').tee(at).get(this.terms).op('i32.sub');
      code
        .i32(shape.count * decodedBytes)
        .op('i32.lt_u')
        .brIf(again);
    });
  }

  private pushTerm(significand: number, exponent: number): void {
    const { code, at, origin } = this;
    code.get(at).memory('i32.load', origin).set(significand);
    code
      .get(at)
      .memory('i32.load', origin + 4)
      .set(exponent);
  }

  /**
   * Returns the result for terms that are not all finite: an infinity if all infinities have the same sign and there is
   * no NaN, otherwise NaN.
   */
  private special(): void {
    const { code, significand, own } = this;
    const [positive, negative] = [code.local('i32'), code.local('i32')];
    const note = (sign: number, exponent: number): void => {
      code
        .get(exponent)
        .i32(notFinite)
        .op('i32.ge_s')
        .if(() => {
          code.get(exponent).i32(notNumber).op('i32.ge_s').get(sign).op('i32.eqz', 'i32.or');
          code.if(() => code.i32(1).set(positive).i32(1).set(negative));
          code
            .get(sign)
            .i32(0)
            .op('i32.lt_s')
            .if(
              () => code.i32(1).set(negative),
              () => code.i32(1).set(positive),
            );
        });
    };
    note(significand, own);
    this.eachTerm(() => {
      const [term, exponent] = [code.local('i32'), code.local('i32')];
      this.pushTerm(term, exponent);
      note(term, exponent);
    });
    const half = this.shape.arithmetic.end === 'f16';
    code
      .get(positive)
      .get(negative)
      .op('i32.and')
      .if(() => code.i32(half ? 0x7fff : 0x7fffffff).op('return'));
    code
      .i32(half ? 0xfc00 : 0xff800000)
      .i32(half ? 0x7c00 : 0x7f800000)
      .get(negative)
      .op('select', 'return');
  }
}
