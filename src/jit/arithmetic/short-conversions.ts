/**
 * Lowers `convert` steps that WebAssembly's own instructions can perform. Only NaNs, for which PTX prescribes different
 * bits, are converted by the function in convert.ts.
 */
import { type Conversion, isPlainRounding, type Rounding } from '../../numerics/conversion.ts';
import { type FixedFormat, formats } from '../../numerics/formats.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Code } from '../../wasm/code.ts';
import type { Lowering } from '../lowering.ts';
import { holder } from '../regions/values.ts';
import { converter, unscaled } from './convert.ts';
import { maskTo, signExtendIn } from './integer.ts';

type FloatName = 'f32' | 'f64';

type Writer = (step: StepOf<'convert'>, lowering: Lowering) => void;

/** Returns a function that writes the step; null if the step needs the function in convert.ts. */
export function shortConversion(c: Conversion): Writer | null {
  const [from, to] = [formats[c.from], formats[c.to]];
  if (from.kind === 'integer' && to.kind === 'integer') return c.sat ? null : resize(from, to);
  if (from.kind === 'integer') return isFloatName(c.to) && isNearest(c) ? fromInteger(from, c.to) : null;
  if (!isFloatName(c.from)) return null;
  if (to.kind === 'integer') return to.width >= 32 && roundsShortly(c) ? toInteger(c.from, to) : null;
  if (!isFloatName(c.to)) return null;
  if (c.integral) return c.from === c.to && roundsShortly(c) && !c.sat ? makeIntegral(c.from) : null;
  return c.from !== c.to && isNearest(c) ? betweenFloats(c.from) : null;
}

const isFloatName = (name: Conversion['from']): name is FloatName => name === 'f32' || name === 'f64';

function isNearest(c: Conversion): boolean {
  return isPlainRounding(c) && !c.satfinite && roundingOf(c) === 'rn';
}

export const roundingOf = ({ rounding }: Conversion): Rounding => rounding ?? 'rn';

/**
 * For each rounding mode, the name of the WebAssembly instruction that rounds to an integer in this mode, without the
 * type.
 */
const integralNames = { rn: 'nearest', rz: 'trunc', rm: 'floor', rp: 'ceil' } as const;

/** Whether WebAssembly has an instruction that rounds to an integer in this mode. */
export function hasIntegralName(rounding: Rounding): rounding is keyof typeof integralNames {
  return rounding in integralNames;
}

export function integralName(rounding: Rounding): (typeof integralNames)[keyof typeof integralNames] {
  if (!hasIntegralName(rounding)) throw new Error(`no instruction rounds in mode ${rounding}`);
  return integralNames[rounding];
}

/**
 * Whether a WebAssembly instruction rounds to an integer as the conversion requires. Under .ftz, a subnormal number
 * must become 0, so modes that can round it away from zero are excluded.
 */
function roundsShortly(c: Conversion): boolean {
  const rounding = roundingOf(c);
  if (c.scaled !== null || c.relu || c.positiveZero || !hasIntegralName(rounding)) return false;
  return !c.flush || rounding === 'rn' || rounding === 'rz';
}

function resize(from: FixedFormat, to: FixedFormat): Writer {
  const target = holder(to.width);
  return (step, { code, values }) => {
    values.get(step.from, target);
    if (from.signed && to.width > from.width) signExtendIn(code, target, from.width);
    maskTo(code, target, to.width);
    values.set(step.to, target);
  };
}

function fromInteger(from: FixedFormat, to: FloatName): Writer {
  const type = holder(from.width);
  const bits = to === 'f32' ? 'i32.reinterpret_f32' : 'i64.reinterpret_f64';
  return (step, { code, values }) => {
    values.get(step.from, type);
    if (from.signed) signExtendIn(code, type, from.width);
    code.op(`${to}.convert_${type}_${from.signed ? 's' : 'u'}`, bits);
    values.set(step.to, to === 'f32' ? 'i32' : 'i64');
  };
}

function toInteger(from: FloatName, to: FixedFormat): Writer {
  const target = holder(to.width);
  return (step, lowering) => {
    const rounding = roundingOf(step.conversion);
    replaceNan(step, from, lowering, (code, value) => {
      code.get(value);
      // The conversion instruction itself truncates.
      if (rounding !== 'rz') code.op(`${from}.${integralName(rounding)}`);
      code.truncate(`${target}.trunc_sat_${from}_${to.signed ? 's' : 'u'}`);
    });
  };
}

function makeIntegral(type: FloatName): Writer {
  return (step, lowering) => {
    replaceNan(step, type, lowering, (code, value) => {
      code.get(value).op(`${type}.${integralName(roundingOf(step.conversion))}`);
      code.op(type === 'f32' ? 'i32.reinterpret_f32' : 'i64.reinterpret_f64');
    });
  };
}

function betweenFloats(from: FloatName): Writer {
  return (step, lowering) => {
    replaceNan(step, from, lowering, (code, value) => {
      code.get(value);
      if (from === 'f32') code.op('f64.promote_f32', 'i64.reinterpret_f64');
      else code.op('f32.demote_f64', 'i32.reinterpret_f32');
    });
  };
}

/**
 * Writes a conversion. `push` takes the local that holds the source value, and pushes the result. If the source is a
 * NaN, the function in convert.ts computes the result instead.
 */
function replaceNan(
  { conversion, from, to }: StepOf<'convert'>,
  type: FloatName,
  { code, values, helpers }: Lowering,
  push: (code: Code, value: number) => void,
): void {
  const [source, target] = [holder(formats[conversion.from].width), holder(formats[conversion.to].width)];
  const [value, result] = [values.temporary(type), values.temporary(target)];
  values.get(from, source);
  code.op(type === 'f32' ? 'f32.reinterpret_i32' : 'f64.reinterpret_i64').set(value);
  push(code, value);
  code.set(result);
  code.get(value).get(value).op(`${type}.ne`);
  code.unlikely().if(() => {
    values.get(from, source);
    code.i32(0).i32(unscaled).call(converter(helpers, conversion)).set(result);
  });
  code.get(result);
  values.set(to, target);
}
