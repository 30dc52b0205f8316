/** Integer arithmetic on 128-bit numbers, which are held as two i64 values, upper half first. */
import type { Code } from '../../wasm/code.ts';
import type { ExactLocals } from './exact-locals.ts';
import type { Helpers } from '../helpers.ts';

/** Locals that hold the halves of a 128-bit number. */
export interface WideLocals {
  readonly high: number;
  readonly low: number;
}

export function wideLocals(code: Code): WideLocals {
  return { high: code.local('i64'), low: code.local('i64') };
}

/** Pushes a constant, upper half first. */
export function pushWide(code: Code, value: bigint): Code {
  return code.i64(value >> 64n).i64(BigInt.asUintN(64, value));
}

export function setWide(code: Code, { high, low }: WideLocals): void {
  code.set(low).set(high);
}

export function getWide(code: Code, { high, low }: WideLocals): Code {
  return code.get(high).get(low);
}

/** Returns the index of a function that takes two i64 values and returns the upper half of their unsigned product. */
export function highProduct(helpers: Helpers): number {
  const type = { parameters: ['i64', 'i64'], results: ['i64'] } as const;
  return helpers.function('wide high product', type, (code) => {
    const [a, b] = [0, 1];
    const first = code.local('i64');
    const middle = code.local('i64');
    const lower = (local: number): Code => code.get(local).i64(0xffffffffn).op('i64.and');
    const upper = (local: number): Code => code.get(local).i64(32n).op('i64.shr_u');
    lower(a);
    lower(b).op('i64.mul').set(first);
    upper(a);
    lower(b).op('i64.mul');
    upper(first).op('i64.add').set(middle);
    lower(a);
    upper(b).op('i64.mul');
    lower(middle).op('i64.add').set(first);
    upper(a);
    upper(b).op('i64.mul');
    upper(middle).op('i64.add');
    upper(first).op('i64.add');
  });
}

const productType = { parameters: ['i64', 'i64', 'i64', 'i64'], results: ['i64', 'i64'] } as const;

/**
 * Returns the index of a function that takes two 128-bit numbers and returns the upper 128 bits of their product. The
 * result may be up to three units too small.
 */
export function highWideProduct(helpers: Helpers): number {
  const high = highProduct(helpers);
  return helpers.function('wide upper product', productType, (code) => {
    const [a, b] = [
      { high: 0, low: 1 },
      { high: 2, low: 3 },
    ];
    const sum = wideLocals(code);
    const term = wideLocals(code);
    code.get(a.high).get(b.high).call(high).set(sum.high);
    code.get(a.high).get(b.high).op('i64.mul').set(sum.low);
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      code.get(one.high).get(other.low).call(high).set(term.low);
      addWide(code, sum, term);
    }
    code.get(sum.high).get(sum.low);
  });
}

const quotientType = { parameters: ['i64', 'i64', 'i64'], results: ['i64', 'i64'] } as const;

/**
 * Returns the index of a function that takes a 128-bit number and a divisor n, where 0 < n < 2^31, and returns their
 * quotient as a 128-bit number.
 */
export function quotientBySmall(helpers: Helpers): number {
  return helpers.function('wide quotient', quotientType, (code) => {
    const [high, low, divisor] = [0, 1, 2];
    const digits = code.local('i64');
    const middle = code.local('i64');
    const divide = (opcode: 'i64.div_u' | 'i64.rem_u'): Code => code.get(digits).get(divisor).op(opcode);
    code.get(high).set(digits);
    divide('i64.div_u').set(high);
    divide('i64.rem_u').i64(32n).op('i64.shl').get(low).i64(32n).op('i64.shr_u', 'i64.or').set(digits);
    divide('i64.div_u').i64(32n).op('i64.shl').set(middle);
    divide('i64.rem_u').i64(32n).op('i64.shl').get(low).i64(0xffffffffn).op('i64.and', 'i64.or').set(digits);
    code.get(high).get(middle);
    divide('i64.div_u').op('i64.or');
  });
}

const jamType = { parameters: ['i64', 'i64', 'i32'], results: ['i64', 'i64'] } as const;

/**
 * Returns the index of a function that takes a 128-bit number and a distance n >= 0, and returns the number shifted
 * right by n. The lowest bit of the result is also set if any nonzero bits were shifted out.
 */
export function shiftRightJamming(helpers: Helpers): number {
  return helpers.function('wide shift right', jamType, (code) => {
    const [high, low, distance] = [0, 1, 2];
    const by = code.local('i64');
    const lost = code.local('i64');
    code.block((done) => {
      code.get(distance).op('i32.eqz').brIf(done);
      code.get(distance).i32(128).op('i32.ge_u');
      code.if(() => {
        code.get(high).get(low).op('i64.or').set(lost);
        code.i64(0n).set(low).i64(0n).set(high).br(done);
      });
      code.get(distance).i32(64).op('i32.ge_u');
      code.if(() => {
        code.get(low).set(lost).get(high).set(low).i64(0n).set(high);
        code.get(distance).i32(64).op('i32.sub').tee(distance).op('i32.eqz').brIf(done);
      });
      code.get(distance).op('i64.extend_i32_u').set(by);
      const back = (local: number): Code => code.get(local).i64(64n).get(by).op('i64.sub', 'i64.shl');
      back(low).get(lost).op('i64.or').set(lost);
      code.get(low).get(by).op('i64.shr_u');
      back(high).op('i64.or').set(low);
      code.get(high).get(by).op('i64.shr_u').set(high);
    });
    code.get(high).get(low).get(lost).op('i64.eqz', 'i32.eqz', 'i64.extend_i32_u', 'i64.or');
  });
}

/** a ← a + b. */
export function addWide(code: Code, a: WideLocals, b: WideLocals): void {
  code.get(a.low).get(b.low).op('i64.add').set(a.low);
  code.get(a.high).get(b.high).op('i64.add').get(a.low).get(b.low).op('i64.lt_u', 'i64.extend_i32_u', 'i64.add');
  code.set(a.high);
}

/** a ← a - b. */
export function subtractWide(code: Code, a: WideLocals, b: WideLocals): void {
  code.get(a.high).get(b.high).op('i64.sub').get(a.low).get(b.low).op('i64.lt_u', 'i64.extend_i32_u', 'i64.sub');
  code.set(a.high);
  code.get(a.low).get(b.low).op('i64.sub').set(a.low);
}

/** a ← -a. */
export function negateWide(code: Code, a: WideLocals): void {
  code.i64(0n).get(a.high).op('i64.sub').get(a.low).op('i64.eqz', 'i32.eqz', 'i64.extend_i32_u', 'i64.sub').set(a.high);
  code.i64(0n).get(a.low).op('i64.sub').set(a.low);
}

/**
 * Converts a nonzero number, which is in units of 2^(exact.exponent - 127), to a 64-bit significand with a sticky
 * lowest bit. Sets `exact.exponent` to the exponent of the significand's top bit.
 */
export function normalizeWide(code: Code, value: WideLocals, exact: ExactLocals): void {
  const { high, low } = value;
  const zeros = code.local('i64');
  code
    .get(high)
    .op('i64.eqz')
    .if(() => {
      code.get(low).set(high).i64(0n).set(low);
      code.get(exact.exponent).i32(64).op('i32.sub').set(exact.exponent);
    });
  code.get(high).op('i64.clz').set(zeros);
  code.get(exact.exponent).get(zeros).op('i32.wrap_i64', 'i32.sub').set(exact.exponent);
  code.get(high).get(zeros).op('i64.shl');
  code.get(low).i64(1n).op('i64.shr_u').i64(63n).get(zeros).op('i64.sub', 'i64.shr_u', 'i64.or');
  code.get(low).get(zeros).op('i64.shl').op('i64.eqz', 'i32.eqz', 'i64.extend_i32_u', 'i64.or').set(exact.significand);
}

/** Pushes the bits of a normal f64, rounded to odd: truncated, with the last bit set if the value is inexact. */
export function pushRoundedToOdd(code: Code, { sign, significand, exponent }: ExactLocals): void {
  code.get(sign).op('i64.extend_i32_u').i64(63n).op('i64.shl');
  code.get(exponent).i32(1023).op('i32.add', 'i64.extend_i32_u').i64(52n).op('i64.shl', 'i64.or');
  code
    .get(significand)
    .i64(11n)
    .op('i64.shr_u')
    .i64((1n << 52n) - 1n)
    .op('i64.and', 'i64.or');
  code.get(significand).i64(0x7ffn).op('i64.and', 'i64.eqz', 'i32.eqz', 'i64.extend_i32_u', 'i64.or');
}

/** Pushes an irrational value as an f64 rounded to odd. `exact.exponent` is the exponent of bit 127. */
export function pushIrrational(code: Code, value: WideLocals, exact: ExactLocals): void {
  normalizeWide(code, value, exact);
  code.get(exact.significand).i64(1n).op('i64.or').set(exact.significand);
  pushRoundedToOdd(code, exact);
}
