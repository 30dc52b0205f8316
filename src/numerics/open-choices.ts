/**
 * Points that the specification leaves open, with the choice made here, so that a reader of a result can see what it
 * depends on. `measured` as in policy.ts; `assumed` if it cannot be settled without the hardware.
 */
import type { Conversion } from './conversion.ts';
import { type FormatName, formats } from './formats.ts';
import type { FloatArithmeticFormat, FloatFunction, FloatMode } from './operations.ts';
import { hasNan } from './policy.ts';

export interface Choice {
  readonly id: string;
  readonly title: string;
  readonly choice: string;
  readonly evidence: string;
}

export interface OpenChoice extends Choice {
  /** Whether some input of the conversion depends on the choice. */
  readonly appliesTo: (c: Conversion) => boolean;
}

const isHalf = (name: string): boolean => name === 'f16' || name === 'bf16';
const isSmall = (name: FormatName): boolean => formats[name].width <= 8;
const isRandom = (c: Conversion): boolean => c.rounding === 'rs';
/** An input can be a NaN, and neither `.sat` nor `.relu` decides the result. */
const passesNan = (c: Conversion): boolean => hasNan(formats[c.from]) && !c.sat && !c.relu;

/** Open choices of conversions, in the order of the ISA's chapter. */
export const openChoices: readonly OpenChoice[] = [
  {
    id: 'unrounded-half',
    title: 'rounding of cvt between f16 and bf16 without a modifier',
    choice: 'rn',
    evidence: 'measured: ptxas 13.0 encodes both spellings alike; PTX ISA 9.7.9.21 demands a modifier',
    appliesTo: (c) => isHalf(c.from) && isHalf(c.to) && c.from !== c.to && c.rounding === null,
  },
  {
    id: 'nan-half',
    title: 'bits of a NaN between f16 and bf16, and of one that stays in its half format',
    choice: '0x7fff, sign and payload dropped, also where a plain move could keep them',
    evidence: 'measured: ptxas 13.0 lowers these to arithmetic instructions, which make canonical NaNs',
    appliesTo: (c) => isHalf(c.from) && isHalf(c.to) && passesNan(c),
  },
  {
    id: 'nan-f32-bf16',
    title: 'bits of a NaN in cvt.f32.bf16',
    choice: '0x7fffffff',
    evidence: 'PTX ISA 9.7.9.21, notes: unspecified; measured: folded by ptxas without a modifier and with rn',
    appliesTo: (c) => c.from === 'bf16' && c.to === 'f32' && passesNan(c),
  },
  {
    id: 'nan-f64',
    title: 'payload of a NaN widened to f64',
    choice: 'through 0x7fffffff from f16, bf16 and under .ftz; from f32 sign and payload kept, quiet',
    evidence: 'measured: folded by ptxas, which may follow its host here',
    appliesTo: (c) => c.to === 'f64' && c.from !== 'f64' && passesNan(c),
  },
  {
    id: 'nan-f32-f64',
    title: 'payload of a NaN narrowed from f64 to f32',
    choice: 'sign and leading payload bits kept, quiet',
    evidence: 'measured: folded by ptxas, which may follow its host here',
    appliesTo: (c) => c.from === 'f64' && c.to === 'f32' && passesNan(c),
  },
  {
    id: 'nan-same-format',
    title: 'a NaN in cvt.f32.f32 and cvt.f64.f64',
    choice: 'every bit kept, a signalling NaN stays one; quiet under .ftz',
    evidence: 'measured: folded by ptxas, lowered to a move; with .ftz to an addition that might make 0x7fffffff',
    appliesTo: (c) => c.from === c.to && !isHalf(c.to) && !c.integral && passesNan(c),
  },
  {
    id: 'nan-integral',
    title: 'a NaN rounded to an integral value in its own format',
    choice: 'canonical in f16, bf16 and f32; in f64 sign and payload kept, quiet',
    evidence: 'assumed',
    appliesTo: (c) => c.integral && formats[c.to].kind === 'float' && passesNan(c),
  },
  {
    id: 'nan-tf32',
    title: 'bits of a NaN in tf32',
    choice: '0x7fffffff, with .satfinite too',
    evidence: 'assumed; PTX ISA 9.7.9.21, .satfinite: NaN stays NaN; ptxas folds .rna by cutting the payload',
    appliesTo: (c) => c.to === 'tf32' && hasNan(formats[c.from]),
  },
  {
    id: 'nan-random',
    title: 'bits of a NaN in f16 and bf16 under .rs',
    choice: '0x7fff',
    evidence: 'assumed, like the other roundings',
    appliesTo: (c) => isRandom(c) && isHalf(c.to),
  },
  {
    id: 'ftz-boundary',
    title: '.ftz where rounding alone reaches the smallest normal f32',
    choice: 'the rounded result decides: a value that rounds to 2^-126 is kept',
    evidence: 'measured: ptxas 13.0 lowers to a conversion and a later flush; its own folding flushes',
    appliesTo: (c) => c.flush && c.from === 'f64' && c.to === 'f32' && c.rounding !== 'rz',
  },
  {
    id: 'relu-zero',
    title: '.relu and -0, and negative values that round to -0',
    choice: '+0',
    evidence: 'assumed; PTX ISA 9.7.9.21 says only that a negative result becomes 0',
    appliesTo: (c) => c.relu,
  },
  {
    id: 'random-alignment',
    title: 'where the random bits of .rs lie when more bits are discarded than there are random bits',
    choice: 'directly under the last bit kept, on the magnitude; bits below them never carry',
    evidence: 'assumed; for normal f16 and bf16 results both counts are equal and nothing is open',
    appliesTo: (c) => isRandom(c),
  },
  {
    id: 'random-overflow',
    title: 'a carry of .rs past the largest value',
    choice: 'infinity, or MAX_NORM with .satfinite',
    evidence: 'assumed',
    appliesTo: (c) => isRandom(c),
  },
  {
    id: 'random-lanes-fp4',
    title: 'which bytes of rbits belong to which operand for e2m1x4',
    choice: 'a bits 31..24, b bits 15..8, e bits 23..16, f bits 7..0',
    evidence: 'assumed, like f16x2; PTX ISA 9.7.9.21: a and b take the high, e and f the low bytes of both halves',
    appliesTo: (c) => isRandom(c) && c.to === 'e2m1',
  },
  {
    id: 'random-shared',
    title: 'random bits that two operands share in the fp8 and fp6 forms',
    choice: 'a and b both use bits 31..16 of rbits, e and f bits 15..0',
    evidence: 'PTX ISA 9.7.9.21, random bits layout; not executed',
    appliesTo: (c) => isRandom(c) && isSmall(c.to) && c.to !== 'e2m1',
  },
  {
    id: 's2f6-lowest',
    title: 's2f6 below -MAX_NORM',
    choice: '0x81, which is -1.984375: 0x80 is never produced, even from -2',
    evidence: "assumed from the wording of PTX ISA 9.7.9.21, .satfinite; a two's complement clamp would give 0x80",
    appliesTo: (c) => c.to === 's2f6' && !c.relu,
  },
  {
    id: 's2f6-overflow',
    title: 'the product of -2 in s2f6 and the scale 2^127 in bf16',
    choice: '-infinity, or -MAX_NORM with .satfinite',
    evidence: 'assumed, by IEEE 754 overflow',
    appliesTo: (c) => c.from === 's2f6' && !c.relu,
  },
];

export interface ArithmeticChoice extends Choice {
  readonly appliesTo: (fn: FloatFunction, format: FloatArithmeticFormat, mode: FloatMode) => boolean;
}

const signOnly = (fn: FloatFunction): boolean => fn === 'neg' || fn === 'abs';
const choosing = (fn: FloatFunction): boolean => fn === 'min' || fn === 'max';

/** Open choices of floating-point instructions. */
export const arithmeticChoices: readonly ArithmeticChoice[] = [
  {
    id: 'nan-result',
    title: 'bits of a NaN result in f16, bf16 and f32',
    choice: '0x7fff and 0x7fffffff, whatever the operands',
    evidence: 'PTX ISA 9.7.3: unspecified; measured: add.f32 folded by ptxas',
    appliesTo: (fn, format) => format !== 'f64' && !signOnly(fn),
  },
  {
    id: 'nan-result-f64',
    title: 'bits of a NaN result in f64',
    choice: 'the first NaN operand, made quiet; 0xfff8000000000000 if no operand is one',
    evidence: "PTX ISA 9.7.3: payloads are supported in f64; the NaN of CUDA's math_constants.h; the order is assumed",
    appliesTo: (fn, format) => format === 'f64' && !signOnly(fn),
  },
  {
    id: 'nan-sign',
    title: 'neg and abs of a NaN',
    choice: 'f16 and bf16: 0x7fff; f32: sign changed, payload kept, quiet; f64: sign changed, all else kept',
    evidence: 'PTX ISA 9.7.3: unspecified; measured: folded by ptxas',
    appliesTo: signOnly,
  },
  {
    id: 'ftz-result',
    title: '.ftz where rounding on the subnormal grid would reach the smallest normal',
    choice: 'flushed: the result counts as rounded without a lowest exponent',
    evidence: 'measured: mul.ftz.f32 folded by ptxas',
    appliesTo: (fn, _format, mode) => mode.flush && !signOnly(fn) && !choosing(fn),
  },
  {
    id: 'sin-subnormal',
    title: 'sin of a subnormal without .ftz',
    choice: 'zero of its sign',
    evidence: 'measured: sin.approx.f32 folded by ptxas',
    appliesTo: (fn, _format, mode) => fn === 'sin' && !mode.flush,
  },
  {
    id: 'approximate',
    title: 'results of .approx and .full',
    choice:
      'the special values of the ISA, else the exact result rounded to nearest; the hardware may differ by the stated error',
    evidence: 'PTX ISA 9.7.3; measured: div.approx.f32 by a divisor above 2^126 folded by ptxas',
    appliesTo: (fn, _format, mode) => mode.approximate || fn === 'div.full' || fn === 'rsqrt',
  },
];

/** Open choices of integer instructions: only `div` and `rem` have one. */
export const divisionByZero: Choice = {
  id: 'division-by-zero',
  title: 'div and rem by zero',
  choice: 'all ones, signed and unsigned alike',
  evidence: 'PTX ISA 9.7.1: unspecified; measured: folded by ptxas for 16- and 32-bit types',
};
