/**
 * Lowers f32 steps that round to nearest, using WebAssembly's own instructions. There are two cases in which the
 * results of these instructions may differ from those of PTX: subnormal results under .ftz, and an fma whose f64 sum is
 * a tie between two f32 values. Both cases can be recognized from the result. In these cases, the code calls the
 * general function, which handles all rounding modes.
 */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { FloatFunction, FloatMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { PlainOpcode } from '../../wasm/opcodes.ts';
import { flushLocal, masksOf } from './float-bits.ts';
import type { Lowering } from '../lowering.ts';
import { narrowFunction } from './narrow-arithmetic.ts';

const opcodes: Readonly<Partial<Record<FloatFunction, PlainOpcode>>> = {
  add: 'f32.add',
  sub: 'f32.sub',
  mul: 'f32.mul',
  div: 'f32.div',
  'div.full': 'f32.div',
  rcp: 'f32.div',
  sqrt: 'f32.sqrt',
};

/**
 * Whether `lowerSingle` handles the step. The result of such a step is a NaN whenever an operand is a NaN, regardless
 * of the bits of that NaN.
 */
export function isSingle({ fn, format, mode }: StepOf<'float'>): boolean {
  return format === 'f32' && mode.rounding === 'rn' && !mode.sat && (fn === 'fma' || opcodes[fn] !== undefined);
}

export function lowerSingle(step: StepOf<'float'>, lowering: Lowering): void {
  const { code, values, helpers } = lowering;
  const { fn, mode } = step;
  const operands = step.from.map((ref) => operandLocal(ref, mode, lowering));
  const result = values.temporary('f32');
  const pushExact = (): void => {
    for (const operand of operands) code.get(operand);
    code.call(narrowFunction(helpers, fn, 'f32', mode, operands.length));
  };
  const opcode = opcodes[fn];
  const isFused = fn === 'fma' && helpers.fuses;
  if (isFused) pushFused(operands, code).set(result);
  else if (opcode === undefined) writeFma(operands, result, pushExact, lowering);
  else {
    if (fn === 'rcp') code.i32(0x3f800000).op('f32.reinterpret_i32');
    for (const operand of operands) code.get(operand).op('f32.reinterpret_i32');
    code.op(opcode).set(result);
  }
  const bits = bitsOf(result, lowering);
  const approximates = fn === 'div' && mode.approximate;
  if ((fn !== 'fma' || isFused) && (mode.flush || approximates)) {
    code.i32(0);
    if (mode.flush) pushIsSmall(code, bits);
    if (approximates) pushIsHuge(code, elementAt(operands, 1));
    code.unlikely().if(() => {
      pushExact();
      code.set(bits);
    });
  }
  code.get(bits);
  values.set(step.to, 'i32');
}

function operandLocal(ref: Ref, mode: FloatMode, { code, values }: Lowering): number {
  const local = values.temporary('i32');
  values.get(ref, 'i32');
  code.set(local);
  if (mode.flush) flushLocal(code, local, masksOf('f32'));
  return local;
}

/**
 * Tests whether the magnitude of a value is at most 2^-126 but not zero, and ORs the result into the condition on the
 * stack. The value 2^-126 itself is included, because it may be the result of rounding a smaller value.
 */
function pushIsSmall(code: Code, bits: number): void {
  code.get(bits).i32(0x7fffffff).op('i32.and').i32(1).op('i32.sub').i32(0x00800000).op('i32.lt_u', 'i32.or');
}

/**
 * Tests whether the divisor is above 2^126, and ORs the result into the condition on the stack. div.approx has a
 * separate rule for such divisors.
 */
function pushIsHuge(code: Code, divisor: number): void {
  code.get(divisor).i32(0x7fffffff).op('i32.and').i32(0x7e800000).op('i32.gt_u', 'i32.or');
}

/**
 * Returns a new local that holds the bits of an f32 local. If the value is a NaN whose bits matter, it is replaced with
 * the NaN that hardware produces. The code uses a branch instead of a select: the processor can predict a branch, but a
 * select has to wait for the result of the test.
 */
function bitsOf(local: number, { code, values, hidesNan }: Lowering): number {
  const bits = values.temporary('i32');
  code.get(local).op('i32.reinterpret_f32').set(bits);
  if (hidesNan) return bits;
  code
    .get(local)
    .get(local)
    .op('f32.ne')
    .unlikely()
    .if(() => code.i32(0x7fffffff).set(bits));
  return bits;
}

/**
 * Pushes the result of an fma. It is computed in the first lane of vectors, because WebAssembly has no fma for scalars.
 */
function pushFused(operands: readonly number[], code: Code): Code {
  for (const operand of operands) code.get(operand).vector('i32x4.splat');
  return code.vector('f32x4.relaxed_madd').lane('f32x4.extract_lane', 0);
}

/**
 * Computes an fma in f64, where the product is exact and the sum is rounded once. Rounding the sum again to f32 can be
 * wrong only if the sum is a tie between two f32 values, or if the result is a subnormal f32. Subnormals have fewer
 * significant bits, so their ties are at other bit positions.
 */
function writeFma(
  operands: readonly number[],
  result: number,
  pushExact: () => void,
  { code, values }: Lowering,
): void {
  const [a = 0, b = 0, c = 0] = operands;
  const sum = values.temporary('f64');
  const bits = values.temporary('i64');
  const value = (operand: number): Code => code.get(operand).op('f32.reinterpret_i32', 'f64.promote_f32');
  value(a);
  value(b).op('f64.mul');
  value(c).op('f64.add').tee(sum).op('i64.reinterpret_f64').set(bits);
  code.get(bits).op('i32.wrap_i64').i32(0x1fffffff).op('i32.and').i32(0x10000000).op('i32.eq');
  code
    .get(bits)
    .i64(1n)
    .op('i64.shl')
    .i64(1n)
    .op('i64.sub')
    .i64((0x3810000000000000n << 1n) - 1n)
    .op('i64.lt_u');
  code
    .op('i32.or')
    .unlikely()
    .if(
      () => {
        pushExact();
        code.op('f32.reinterpret_i32').set(result);
      },
      () => code.get(sum).op('f32.demote_f64').set(result),
    );
}
