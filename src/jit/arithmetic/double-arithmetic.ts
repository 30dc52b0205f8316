/**
 * Lowers f64 steps. Operations that round to nearest use the corresponding WebAssembly instructions. Fused operations
 * and the other rounding modes use integers: finite, nonzero operands are decoded, the result is computed to at least
 * 64 bits (the lowest of which is a sticky bit), and the result is then rounded once.
 */
import type { StepOf } from '../../isa/steps/step.ts';
import { formats } from '../../numerics/formats.ts';
import type { FloatFunction, FloatMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { PlainOpcode } from '../../wasm/opcodes.ts';
import { decode } from './decoding.ts';
import { writeQuotient, writeReciprocalRoot, writeRoot } from './double-roots.ts';
import { flushLocal, masksOf } from './float-bits.ts';
import type { Helpers } from '../helpers.ts';
import type { Lowering } from '../lowering.ts';
import { returnRounded } from './rounding.ts';
import { type ExactLocals, exactLocals } from './exact-locals.ts';
import { arithmeticTarget } from './target.ts';
import {
  addWide,
  highProduct,
  negateWide,
  normalizeWide,
  shiftRightJamming,
  subtractWide,
  type WideLocals,
  wideLocals,
} from './wide.ts';
import { elementAt } from '../../base/element-at.ts';

const nearestOpcodes: Readonly<Partial<Record<FloatFunction, PlainOpcode>>> = {
  add: 'f64.add',
  sub: 'f64.sub',
  mul: 'f64.mul',
  div: 'f64.div',
  rcp: 'f64.div',
  sqrt: 'f64.sqrt',
};

const one = 0x3ff0000000000000n;
const infinite = 0x7ff0000000000000n;
const magnitudes = (1n << 63n) - 1n;
const quiet = 1n << 51n;
/** The NaN that an invalid operation produces. */
const madeNan = 0xfff8000000000000n;

export function lowerDouble(step: StepOf<'float'>, lowering: Lowering): void {
  const { fn, mode, from, to } = step;
  const { code, values, helpers } = lowering;
  const opcode = nearestOpcodes[fn];
  if (opcode !== undefined && mode.rounding === 'rn' && !mode.flush) {
    lowerNearest(step, opcode, lowering);
    return;
  }
  const index = doubleFunction(helpers, fn, mode, from.length);
  const pushExact = (): void => {
    for (const ref of from) values.get(ref, 'i64');
    code.call(index);
  };
  if (isFused(helpers, fn, mode)) pushFused(step, pushExact, lowering);
  else pushExact();
  values.set(to, 'i64');
}

/** Whether a single WebAssembly instruction can compute the step. If the result is a NaN, its bits may be wrong. */
function isFused(helpers: Helpers, fn: FloatFunction, mode: FloatMode): boolean {
  return fn === 'fma' && helpers.fuses && mode.rounding === 'rn' && !mode.flush && !mode.sat;
}

function pushFused({ from }: StepOf<'float'>, pushExact: () => void, { code, values }: Lowering): void {
  const [sum, bits] = [values.temporary('v128'), values.temporary('i64')];
  for (const ref of from) {
    values.get(ref, 'i64');
    code.vector('i64x2.splat');
  }
  code.vector('f64x2.relaxed_madd').tee(sum).lane('i64x2.extract_lane', 0).set(bits);
  code.get(sum).get(sum).vector('f64x2.ne').lane('i32x4.extract_lane', 0);
  code.unlikely().if(() => {
    pushExact();
    code.set(bits);
  });
  code.get(bits);
}

/** Returns the index of a function that takes the bits of the operands and returns the bits of the result. */
export function doubleFunction(helpers: Helpers, fn: FloatFunction, mode: FloatMode, count: number): number {
  const parameters = Array.from({ length: count }, () => 'i64' as const);
  const key = `double ${fn} ${JSON.stringify(mode)}`;
  return helpers.function(key, { parameters, results: ['i64'] }, (body) => writeDouble(body, helpers, fn, mode));
}

function lowerNearest({ fn, from, to }: StepOf<'float'>, opcode: PlainOpcode, { code, values }: Lowering): void {
  const result = values.temporary('f64');
  const bits = values.temporary('i64');
  if (fn === 'rcp') code.i64(one).op('f64.reinterpret_i64');
  for (const ref of from) {
    values.get(ref, 'i64');
    code.op('f64.reinterpret_i64');
  }
  code.op(opcode).tee(result).op('i64.reinterpret_f64').set(bits);
  code
    .get(result)
    .get(result)
    .op('f64.ne')
    .unlikely()
    .if(() => {
      // Selects a NaN operand, and makes it quiet. Operands are tested from last to first, so the first NaN takes
      // precedence.
      code.i64(madeNan).set(bits);
      for (const ref of byPriority(fn, from).toReversed()) {
        values.get(ref, 'i64');
        code.i64(quiet).op('i64.or').get(bits);
        values.get(ref, 'i64');
        code.i64(magnitudes).op('i64.and').i64(infinite).op('i64.gt_u', 'select').set(bits);
      }
    });
  code.get(bits);
  values.set(to, 'i64');
}

/**
 * The operands in the order in which their NaNs take precedence, as recorded on an H200. The order for division differs
 * because a GPU divides with a sequence of several instructions.
 */
function byPriority<T>(fn: FloatFunction, operands: readonly T[]): readonly T[] {
  if (fn === 'div') return operands;
  const [a, b, c] = operands;
  return a !== undefined && b !== undefined && c !== undefined ? [b, c, a] : operands.toReversed();
}

// --- on integers ----------------------------------------------------------------------------------------------------

const [a, b, c] = [0, 1, 2];

function writeDouble(code: Code, helpers: Helpers, fn: FloatFunction, mode: FloatMode): void {
  const target = arithmeticTarget('f64', mode);
  const count = fn === 'fma' ? 3 : fn === 'add' || fn === 'sub' || fn === 'mul' || fn === 'div' ? 2 : 1;
  const operands = [a, b, c].slice(0, count);
  if (isFused(helpers, fn, mode)) returnUnlessNan(code, operands);
  if (mode.flush) for (const operand of operands) flushLocal(code, operand, masksOf('f64'));
  for (const operand of byPriority(fn, operands)) returnIfNan(code, operand);
  if (fn === 'sub')
    code
      .get(b)
      .i64(1n << 63n)
      .op('i64.xor')
      .set(b);
  for (const operand of [a, b].slice(0, count)) returnIfSpecial(code, fn, mode, operand);
  // A product of finite factors that overflows must not be added to an infinite addend, so an infinite addend is
  // returned here.
  if (fn === 'fma') returnIfInfinite(code, c);
  const exact = writeExact(code, helpers, fn, mode, operands);
  // To detect results that are too large, the code compares bit patterns as signed integers. An exponent above the
  // exponent of infinity would overflow into the sign bit, so the exponent is clamped first.
  code.get(exact.exponent).i32(1024).op('i32.ge_s');
  code.if(() =>
    code
      .i32(1024)
      .set(exact.exponent)
      .i64(1n << 63n)
      .set(exact.significand),
  );
  returnRounded(code, target, exact, 0);
  code.op('unreachable');
}

/**
 * Writes code that computes the fma of three operands in the first lane of a vector, and returns the result unless it
 * is a NaN.
 */
function returnUnlessNan(code: Code, operands: readonly number[]): void {
  const result = code.local('v128');
  for (const operand of operands) code.get(operand).vector('i64x2.splat');
  code.vector('f64x2.relaxed_madd').tee(result).get(result).vector('f64x2.eq').lane('i32x4.extract_lane', 0);
  code.if(() => code.get(result).lane('i64x2.extract_lane', 0).op('return'));
}

function writeExact(
  code: Code,
  helpers: Helpers,
  fn: FloatFunction,
  mode: FloatMode,
  operands: readonly number[],
): ExactLocals {
  const decoded = operands.map((operand) => decodeFinite(code, operand));
  const x = elementAt(decoded, 0);
  const [, y = x, z = x] = decoded;
  switch (fn) {
    case 'fma':
      return writeSum(code, helpers, mode, productOf(code, helpers, x, y), termOf(code, z));
    case 'add':
    case 'sub':
      return writeSum(code, helpers, mode, termOf(code, x), termOf(code, y));
    case 'mul':
      return normalized(code, productOf(code, helpers, x, y));
    case 'div':
      return writeQuotient(code, x, y);
    case 'rcp':
      return writeQuotient(code, constantOne(code), x);
    case 'sqrt':
      return writeRoot(code, x);
    case 'rsqrt':
      return writeReciprocalRoot(code, helpers, x);
    default:
      throw new Error(`${fn} is not a function of f64`);
  }
}

function constantOne(code: Code): ExactLocals {
  const exact = exactLocals(code);
  code.i64(1n << 63n).set(exact.significand);
  return exact;
}

/** If the operand is a NaN, returns it as a quiet NaN. */
function returnIfNan(code: Code, operand: number): void {
  code.get(operand).i64(magnitudes).op('i64.and').i64(infinite).op('i64.gt_u');
  code.if(() => code.get(operand).i64(quiet).op('i64.or', 'return'));
}

function returnIfInfinite(code: Code, operand: number): void {
  code.get(operand).i64(magnitudes).op('i64.and').i64(infinite).op('i64.eq');
  code.if(() => code.get(operand).op('return'));
}

/**
 * Writes code that handles infinite and zero operands. WebAssembly's own instructions are exact for such operands, so
 * the code returns their result.
 */
function returnIfSpecial(code: Code, fn: FloatFunction, mode: FloatMode, operand: number): void {
  const magnitude = code.local('i64');
  code.get(operand).i64(magnitudes).op('i64.and').tee(magnitude).i64(infinite).op('i64.eq');
  code.get(magnitude).op('i64.eqz', 'i32.or');
  if (fn === 'sqrt' || fn === 'rsqrt') code.get(operand).i64(0n).op('i64.lt_s', 'i32.or');
  code.if(() => {
    const result = code.local('f64');
    pushPlainly(code, fn);
    code.tee(result).get(result).op('f64.ne');
    code.if(() => code.i64(madeNan).op('return'));
    if (mode.rounding === 'rm') returnNegativeZero(code, fn, result);
    code.get(result).op('i64.reinterpret_f64', 'return');
  });
}

function pushPlainly(code: Code, fn: FloatFunction): void {
  const value = (operand: number): Code => code.get(operand).op('f64.reinterpret_i64');
  if (fn === 'rcp' || fn === 'rsqrt') code.i64(one).op('f64.reinterpret_i64');
  value(a);
  if (fn === 'fma') {
    value(b).op('f64.mul');
    value(c).op('f64.add');
  } else if (fn === 'add' || fn === 'sub') value(b).op('f64.add');
  else if (fn === 'mul') value(b).op('f64.mul');
  else if (fn === 'div') value(b).op('f64.div');
  else if (fn === 'sqrt' || fn === 'rsqrt') code.op('f64.sqrt');
  if (fn === 'rcp' || fn === 'rsqrt') code.op('f64.div');
}

/**
 * Returns -0 if the sum is zero and at least one of the terms has a negative sign. In the rounding mode rm, which
 * rounds toward negative infinity, a zero sum is +0 only if both terms are +0 (IEEE 754 section 6.3).
 */
function returnNegativeZero(code: Code, fn: FloatFunction, result: number): void {
  if (fn !== 'add' && fn !== 'sub' && fn !== 'fma') return;
  const term = fn === 'fma' ? c : b;
  code.get(a);
  if (fn === 'fma') code.get(b).op('i64.xor');
  code.get(term).op('i64.or').i64(0n).op('i64.lt_s');
  code.get(result).op('i64.reinterpret_f64', 'i64.eqz', 'i32.and');
  code.if(() => code.i64(1n << 63n).op('return'));
}

/**
 * Decodes a finite operand. A zero has the significand 0. If a zero is the addend of an fma, its exponent is set to a
 * value below all other exponents.
 */
function decodeFinite(code: Code, operand: number): ExactLocals {
  const ignore = (): void => undefined;
  const exact = decode(code, formats.f64, operand, { nan: ignore, infinity: ignore, zero: ignore, flush: false });
  if (operand === c) {
    code.get(exact.significand).op('i64.eqz');
    code.if(() => code.i32(-5000).set(exact.exponent));
  }
  return exact;
}

// --- sums and products ----------------------------------------------------------------------------------------------

/**
 * Locals that hold the value (-1)^sign * (high, low) * 2^(exponent - 127), where (high, low) is a 128-bit number whose
 * two highest bits are 0.
 */
interface Term extends WideLocals {
  readonly sign: number;
  readonly exponent: number;
}

function termLocals(code: Code): Term {
  return { ...wideLocals(code), sign: code.local('i32'), exponent: code.local('i32') };
}

function termOf(code: Code, { sign, significand, exponent }: ExactLocals): Term {
  const term = termLocals(code);
  code.get(sign).set(term.sign).get(exponent).i32(2).op('i32.add').set(term.exponent);
  code.get(significand).i64(2n).op('i64.shr_u').set(term.high);
  code.get(significand).i64(62n).op('i64.shl').set(term.low);
  return term;
}

/**
 * Computes the exact product. The product is shifted so that the two highest bits of the 128-bit number are 0, as
 * `Term` requires.
 */
function productOf(code: Code, helpers: Helpers, x: ExactLocals, y: ExactLocals): Term {
  const term = termLocals(code);
  code.get(x.sign).get(y.sign).op('i32.xor').set(term.sign);
  code.get(x.exponent).get(y.exponent).op('i32.add').i32(3).op('i32.add').set(term.exponent);
  code.get(x.significand).get(y.significand).call(highProduct(helpers)).tee(term.high);
  code.i64(62n).op('i64.shl').get(x.significand).get(y.significand).op('i64.mul').i64(2n).op('i64.shr_u', 'i64.or');
  code.set(term.low);
  code.get(term.high).i64(2n).op('i64.shr_u').set(term.high);
  return term;
}

function normalized(code: Code, term: Term): ExactLocals {
  const exact = exactLocals(code);
  code.get(term.sign).set(exact.sign).get(term.exponent).set(exact.exponent);
  normalizeWide(code, term, exact);
  return exact;
}

/**
 * Adds two terms. If the sum is exactly zero, the generated code returns zero immediately. Nonzero bits that are
 * shifted out when the terms are aligned set a sticky bit, which is far below the rounding position.
 */
function writeSum(code: Code, helpers: Helpers, mode: FloatMode, x: Term, y: Term): ExactLocals {
  code.get(x.exponent).get(y.exponent).op('i32.lt_s');
  code.if(() => {
    for (const part of ['high', 'low', 'sign', 'exponent'] as const) {
      code.get(x[part]).get(y[part]).set(x[part]).set(y[part]);
    }
  });
  code.get(y.high).get(y.low).get(x.exponent).get(y.exponent).op('i32.sub');
  code.call(shiftRightJamming(helpers)).set(y.low).set(y.high);
  code.get(x.sign).get(y.sign).op('i32.eq');
  code.if(
    () => addWide(code, x, y),
    () => {
      subtractWide(code, x, y);
      code.get(x.high).i64(0n).op('i64.lt_s');
      code.if(() => {
        negateWide(code, x);
        code.get(y.sign).set(x.sign);
      });
      code.get(x.high).get(x.low).op('i64.or', 'i64.eqz');
      code.if(() => code.i64(mode.rounding === 'rm' ? 1n << 63n : 0n).op('return'));
    },
  );
  return normalized(code, x);
}
