/** Converts one value from one format to another, as `cvt` does in each lane. */
import { type Bits, chop } from '../base/bits.ts';
import { type Conversion, flushesInput, flushesUnrounded } from './conversion.ts';
import { type Patterns, patternsOf } from './encode.ts';
import { type Decoder, decoder, type Finite, finite, madeNan, power } from './exact.ts';
import { type Causes, finish, finishZero, type Target } from './finish.ts';
import { floatFormat, formats, type FormatName, type IntegerName } from './formats.ts';
import { integerConversion } from './integers.ts';
import { type Cause, type NanPolicy, nanPolicyOf, overflowPolicyOf, truncatedNan } from './policy.ts';
import { gridOf, withoutLowest } from './round.ts';

/**
 * Converts bits of the source format to bits of the destination format. `random` contains the random bits of the lane,
 * and `scale` contains the lane's ue8m0 scale. A conversion ignores `random` or `scale` if it does not need it.
 */
export type Converter = (source: Bits, random: number, scale: number) => Bits;

/**
 * Everything about a conversion that does not depend on the converted value. It is determined once and then used for
 * all values.
 */
interface Plan {
  readonly decode: Decoder;
  readonly target: Target;
  /** The result for a NaN if it depends on all bits of the NaN; otherwise null. */
  readonly moveNan: ((source: Bits) => Bits) | null;
  /** Values with a significand below this number are flushed; 0 if none are. */
  readonly leastSignificand: number;
  readonly dropSign: boolean;
  /** The value is 1 if values are multiplied by the scale, -1 if they are divided by it, and 0 if there is no scale. */
  readonly scaling: 1 | 0 | -1;
}

const made = new WeakMap<Conversion, Converter>();

/** The conversion as a function, for callers that convert many values. */
export function conversion(c: Conversion): Converter {
  const found = made.get(c);
  if (found !== undefined) return found;
  const converter = makeConverter(c);
  made.set(c, converter);
  return converter;
}

function makeConverter(c: Conversion): Converter {
  if (isInteger(c.from) && isInteger(c.to)) {
    const convertInteger = integerConversion(c.from, c.to, c.sat);
    return (source) => convertInteger(source);
  }
  const plan = makePlan(c);
  return (source, random, scale) => run(plan, source, random, scale, null);
}

/** Converts a single value. A `scale` of 0x7f stands for a factor of 1. */
export function convert(c: Conversion, source: Bits, random = 0, scale = 0x7f): Bits {
  return conversion(c)(source, random, scale);
}

/**
 * Converts a single value, and also returns the rules that affected the result, in the order in which they were
 * applied.
 */
export function trace(c: Conversion, source: Bits, random = 0, scale = 0x7f): { bits: Bits; causes: readonly Cause[] } {
  const causes: Cause[] = [];
  if (!isInteger(c.from) || !isInteger(c.to)) {
    return { bits: run(makePlan(c), source, random, scale, causes), causes };
  }
  const bits = convert(c, source);
  const back = integerConversion(c.to, c.from, false)(bits);
  const kept = back === chop(source, formats[c.from].width) && isNegative(c.from, source) === isNegative(c.to, bits);
  causes.push(kept ? 'exact' : c.sat ? 'clamped' : 'chopped');
  return { bits, causes };
}

function isNegative(name: IntegerName, bits: Bits): boolean {
  return formats[name].signed && bits >= 2 ** (formats[name].width - 1);
}

function isInteger(name: FormatName): name is IntegerName {
  return formats[name].kind === 'integer';
}

function makePlan(c: Conversion): Plan {
  const format = formats[c.to];
  const toFloat = format.kind === 'float';
  const to = patternsOf(c.to);
  const nan = nanPolicyOf(c).name;
  const flush = c.flush && c.to === 'f32';
  const target: Target = {
    to,
    grid: flush && flushesUnrounded(c) ? withoutLowest(gridOf(c.to)) : gridOf(c.to, c.integral),
    // Only two kinds of conversions may have no rounding mode: exact conversions, and conversions between f16 and bf16,
    // for which ptxas uses rn.
    rounding: c.rounding ?? 'rn',
    randomBits: c.randomBits,
    overflow: overflowPolicyOf(c).name,
    sat: c.sat && toFloat,
    relu: c.relu,
    positiveZero: c.positiveZero,
    flush,
    leastNormal: power(-126),
    zeroless: toFloat && !format.subnormals,
    nan: nanBits(nan, to, format.width),
    payload: nan === 'quieted' ? 'quieted' : nan === 'shifted' ? 'kept' : 'lost',
  };
  return {
    decode: decoder(c.from),
    target,
    moveNan: nanMover(nan, c),
    leastSignificand: flushesInput(c) ? 2 ** floatFormat(c.from).fractionBits : 0,
    dropSign: toFloat && !format.signed,
    scaling: c.scaled === null ? 0 : c.scaled === 'multiply' ? 1 : -1,
  };
}

function nanMover(policy: NanPolicy, c: Conversion): ((source: Bits) => Bits) | null {
  if (policy === 'unchanged') return (source) => source;
  if (policy !== 'truncated') return null;
  return (source) => truncatedNan(Number(source), c);
}

/** The result of converting a NaN, for policies that ignore the payload of the NaN. */
function nanBits(policy: NanPolicy, to: Patterns, width: number): Bits {
  switch (policy) {
    case 'zero':
      return to.zero[0];
    case 'max-norm':
      return to.largest[0];
    case 'top-bit':
      return to.encode(0, 1, width - 1);
    case 'widened':
      return 0x7fffffffe0000000n;
    case 'upper-ones':
      return 0x7fffe000;
    case 'unchanged':
    case 'truncated':
    case 'shifted':
    case 'quieted':
    case 'canonical':
      return to.canonicalNan ?? to.zero[0];
  }
}

function run(plan: Plan, source: Bits, random: number, scale: number, causes: Causes): Bits {
  let value = plan.decode(source);
  if (plan.scaling !== 0 && scale === 0xff) {
    causes?.push('scale-nan');
    value = madeNan;
  }
  if (value.kind === 'finite') {
    if (value.significand < plan.leastSignificand) {
      causes?.push('flushed-input');
      return finishZero(plan.target, value.sign, causes);
    }
    if (plan.scaling !== 0 && scale !== 0x7f) value = applyScale(value, plan.scaling * (scale - 0x7f), causes);
    if (plan.dropSign && value.sign === 1) value = dropSign(value, causes);
  } else if (value.kind === 'nan' && plan.moveNan !== null) {
    causes?.push('nan');
    return plan.moveNan(source);
  }
  return finish(plan.target, value, random, causes);
}

function applyScale(value: Finite, shift: number, causes: Causes): Finite {
  causes?.push('scaled');
  return finite(value.sign, value.significand, value.exponent + shift, value.tail);
}

function dropSign(value: Finite, causes: Causes): Finite {
  causes?.push('sign-ignored');
  return finite(0, value.significand, value.exponent, value.tail);
}
