/** Lowers integer, logic and shift steps, and integer comparisons. */
import { constant } from './integer-constant.ts';
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import { highProduct } from './wide.ts';
import { formats, type FixedFormat } from '../../numerics/formats.ts';
import type { Comparison, IntegerFunction } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import { lowerFind, lowerPermutation } from './bit-selection.ts';
import { lowerCount, lowerReverse, lowerTable } from './bit-counts.ts';
import type { Lowering } from '../lowering.ts';
import { holder, type IntegerType } from '../regions/values.ts';

/** Keeps the low `width` bits of the value on the stack. */
export function maskTo(code: Code, type: IntegerType, width: number): void {
  if (width === (type === 'i64' ? 64 : 32)) return;
  constant(code, type, (1n << BigInt(width)) - 1n).op(`${type}.and`);
}

/** Sign-extends the `width`-bit value on the stack to the full width of `type`. */
export function signExtendIn(code: Code, type: IntegerType, width: number): void {
  const spare = (type === 'i64' ? 64 : 32) - width;
  if (spare === 0) return;
  if (width === 8 || width === 16) code.op(`${type}.extend${width}_s`);
  else if (width === 32) code.op('i64.extend32_s');
  else constant(constant(code, type, BigInt(spare)).op(`${type}.shl`), type, BigInt(spare)).op(`${type}.shr_s`);
}

/** Returns locals that hold the operands, sign-extended if the type is signed. */
function operandLocals({ code, values }: Lowering, from: readonly Ref[], format: FixedFormat): readonly number[] {
  const type = holder(format.width);
  return from.map((ref) => {
    const local = values.temporary(type);
    values.get(ref, type);
    if (format.signed) signExtendIn(code, type, format.width);
    code.set(local);
    return local;
  });
}

export function lowerInteger(step: StepOf<'integer'>, lowering: Lowering): void {
  const format = formats[step.type];
  if (step.sat) lowerSaturating(step, format, lowering);
  else if (step.fn === 'mul.wide' || step.fn === 'mad.wide') lowerWide(step, format, lowering);
  else {
    const { code, values } = lowering;
    const type = holder(format.width);
    pushInteger(step.fn, format, type, operandLocals(lowering, step.from, format), lowering);
    maskTo(code, type, format.width);
    values.set(step.to, type);
  }
}

function pushInteger(
  fn: Exclude<IntegerFunction, 'mul.wide' | 'mad.wide'>,
  format: FixedFormat,
  type: IntegerType,
  operands: readonly number[],
  lowering: Lowering,
): void {
  const { code } = lowering;
  const [a = 0, b = 0, c = 0] = operands;
  const suffix = format.signed ? 's' : 'u';
  switch (fn) {
    case 'add':
    case 'sub':
      code.get(a).get(b).op(`${type}.${fn}`);
      return;
    case 'mul.lo':
      code.get(a).get(b).op(`${type}.mul`);
      return;
    case 'mad.lo':
      code.get(a).get(b).op(`${type}.mul`).get(c).op(`${type}.add`);
      return;
    case 'mul.hi':
      pushHigh(format, a, b, lowering);
      return;
    case 'mad.hi':
      pushHigh(format, a, b, lowering);
      code.get(c).op(`${type}.add`);
      return;
    case 'div':
    case 'rem':
      pushDivision(fn, format, a, b, lowering);
      return;
    case 'min':
      code.get(a).get(b).get(a).get(b).op(`${type}.lt_${suffix}`, 'select');
      return;
    case 'max':
      code.get(a).get(b).get(a).get(b).op(`${type}.gt_${suffix}`, 'select');
      return;
    case 'neg':
      constant(code, type, 0n).get(a).op(`${type}.sub`);
      return;
    case 'abs':
      constant(code, type, 0n).get(a).op(`${type}.sub`).get(a);
      constant(code.get(a), type, 0n).op(`${type}.lt_s`, 'select');
      return;
  }
}

/**
 * Division by zero sets all bits of the result. Dividing the most negative value by -1 wraps around instead of
 * trapping.
 */
function pushDivision(
  fn: 'div' | 'rem',
  { signed, width }: FixedFormat,
  a: number,
  b: number,
  { code, values }: Lowering,
): void {
  const type = holder(width);
  const result = values.temporary(type);
  const divide = (): void => {
    code
      .get(a)
      .get(b)
      .op(`${type}.${fn}_${signed ? 's' : 'u'}`)
      .set(result);
  };
  code
    .get(b)
    .op(`${type}.eqz`)
    .if(
      () => constant(code, type, -1n).set(result),
      () => {
        if (fn === 'rem' || !signed) {
          divide();
          return;
        }
        constant(code.get(b), type, -1n).op(`${type}.eq`);
        code.if(() => constant(code, type, 0n).get(a).op(`${type}.sub`).set(result), divide);
      },
    );
  code.get(result);
}

/** Pushes the upper half of a product. */
function pushHigh({ width, signed }: FixedFormat, a: number, b: number, { code, helpers }: Lowering): void {
  if (width <= 32) {
    const extend = signed ? 'i64.extend_i32_s' : 'i64.extend_i32_u';
    code.get(a).op(extend).get(b).op(extend, 'i64.mul').i64(BigInt(width)).op('i64.shr_s', 'i32.wrap_i64');
    return;
  }
  code.get(a).get(b).call(highProduct(helpers));
  if (!signed) return;
  // The multiplication treated the operands as unsigned, so for each negative operand, it used a number that is 2^64
  // too large. The following code corrects the upper half of the product.
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    code.get(other).i64(0n).get(one).i64(0n).op('i64.lt_s', 'select', 'i64.sub');
  }
}

function lowerWide(step: StepOf<'integer'>, format: FixedFormat, lowering: Lowering): void {
  const { code, values } = lowering;
  const type = holder(format.width * 2);
  const [a, b] = pairOf(step.from);
  for (const ref of [a, b]) {
    values.get(ref, holder(format.width));
    if (type === 'i64') code.op(format.signed ? 'i64.extend_i32_s' : 'i64.extend_i32_u');
    else if (format.signed) signExtendIn(code, type, format.width);
  }
  code.op(`${type}.mul`);
  if (step.fn === 'mad.wide') {
    values.get(elementAt(step.from, 2), type);
    code.op(`${type}.add`);
  }
  maskTo(code, type, format.width * 2);
  values.set(step.to, type);
}

/**
 * Lowers `.sat` for types of up to 32 bits: the result is computed exactly in i64 and then clamped to the range of the
 * type.
 */
function lowerSaturating(step: StepOf<'integer'>, format: FixedFormat, lowering: Lowering): void {
  const { code, values } = lowering;
  const { width, signed } = format;
  const { fn } = step;
  if (width > 32 || (fn !== 'add' && fn !== 'sub' && fn !== 'mad.hi'))
    throw new Error(`there is no instruction ${fn}.sat.${step.type}`);
  const wide = values.temporary('i64');
  const extend = signed ? 'i64.extend_i32_s' : 'i64.extend_i32_u';
  const operands = operandLocals(lowering, step.from, format);
  const [a = 0, b = 0, c = 0] = operands;
  if (fn === 'mad.hi') {
    pushHigh(format, a, b, lowering);
    code.op(extend).get(c).op(extend, 'i64.add').set(wide);
  } else code.get(a).op(extend).get(b).op(extend, `i64.${fn}`).set(wide);
  clampLocal(code, wide, format);
  code.get(wide).op('i32.wrap_i64');
  maskTo(code, 'i32', width);
  values.set(step.to, 'i32');
}

/** Clamps an i64 local, which holds a signed value, to the range of a type. */
export function clampLocal(code: Code, local: number, { width, signed }: FixedFormat): void {
  const all = (1n << BigInt(width)) - 1n;
  const most = signed ? all >> 1n : all;
  const least = signed ? -(most + 1n) : 0n;
  code.get(local).i64(least).get(local).i64(least).op('i64.gt_s', 'select').set(local);
  if (most >= 1n << 63n) return;
  code.get(local).i64(most).get(local).i64(most).op('i64.lt_s', 'select').set(local);
}

/** Lowers cvt.pack, which clamps an s32 to the range of a type. */
export function lowerClamp(step: StepOf<'clamp'>, { code, values }: Lowering): void {
  const format = formats[step.type];
  const wide = values.temporary('i64');
  values.get(step.from, 'i32');
  code.op('i64.extend_i32_s').set(wide);
  clampLocal(code, wide, format);
  code.get(wide).op('i32.wrap_i64');
  maskTo(code, 'i32', format.width);
  values.set(step.to, 'i32');
}

// --- bits -----------------------------------------------------------------------------------------------------------

export function lowerBits(step: StepOf<'bits'>, lowering: Lowering): void {
  const { code, values } = lowering;
  const { fn, width, from } = step;
  const type = holder(width);
  const a = elementAt(from, 0);
  const [, b = a] = from;
  switch (fn) {
    case 'and':
    case 'or':
    case 'xor':
      values.get(a, type);
      values.get(b, type);
      code.op(`${type}.${fn}`);
      break;
    case 'not':
      values.get(a, type);
      constant(code, type, (1n << BigInt(width)) - 1n).op(`${type}.xor`);
      break;
    case 'cnot':
      values.get(a, type);
      code.op(`${type}.eqz`);
      values.set(step.to, 'i32');
      return;
    case 'shl':
    case 'shr.u':
    case 'shr.s':
      pushShift(fn, width, a, b, lowering);
      break;
    case 'popc':
      lowerCount(step, 'popcnt', lowering);
      return;
    case 'clz':
      lowerCount(step, 'clz', lowering);
      return;
    case 'brev':
      lowerReverse(step, lowering);
      return;
    case 'lop3':
      lowerTable(step, lowering);
      return;
    case 'fns':
      lowerFind(step, lowering);
      return;
    case 'prmt':
    case 'prmt.f4e':
    case 'prmt.b4e':
    case 'prmt.rc8':
    case 'prmt.ecl':
    case 'prmt.ecr':
    case 'prmt.rc16':
      lowerPermutation(step, fn, lowering);
      return;
  }
  values.set(step.to, type);
}

/** Pushes a shift. If the shift amount is at least the width, all bits are shifted out. */
function pushShift(fn: 'shl' | 'shr.u' | 'shr.s', width: number, a: Ref, b: Ref, lowering: Lowering): void {
  const { code, values } = lowering;
  const type = holder(width);
  const amount = values.temporary('i32');
  values.get(b, 'i32');
  code.set(amount);
  if (fn === 'shr.s')
    code
      .get(amount)
      .i32(width - 1)
      .get(amount)
      .i32(width - 1)
      .op('i32.lt_u', 'select')
      .set(amount);
  values.get(a, type);
  if (fn === 'shr.s') signExtendIn(code, type, width);
  code.get(amount);
  if (type === 'i64') code.op('i64.extend_i32_u');
  code.op(`${type}.${fn === 'shl' ? 'shl' : fn === 'shr.u' ? 'shr_u' : 'shr_s'}`);
  if (fn !== 'shr.u') maskTo(code, type, width);
  if (fn === 'shr.s') return;
  constant(code, type, 0n).get(amount).i32(width).op('i32.lt_u', 'select');
}

// --- comparisons ----------------------------------------------------------------------------------------------------

/** Maps the names of comparisons to the corresponding integer comparisons. */
export const integerOrders: Readonly<Partial<Record<Comparison, 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'>>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'lt',
  le: 'le',
  gt: 'gt',
  ge: 'ge',
  lo: 'lt',
  ls: 'le',
  hi: 'gt',
  hs: 'ge',
  equ: 'eq',
  neu: 'ne',
  ltu: 'lt',
  leu: 'le',
  gtu: 'gt',
  geu: 'ge',
};

/** Pushes 1 if the comparison holds for two integers, otherwise 0. */
export function pushIntegerComparison(step: StepOf<'compare'>, format: FixedFormat, lowering: Lowering): void {
  const { code } = lowering;
  const order = integerOrders[step.comparison];
  if (order === undefined) {
    // Integers are never NaN.
    code.i32(step.comparison === 'num' ? 1 : 0);
    return;
  }
  const type = holder(format.width);
  const [a = 0, b = 0] = operandLocals(lowering, step.from, format);
  code.get(a).get(b);
  if (order === 'eq' || order === 'ne') code.op(`${type}.${order}`);
  else code.op(`${type}.${order}_${format.signed ? 's' : 'u'}`);
}
