/** One value from one format to another: the meaning of one lane of `cvt`. */
import { chop, type Bits } from '../base/bits.ts';
import type { Conversion, Rounding } from './conversion.ts';
import { patternsOf, type Patterns } from './encode.ts';
import {
  decoder,
  finite,
  madeNan,
  noTail,
  half,
  power,
  type Decoder,
  type Exact,
  type Finite,
  type Sign,
} from './exact.ts';
import { formats, type FormatName, type IntegerName } from './formats.ts';
import { integerConversion } from './integers.ts';
import { type Cause, type NanPolicy, nanPolicyOf, type OverflowPolicy, overflowPolicyOf } from './policy.ts';
import { type Grid, gridOf, round, type Rounded } from './round.ts';

/**
 * Bits of the source format to bits of the destination format. `random`: this lane's random bits, `scale`: its ue8m0
 * scale; a conversion that has none ignores them.
 */
export type Converter = (source: Bits, random: number, scale: number) => Bits;

/** A conversion with everything that does not depend on the value looked up. */
interface Plan {
  readonly c: Conversion;
  readonly decode: Decoder;
  readonly to: Patterns;
  readonly grid: Grid;
  readonly rounding: Rounding;
  readonly nan: NanPolicy;
  readonly overflow: OverflowPolicy;
  readonly flushInput: boolean;
  readonly flushResult: boolean;
  readonly sat: boolean;
  readonly dropSign: boolean;
  /** 1 multiplies by the scale, -1 divides, 0 has none. */
  readonly scaling: 1 | 0 | -1;
}

/** The conversion as a function, for callers that convert many values. */
export function conversion(c: Conversion): Converter {
  const found = made.get(c);
  if (found !== undefined) return found;
  const converter = makeConverter(c);
  made.set(c, converter);
  return converter;
}

const made = new WeakMap<Conversion, Converter>();

function makeConverter(c: Conversion): Converter {
  if (isInteger(c.from) && isInteger(c.to)) {
    const convertInteger = integerConversion(c.from, c.to, c.sat);
    return (source) => convertInteger(source);
  }
  const plan = makePlan(c);
  return (source, random, scale) => run(plan, source, random, scale, null);
}

/** `conversion` for one value; `random` and `scale` as there, `scale` 0x7f being a factor of one. */
export function convert(c: Conversion, source: Bits, random = 0, scale = 0x7f): Bits {
  return conversion(c)(source, random, scale);
}

/** `convert` that also says, in order, what shaped the result. */
export function trace(c: Conversion, source: Bits, random = 0, scale = 0x7f): { bits: Bits; causes: readonly Cause[] } {
  const causes: Cause[] = [];
  if (!isInteger(c.from) || !isInteger(c.to)) return { bits: run(makePlan(c), source, random, scale, causes), causes };
  const bits = convert(c, source);
  if (chop(bits, 64) === chop(source, 64)) causes.push('exact');
  else causes.push(c.sat ? 'clamped' : 'chopped');
  return { bits, causes };
}

function isInteger(name: FormatName): name is IntegerName {
  return formats[name].kind === 'integer';
}

function makePlan(c: Conversion): Plan {
  const toFloat = formats[c.to].kind === 'float';
  return {
    c,
    decode: decoder(c.from),
    to: patternsOf(c.to),
    grid: gridOf(c.to, c.integral),
    rounding: c.rounding ?? 'rn',
    nan: nanPolicyOf(c).name,
    overflow: overflowPolicyOf(c).name,
    flushInput: c.flush && c.from === 'f32',
    flushResult: c.flush && c.to === 'f32',
    sat: c.sat && toFloat,
    dropSign: toFloat && !formats[c.to].signed,
    scaling: c.scaled === null ? 0 : c.scaled === 'multiply' ? 1 : -1,
  };
}

type Causes = Cause[] | null;

function run(plan: Plan, source: Bits, random: number, scale: number, causes: Causes): Bits {
  const value = plan.decode(source);
  if (plan.scaling !== 0 && scale === 0xff) {
    causes?.push('scale-nan');
    return fromNan(plan, source, madeNan, causes);
  }
  switch (value.kind) {
    case 'finite':
      return fromFinite(plan, value, random, scale, causes);
    case 'zero':
      causes?.push(plan.dropSign ? 'least' : 'exact');
      return fromZero(plan, value.sign, causes);
    case 'infinity':
      return fromInfinity(plan, value.sign, causes);
    case 'nan':
      return fromNan(plan, source, value, causes);
  }
}

function fromNan(plan: Plan, source: Bits, value: Exact, causes: Causes): Bits {
  causes?.push('nan');
  const { to, nan } = plan;
  const sign = value.kind === 'nan' ? value.sign : 0;
  switch (nan) {
    case 'zero':
      return to.zero[0];
    case 'max-norm':
      return to.largest[0];
    case 'top-bit':
      return to.encode(0, 1, formats[plan.c.to].width - 1);
    case 'unchanged':
      return source;
    case 'widened':
      return 0x7fffffffe0000000n;
    case 'quieted':
      return to.quietNan?.(sign, value.kind === 'nan' ? value.payload : 0) ?? to.zero[0];
    case 'canonical':
      return to.canonicalNan ?? to.zero[0];
  }
}

/** A zero, or what has become one. */
function fromZero(plan: Plan, sign: Sign, causes: Causes): Bits {
  return sign === 1 && clampsNegative(plan, causes) ? plan.to.zero[0] : plan.to.zero[sign];
}

/** True, and noted, where `.sat` or `.relu` turn a negative result into +0. */
function clampsNegative(plan: Plan, causes: Causes): boolean {
  if (!plan.sat && !plan.c.relu) return false;
  causes?.push(plan.sat ? 'saturated-low' : 'relu');
  return true;
}

function fromInfinity(plan: Plan, sign: Sign, causes: Causes): Bits {
  if (sign === 1 && clampsNegative(plan, causes)) return plan.to.zero[0];
  if (plan.sat) {
    causes?.push('saturated-high');
    return plan.to.one;
  }
  const { overflow, to } = plan;
  causes?.push(overflow === 'directed' ? 'infinity' : 'overflow');
  if (overflow === 'directed' && to.infinity !== null) return to.infinity[sign];
  if (overflow === 'nan') return to.canonicalNan ?? to.largest[0];
  return to.largest[sign];
}

const leastNormalF32 = power(-126);

function fromFinite(plan: Plan, source: Finite, random: number, scale: number, causes: Causes): Bits {
  // A normal f32 has all 24 bits of its significand.
  if (plan.flushInput && source.significand < 0x800000) {
    causes?.push('flushed-input');
    return fromZero(plan, source.sign, causes);
  }
  let { sign, exponent } = source;
  if (plan.dropSign && sign === 1) {
    causes?.push('sign-ignored');
    sign = 0;
  }
  if (plan.scaling !== 0) {
    if (scale !== 0x7f) causes?.push('scaled');
    exponent += plan.scaling * (scale - 0x7f);
  }
  const value =
    sign === source.sign && exponent === source.exponent
      ? source
      : finite(sign, source.significand, exponent, source.tail);
  const rounded = round(value, plan.grid, plan.rounding, random, plan.c.randomBits);
  if (causes !== null) causes.push(causeOf(plan.rounding, rounded));
  if (rounded.significand === 0) return fromVanished(plan, sign, causes);
  return fromRounded(plan, sign, rounded, causes);
}

function causeOf(rounding: Rounding, rounded: Rounded): Cause {
  if (rounded.tail === noTail) return 'exact';
  switch (rounding) {
    case 'rn':
      return rounded.tail === half ? 'tie-to-even' : 'nearest';
    case 'rna':
      return rounded.tail === half ? 'tie-away' : 'nearest';
    case 'rz':
      return 'toward-zero';
    case 'rm':
      return 'toward-negative';
    case 'rp':
      return 'toward-positive';
    case 'rs':
      return rounded.up ? 'random-carry' : 'random-stay';
  }
}

/** Not zero, but rounded to it. */
function fromVanished(plan: Plan, sign: Sign, causes: Causes): Bits {
  if (plan.dropSign) causes?.push('least');
  return fromZero(plan, sign, causes);
}

function fromRounded(plan: Plan, sign: Sign, rounded: Rounded, causes: Causes): Bits {
  const { to } = plan;
  const { significand, exponent } = rounded;
  if (sign === 1 && clampsNegative(plan, causes)) return to.zero[0];
  if (plan.sat && significand * power(exponent) > 1) {
    causes?.push('saturated-high');
    return to.one;
  }
  if (rounded.overflow) return fromOverflow(plan, sign, causes);
  if (plan.flushResult && significand * power(exponent) < leastNormalF32) {
    causes?.push('flushed-result');
    return to.zero[sign];
  }
  return to.encode(sign, significand, exponent);
}

function fromOverflow(plan: Plan, sign: Sign, causes: Causes): Bits {
  causes?.push('overflow');
  const { to, overflow, rounding } = plan;
  const towardZero = rounding === 'rz' || (rounding === 'rm' && sign === 0) || (rounding === 'rp' && sign === 1);
  if (overflow === 'directed' && !towardZero && to.infinity !== null) return to.infinity[sign];
  if (overflow === 'nan' && !towardZero) return to.canonicalNan ?? to.largest[0];
  return to.largest[sign];
}
