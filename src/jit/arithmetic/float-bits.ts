/** Lowers float steps that do not round: neg, abs, min, max, and comparisons. These steps operate on bit patterns. */
import { constant } from './integer-constant.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import { plainConversion } from '../../numerics/conversion.ts';
import { formats } from '../../numerics/formats.ts';
import type { Comparison, FloatArithmeticFormat, FloatFunction } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import { converter } from './convert.ts';
import type { Helpers } from '../helpers.ts';
import type { Lowering } from '../lowering.ts';
import { holder, type IntegerType } from '../regions/values.ts';

/** The bit masks of a format, for bit patterns that are held in the WebAssembly type `type`. */
interface Masks {
  readonly type: IntegerType;
  readonly width: number;
  readonly sign: bigint;
  readonly magnitude: bigint;
  readonly infinity: bigint;
  readonly quiet: bigint;
}

export function masksOf(name: FloatArithmeticFormat): Masks {
  const { width, fractionBits } = formats[name];
  const sign = 1n << BigInt(width - 1);
  const fraction = (1n << BigInt(fractionBits)) - 1n;
  return {
    type: holder(width),
    width,
    sign,
    magnitude: sign - 1n,
    infinity: sign - 1n - fraction,
    quiet: 1n << BigInt(fractionBits - 1),
  };
}

/** Replaces a subnormal in a local with a zero of the same sign. */
export function flushLocal(code: Code, local: number, { type, sign, infinity }: Masks): void {
  constant(code.get(local), type, sign).op(`${type}.and`).get(local);
  constant(code.get(local), type, infinity).op(`${type}.and`, `${type}.eqz`, 'select').set(local);
}

function pushIsNan(code: Code, local: number, { type, magnitude, infinity }: Masks): void {
  constant(code.get(local), type, magnitude).op(`${type}.and`);
  constant(code, type, infinity).op(`${type}.gt_u`);
}

/**
 * Pushes a signed integer that represents the float in comparisons: the integers are in the same order as the floats,
 * with -0 below +0.
 */
function pushKey(code: Code, local: number, { type, width }: Masks): void {
  const push = (): void => {
    code.get(local);
    if (width === 16) code.i32(16).op('i32.shl');
  };
  push();
  push();
  constant(code, type, type === 'i64' ? 63n : 31n).op(`${type}.shr_s`);
  constant(code, type, 1n).op(`${type}.shr_u`, `${type}.xor`);
}

/** Lowers neg, abs, min or max. */
export function lowerChoice(step: StepOf<'float'>, lowering: Lowering): void {
  const { fn, format, mode, from, to } = step;
  const { code, values } = lowering;
  const masks = masksOf(format);
  const operands = from.map((ref) => {
    const local = values.temporary(masks.type);
    values.get(ref, masks.type);
    code.set(local);
    if (mode.flush && format !== 'f64') flushLocal(code, local, masks);
    return local;
  });
  const [a = 0, b = a] = operands;
  if (fn === 'neg' || fn === 'abs') pushSignChange(code, fn, format, a, masks);
  else if (fn === 'min' || fn === 'max') pushExtremum(lowering, fn, step, a, b);
  else throw new Error(`${fn} does not choose one of its operands`);
  values.set(to, masks.type);
}

function pushSignChange(code: Code, fn: FloatFunction, format: FloatArithmeticFormat, a: number, masks: Masks): void {
  const { type, sign, magnitude, quiet } = masks;
  if (format === 'f64') constant(code.get(a), type, quiet).op(`${type}.or`);
  else constant(code, type, magnitude);
  code.get(a);
  if (fn === 'neg') constant(code, type, sign).op(`${type}.xor`);
  else constant(code, type, magnitude).op(`${type}.and`);
  pushIsNan(code, a, masks);
  code.op('select');
}

function pushExtremum(
  { code, values }: Lowering,
  fn: 'min' | 'max',
  { format, mode }: StepOf<'float'>,
  a: number,
  b: number,
): void {
  const masks = masksOf(format);
  const { type, magnitude, sign, quiet } = masks;
  const [nanA, nanB, signs] = [values.temporary('i32'), values.temporary('i32'), values.temporary(type)];
  const made = values.temporary(type);
  pushIsNan(code, a, masks);
  code.set(nanA);
  pushIsNan(code, b, masks);
  code.set(nanB);
  if (format === 'f64') {
    constant(code.get(b).get(a).get(nanB).op('select'), type, quiet).op(`${type}.or`).set(made);
  } else constant(code, type, magnitude).set(made);
  if (mode.xorSign) {
    constant(code.get(a).get(b).op(`${type}.xor`), type, sign)
      .op(`${type}.and`)
      .set(signs);
    for (const local of [a, b]) constant(code.get(local), type, magnitude).op(`${type}.and`).set(local);
  }
  code.get(made);
  const [less, more] = fn === 'min' ? [a, b] : [b, a];
  code.get(b).get(a).get(less).get(more);
  pushKey(code, a, masks);
  pushKey(code, b, masks);
  code.op(`${type}.lt_s`, 'select').get(nanB).op('select').get(nanA).op('select');
  if (mode.xorSign) code.get(signs).op(`${type}.or`);
  code
    .get(nanA)
    .get(nanB)
    .op(mode.nan ? 'i32.or' : 'i32.and', 'select');
}

// --- comparisons ----------------------------------------------------------------------------------------------------

/**
 * Converts a narrow float to f32 and pushes it. The local holds the bits of the float. Subnormals must already have
 * been flushed to zero if `.ftz` requires it.
 */
function pushAsF32(code: Code, helpers: Helpers, local: number, format: FloatArithmeticFormat): void {
  code.get(local);
  if (format === 'bf16') code.i32(16).op('i32.shl');
  if (format === 'f16') code.i32(0).i32(0).call(converter(helpers, widening));
  code.op('f32.reinterpret_i32');
}

const widening = plainConversion('f16', 'f32');

/** Pushes 1 if the two floats satisfy the comparison, otherwise 0. */
export function pushFloatComparison(step: StepOf<'compare'>, format: FloatArithmeticFormat, lowering: Lowering): void {
  const { code, values, helpers } = lowering;
  const masks = masksOf(format);
  const kind = format === 'f64' ? 'f64' : 'f32';
  const [a, b] = pairOf(
    step.from.map((ref) => {
      const bits = values.temporary(masks.type);
      const value = values.temporary(kind);
      values.get(ref, masks.type);
      code.set(bits);
      if (step.flush && format !== 'f64') flushLocal(code, bits, masks);
      if (format === 'f64') code.get(bits).op('f64.reinterpret_i64');
      else pushAsF32(code, helpers, bits, format);
      code.set(value);
      return value;
    }),
  );
  const order = orders[step.comparison];
  if (order !== undefined) {
    code.get(a).get(b).op(`${kind}.${order}`);
    return;
  }
  pushOtherComparison(code, step.comparison, kind, a, b);
}

/** Comparisons for which WebAssembly has a single instruction. */
const orders: Readonly<Partial<Record<Comparison, 'eq' | 'lt' | 'le' | 'gt' | 'ge' | 'ne'>>> = {
  eq: 'eq',
  lt: 'lt',
  le: 'le',
  gt: 'gt',
  ge: 'ge',
  neu: 'ne',
  lo: 'lt',
  ls: 'le',
  hi: 'gt',
  hs: 'ge',
};

function pushOtherComparison(code: Code, comparison: Comparison, kind: 'f32' | 'f64', a: number, b: number): void {
  const pair = (order: 'lt' | 'le' | 'gt' | 'ge'): Code => code.get(a).get(b).op(`${kind}.${order}`);
  const differ = (): Code => {
    pair('lt');
    return pair('gt').op('i32.or');
  };
  const anyNan = (): Code => {
    code.get(a).get(a).op(`${kind}.ne`);
    return code.get(b).get(b).op(`${kind}.ne`, 'i32.or');
  };
  switch (comparison) {
    case 'ne':
      differ();
      return;
    case 'equ':
      differ().op('i32.eqz');
      return;
    case 'ltu':
      pair('ge').op('i32.eqz');
      return;
    case 'leu':
      pair('gt').op('i32.eqz');
      return;
    case 'gtu':
      pair('le').op('i32.eqz');
      return;
    case 'geu':
      pair('lt').op('i32.eqz');
      return;
    case 'nan':
      anyNan();
      return;
    case 'num':
      anyNan().op('i32.eqz');
      return;
    default:
      throw new Error(`'${comparison}' should be lowered as a single instruction`);
  }
}
