/**
 * Reduces an angle to a number of quarter turns and a remainder. For angles below 2^19, the quarter turns are
 * subtracted in f64, with pi / 2 split into two parts. This method is not precise enough for larger angles and for very
 * small remainders. In these cases, |x| * 2 / pi is computed to 128 binary places by the method of Payne and Hanek: the
 * 24-bit significand of x is multiplied by a window of the bits of 2 / pi. The window does not include leading bits of
 * 2 / pi that would only add whole turns.
 */
import { tripleOf } from '../../base/tuples.ts';
import type { Code } from '../../wasm/code.ts';
import { doubleBits, eighthTurn, inverseQuarterTurn, shortDoubleBits } from './constants.ts';
import type { Helpers } from '../helpers.ts';
import { addWide, highProduct, negateWide, wideLocals } from './wide.ts';

const places = 160;

/**
 * Adding this number to an f64 of moderate size rounds the f64 to an integer: the low bits of the sum contain that
 * integer.
 */
export const roundingShift = 0x4338000000000000n;

/**
 * Locals that hold a reduced angle. The angle is `turns` quarter turns plus `rest`, where `turns` is an i32 (modulo 4)
 * and `rest` is an f64 of at most pi / 4 in magnitude.
 */
export interface ReducedAngle {
  readonly turns: number;
  readonly rest: number;
}

const highQuarter = shortDoubleBits(2n * eighthTurn(places), places, 33);

/** The bits of three f64 values: two parts of pi / 2, and 2 / pi. The upper part of pi / 2 has few significant bits. */
export const quarterTurn: Readonly<Record<'high' | 'low' | 'inverse', bigint>> = {
  high: highQuarter.bits,
  low: doubleBits(highQuarter.rest, places),
  inverse: doubleBits(inverseQuarterTurn(places), places),
};

/** The fast reduction is precise enough only for angles below this bound. */
export const nearAngle: bigint = doubleBits(1n << 19n, 0);
/** If the fast reduction subtracts at least one quarter turn, a remainder below this bound is not precise enough. */
export const smallRest: bigint = doubleBits(1n, 18);

/** Reduces a finite angle in an f64 local that holds the value of an f32; `rest` has a relative error below 2^-46. */
export function writeReduction(code: Code, helpers: Helpers, angle: number): ReducedAngle {
  const [turns, rest, shifted] = [code.local('i32'), code.local('f64'), code.local('f64')];
  code.get(angle).f64(quarterTurn.inverse).op('f64.mul').f64(roundingShift).op('f64.add');
  code.tee(shifted).op('i64.reinterpret_f64', 'i32.wrap_i64').set(turns);
  code.get(shifted).f64(roundingShift).op('f64.sub').set(shifted);
  // If there are fewer than 2^20 quarter turns, the following product and difference are exact.
  code.get(angle).get(shifted).f64(quarterTurn.high).op('f64.mul', 'f64.sub');
  code.get(shifted).f64(quarterTurn.low).op('f64.mul', 'f64.sub').set(rest);
  // The product above has an error of up to 2^-65.
  const isLarge = (): Code => code.get(angle).op('f64.abs').f64(nearAngle).op('f64.ge');
  const isSmall = (): Code => code.get(rest).op('f64.abs').f64(smallRest).op('f64.lt');
  isLarge();
  isSmall();
  code.get(shifted).f64(0n).op('f64.ne', 'i32.and', 'i32.or');
  code.if(() => reduceFar(code, helpers, angle, { turns, rest }));
  return { turns, rest };
}

function reduceFar(code: Code, helpers: Helpers, angle: number, { turns, rest }: ReducedAngle): void {
  const fraction = wideLocals(code);
  const [negative, zeros] = [code.local('i32'), code.local('i64')];
  code
    .get(angle)
    .op('i64.reinterpret_f64')
    .call(turnsFunction(helpers))
    .set(turns)
    .set(fraction.low)
    .set(fraction.high);
  code.get(fraction.high).i64(0n).op('i64.lt_s').tee(negative);
  code.if(() => negateWide(code, fraction));
  // Converts the leading 64 bits of |fraction| to f64. The upper half is never zero, because no f32 is that close to a
  // multiple of a quarter turn.
  code.get(fraction.high).op('i64.clz').set(zeros);
  code.get(fraction.high).get(zeros).op('i64.shl');
  code.get(fraction.low).i64(1n).op('i64.shr_u').i64(63n).get(zeros).op('i64.sub', 'i64.shr_u', 'i64.or');
  code.op('f64.convert_i64_u');
  code
    .i64(1023n - 64n)
    .get(zeros)
    .op('i64.sub')
    .i64(52n)
    .op('i64.shl', 'f64.reinterpret_i64', 'f64.mul');
  code
    .f64(doubleBits(2n * eighthTurn(places), places))
    .op('f64.mul')
    .set(rest);
  const turnBack = (): Code => code.f64(0n).get(rest).op('f64.sub').set(rest);
  code.get(negative).if(turnBack);
  code
    .get(angle)
    .f64(0n)
    .op('f64.lt')
    .if(() => {
      turnBack();
      code.i32(0).get(turns).op('i32.sub').set(turns);
    });
}

/**
 * Number of zero bits that are stored before the bits of 2 / pi. For angles as small as 2^-21, the window of bits
 * starts within these zeros.
 */
const lead = 46;
const words = 6;

/**
 * Returns the index of a function that takes the number of a 64-bit word of 2 / pi and returns that word. Word 0 begins
 * `lead` bits before the binary point.
 */
function wordFunction(helpers: Helpers): number {
  const type = { parameters: ['i32'], results: ['i64'] } as const;
  return helpers.function('word of 2/pi', type, (code) => {
    const all = inverseQuarterTurn(64 * words - lead);
    for (let word = 0; word < words; word++) {
      const bits = BigInt.asUintN(64, all >> BigInt(64 * (words - 1 - word)));
      code.get(0).i32(word).op('i32.eq');
      code.if(() => code.i64(bits).op('return'));
    }
    code.i64(0n);
  });
}

/**
 * Returns the index of a function that takes the bits of an f64 x and returns `high`, `low` and `turns`. x must be a
 * value that f32 can represent, and at least 2^-21 in magnitude. `high` and `low` form a signed 128-bit number, in
 * units of 2^-128 quarter turns; |x| is the sum of this number and `turns` (modulo 4) quarter turns.
 */
export function turnsFunction(helpers: Helpers): number {
  const type = { parameters: ['i64'], results: ['i64', 'i64', 'i32'] } as const;
  return helpers.function('quarter turns', type, (code) => {
    const [start, word, factor, by] = [code.local('i32'), code.local('i32'), code.local('i64'), code.local('i64')];
    code
      .get(0)
      .i64((1n << 52n) - 1n)
      .op('i64.and')
      .i64(1n << 52n)
      .op('i64.or')
      .i64(29n)
      .op('i64.shr_u')
      .set(factor);
    // Finds the bit at which the window starts: the first fraction bit of 2 / pi * 2^exponent / 4, where `exponent` is
    // the exponent of the factor's last bit.
    code
      .get(0)
      .i64(52n)
      .op('i64.shr_u', 'i32.wrap_i64')
      .i32(0x7ff)
      .op('i32.and')
      .i32(1023 + 23 - lead + 2)
      .op('i32.sub');
    code.tee(start).i32(6).op('i32.shr_s').set(word);
    code.get(start).i32(63).op('i32.and', 'i64.extend_i32_u').set(by);
    const window = tripleOf([0, 1, 2].map((offset) => windowWord(code, helpers, word, by, offset)));
    const product = multiplied(code, helpers, window, factor);
    pushFraction(code, product);
  });
}

/**
 * Returns a local that holds 64 consecutive bits of 2 / pi. The bits start in the word with the index `word` +
 * `offset`, after the top `by` bits of that word.
 */
function windowWord(code: Code, helpers: Helpers, word: number, by: number, offset: number): number {
  const local = code.local('i64');
  code.get(word).i32(offset).op('i32.add').call(wordFunction(helpers)).get(by).op('i64.shl');
  code
    .get(word)
    .i32(offset + 1)
    .op('i32.add')
    .call(wordFunction(helpers));
  code.i64(1n).op('i64.shr_u').i64(63n).get(by).op('i64.sub', 'i64.shr_u', 'i64.or').set(local);
  return local;
}

/**
 * Multiplies a number that consists of three 64-bit words, top word first, by a factor. The product also has three
 * words; any bits above them are dropped.
 */
function multiplied(
  code: Code,
  helpers: Helpers,
  [top, middle, low]: readonly [number, number, number],
  factor: number,
): readonly [top: number, middle: number, low: number] {
  const high = highProduct(helpers);
  const upper = { high: code.local('i64'), low: code.local('i64') };
  const carried = wideLocals(code);
  code.get(top).get(factor).op('i64.mul').get(middle).get(factor).call(high).op('i64.add').set(upper.high);
  code.get(middle).get(factor).op('i64.mul').set(upper.low);
  code.get(low).get(factor).call(high).set(carried.low);
  addWide(code, upper, carried);
  code.get(low).get(factor).op('i64.mul').set(low);
  return [upper.high, upper.low, low];
}

/**
 * Pushes the fraction and the number of quarter turns. The top two bits of the product are the quarter turns, and the
 * remaining bits are the fraction. If the fraction is at least one half, 1 is subtracted from it and added to the
 * number of quarter turns.
 */
function pushFraction(code: Code, [top, middle, low]: readonly [number, number, number]): void {
  const high = code.local('i64');
  code.get(top).i64(2n).op('i64.shl').get(middle).i64(62n).op('i64.shr_u', 'i64.or').tee(high);
  code.get(middle).i64(2n).op('i64.shl').get(low).i64(62n).op('i64.shr_u', 'i64.or');
  code.get(top).i64(62n).op('i64.shr_u').get(high).i64(63n).op('i64.shr_u', 'i64.add', 'i32.wrap_i64');
}
