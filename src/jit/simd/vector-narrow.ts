/**
 * Implements f16 and bf16 arithmetic for four threads at once. An operation is computed in f32, and its result is then
 * rounded to the narrow format. Rounding twice does not change a sum, because f32 has more than twice as many
 * significant bits as the narrow formats (Figueroa, "When is double rounding innocuous?", 1995). It does not change a
 * product either: a product is exact in f32 unless it is so small that it becomes zero in the narrow format. For an
 * fma, the sum of the exact product and the addend is rounded to odd if it might be a tie between two narrow numbers,
 * so that the second rounding gives the correct result (Boldo and Melquiond, "Emulation of a FMA and correctly rounded
 * sums", 2008).
 */
import type { StepOf } from '../../isa/steps/step.ts';
import { formats } from '../../numerics/formats.ts';
import { type FloatFunction, type FloatMode, plainMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { arithmeticTarget } from '../arithmetic/target.ts';
import type { Helpers } from '../helpers.ts';
import { pushOddSum } from './exact-sums.ts';
import { fourByOne } from './four-by-one.ts';
import { decodeVector, pushSigned } from './vector-decoding.ts';
import { setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { pushRounded } from './vector-rounding.ts';
import { shift, single, splat, splatPower } from './vector-words.ts';

export type NarrowFormat = 'f16' | 'bf16';

const native: Readonly<Partial<Record<FloatFunction, VectorOpcode>>> = {
  add: 'f32x4.add',
  sub: 'f32x4.sub',
  mul: 'f32x4.mul',
  fma: 'f32x4.mul',
};

/** An operation on numbers of a narrow format. */
interface Operation {
  readonly step: StepOf<'float'>;
  readonly format: NarrowFormat;
  /** Combines the first two operands, converted to f32. */
  readonly opcode: VectorOpcode;
}

/** Returns the index of a function that takes and returns four words; null for steps that this file does not handle. */
export function narrowOperation(helpers: Helpers, step: StepOf<'float'>): number | null {
  const { fn, format, mode } = step;
  const opcode = native[fn];
  if (format !== 'f16' && format !== 'bf16') return null;
  if (opcode === undefined || mode.rounding !== 'rn' || mode.flush) return null;
  return operationFunction(helpers, { step, format, opcode }, format === 'f16' ? 'finite' : 'any');
}

export function vectorNarrow(step: StepOf<'float'>, lowering: VectorLowering): Writer | null {
  const { from, to } = step;
  const { code, vectors, scalar } = lowering;
  const index = narrowOperation(scalar.helpers, step);
  if (index === null) return null;
  return () => {
    for (const ref of from) code.get(vectors.get(ref, 'i32').locals[0]);
    code.call(index);
    setWord(to, lowering);
  };
}

/**
 * Returns the index of the function that computes four results. Finite f16 operands can be converted with fewer
 * instructions, so there is a separate function for them. If it finds an infinity or a NaN, it calls the function for
 * arbitrary operands.
 */
function operationFunction(helpers: Helpers, operation: Operation, expected: 'finite' | 'any'): number {
  const { step, format } = operation;
  const { fn, mode, from } = step;
  const parameters = [...from.keys()];
  const type = { parameters: parameters.map(() => 'v128' as const), results: ['v128'] } as const;
  const write = (code: Code): void => {
    const areFinite = expected === 'finite';
    const operands = parameters.map((parameter) => {
      const wide = code.local('v128');
      (areFinite ? pushFiniteHalves(code, parameter) : pushSingles(code, format, parameter)).set(wide);
      return wide;
    });
    const leave = (index: number): void => {
      for (const parameter of parameters) code.get(parameter);
      code.call(index).op('return');
    };
    if (areFinite) {
      pushIsAnySpecial(code, operands);
      code.unlikely().if(() => leave(operationFunction(helpers, operation, 'any')));
    }
    const wide = writeOperation(code, operation, operands, () => leave(fourByOne(helpers, step, from.length)));
    if (areFinite) pushRoundedNumbers(code, format, mode, wide);
    else pushRoundedSingles(code, format, mode, wide);
  };
  return helpers.function(`four ${fn} ${format} ${JSON.stringify(mode)} ${expected}`, type, write, true);
}

/**
 * Returns a local with the results in f32. The results have been rounded in such a way that rounding them to the narrow
 * format is correct.
 */
function writeOperation(
  code: Code,
  { step, format, opcode }: Operation,
  operands: readonly number[],
  leave: () => void,
): number {
  const [first, result] = [code.local('v128'), code.local('v128')];
  const [a = 0, b = 0, addend = 0] = operands;
  code.get(a).get(b).vector(opcode).set(first);
  if (step.fn !== 'fma') return first;
  if (format === 'bf16') {
    pushIsAnyInexact(code, [a, b], first);
    code.unlikely().if(leave);
  }
  code.get(first).get(addend).vector('f32x4.add').set(result);
  // Only a sum whose last 12 bits are zero can be halfway between two narrow numbers.
  splat(splat(code.get(result), 0xfff).vector('v128.and'), 0).vector('i32x4.eq', 'v128.any_true');
  code.unlikely().if(() => {
    pushOddSum(code, 'f32x4', [first, addend], () => code.local('v128'));
    code.set(result);
  });
  return result;
}

/**
 * Pushes whether the product of two bf16 numbers may have been rounded in any lane, because it is too large or too
 * small for a normal f32. The product of two f16 numbers is always exact in f32.
 */
function pushIsAnyInexact(code: Code, factors: readonly [number, number], product: number): void {
  const magnitude = code.local('v128');
  code.get(product).vector('f32x4.abs').set(magnitude);
  splat(code.get(magnitude), single.infinity).vector('f32x4.lt', 'v128.not');
  splat(code.get(magnitude), single.leastNormal).vector('f32x4.lt');
  for (const factor of factors) splat(code.get(factor), 0).vector('f32x4.ne', 'v128.and');
  code.vector('v128.or', 'v128.any_true');
}

/** The difference between the exponent biases of f32 and f16. */
const rebias = 112;

/**
 * Pushes four f16 numbers, converted to f32. For infinities and NaNs, the magnitudes of the results are at least 2^16.
 */
function pushFiniteHalves(code: Code, local: number): Code {
  shift(shift(code.get(local), 'i32x4.shl', 16), 'i32x4.shr_s', 3);
  splat(code, 0x8fff_e000).vector('v128.and');
  return splatPower(code, rebias).vector('f32x4.mul');
}

/** Pushes whether any of the results of `pushFiniteHalves` comes from an infinity or a NaN. */
function pushIsAnySpecial(code: Code, operands: readonly number[]): void {
  for (const [i, operand] of operands.entries()) {
    code.get(operand).vector('f32x4.abs');
    if (i > 0) code.vector('f32x4.pmax');
  }
  splatPower(code, 16).vector('f32x4.ge', 'v128.any_true');
}

/** Pushes four narrow numbers, converted to f32. This conversion is exact, except that the bits of NaNs may change. */
export function pushWidened(code: Code, helpers: Helpers, format: NarrowFormat, local: number): Code {
  if (format === 'bf16') return pushSingles(code, format, local);
  const type = { parameters: ['v128'], results: ['v128'] } as const;
  return code.get(local).call(helpers.function('widen four f16', type, (body) => pushSingles(body, format, 0)));
}

/** Writes the conversion as inline code. */
function pushSingles(code: Code, format: NarrowFormat, local: number): Code {
  if (format === 'bf16') return shift(code.get(local), 'i32x4.shl', 16);
  const { magnitude, sign } = decodeVector(code, formats.f16, local, 'odd');
  return pushSigned(code, magnitude, sign);
}

/** Pushes four f32 values, rounded to a narrow format. */
export function pushNarrowed(code: Code, format: NarrowFormat, local: number): Code {
  return pushRoundedSingles(code, format, plainMode, local);
}

function pushRoundedSingles(code: Code, format: NarrowFormat, mode: FloatMode, local: number): Code {
  splat(code, Number(arithmeticTarget(format, mode).nan));
  pushRoundedNumbers(code, format, mode, local);
  return code.get(local).get(local).vector('f32x4.ne', 'v128.bitselect');
}

/** Pushes f32 values that are not NaNs, rounded to a narrow format. */
function pushRoundedNumbers(code: Code, format: NarrowFormat, mode: FloatMode, local: number): void {
  const magnitude = code.local('v128');
  splat(code.get(local), single.magnitude).vector('v128.and');
  if (mode.sat) shift(code.get(local), 'i32x4.shr_s', 31).vector('v128.andnot');
  code.set(magnitude);
  // Rounding to nearest uses no random bits.
  const locals = { magnitude, sign: local, random: magnitude };
  pushRounded(code, arithmeticTarget(format, mode), formats[format], locals);
  if (!mode.sat) splat(shift(code.get(local), 'i32x4.shr_u', 16), 0x8000).vector('v128.and', 'v128.or');
}
