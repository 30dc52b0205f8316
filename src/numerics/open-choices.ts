/**
 * Lists the points that the specification leaves open, and the choices that ptxlab makes, so that users can see which
 * choices affect a result. `measured` is explained in policy.ts; `assumed` means that only a test on hardware could
 * settle the question.
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
  /** Whether the result of the conversion depends on the choice for at least one input. */
  readonly appliesTo: (c: Conversion) => boolean;
}

const isHalf = (name: string): boolean => name === 'f16' || name === 'bf16';
const isSmall = (name: FormatName): boolean => formats[name].width <= 8;
const isRandom = (c: Conversion): boolean => c.rounding === 'rs';
/** Whether the input can be a NaN for which neither `.sat` nor `.relu` determines the result. */
const passesNan = (c: Conversion): boolean => hasNan(formats[c.from]) && !c.sat && !c.relu;

/** The choices that the ISA leaves open for conversions, in the same order as in the ISA. */
export const openChoices: readonly OpenChoice[] = [
  {
    id: 'unrounded-half',
    title: 'rounding of cvt between f16 and bf16 without a modifier',
    choice: 'rn',
    evidence:
      'measured: ptxas 13.0 generates the same code as with .rn; section 9.7.9.21 of PTX ISA 9.1 requires a modifier',
    appliesTo: (c) => isHalf(c.from) && isHalf(c.to) && c.from !== c.to && c.rounding === null,
  },
  {
    id: 'nan-half',
    title: 'bits of a NaN converted between f16 and bf16, or from one of them to itself',
    choice: '0x7fff; sign and payload are dropped, even where a plain move could keep them',
    evidence:
      'measured: ptxas 13.0 lowers these to arithmetic instructions, which produce canonical NaNs; recorded on an H200',
    appliesTo: (c) => isHalf(c.from) && isHalf(c.to) && passesNan(c),
  },
  {
    id: 'nan-f32-bf16',
    title: 'bits of a NaN in cvt.f32.bf16',
    choice: '0x7fffffff; on sm_90, the bits of the NaN followed by zeros, or 0x7fffffff under .ftz',
    evidence:
      'PTX ISA 9.1, section 9.7.9.21, notes: unspecified; measured: constant folding by ptxas, without a modifier and with .rn; recorded on an H200',
    appliesTo: (c) => c.from === 'bf16' && c.to === 'f32' && passesNan(c),
  },
  {
    id: 'nan-f64',
    title: 'payload of a NaN widened to f64',
    choice:
      'under .ftz, and from f16 and bf16 except on sm_90: 0x7fffffff, widened to f64; otherwise, sign and payload kept, made quiet',
    evidence: 'measured: constant folding by ptxas; recorded on an H200',
    appliesTo: (c) => c.to === 'f64' && c.from !== 'f64' && passesNan(c),
  },
  {
    id: 'nan-f32-f64',
    title: 'payload of a NaN narrowed from f64 to f32',
    choice: 'sign and leading payload bits kept, made quiet',
    evidence: 'measured: constant folding by ptxas; recorded on an H200',
    appliesTo: (c) => c.from === 'f64' && c.to === 'f32' && passesNan(c),
  },
  {
    id: 'nan-half-f64',
    title: 'bits of a NaN narrowed from f64 to f16 or bf16',
    choice: '0x7fff; on sm_90, sign and leading payload bits kept, made quiet',
    evidence: 'measured: header code and constant folding by ptxas; recorded on an H200',
    appliesTo: (c) => c.from === 'f64' && isHalf(c.to) && passesNan(c),
  },
  {
    id: 'nan-same-format',
    title: 'a NaN in cvt.f32.f32 and cvt.f64.f64',
    choice: 'every bit kept, so a signaling NaN stays signaling; under .ftz, made quiet, or 0x7fffffff on sm_90',
    evidence: 'measured: constant folding by ptxas; recorded on an H200',
    appliesTo: (c) => c.from === c.to && !isHalf(c.to) && !c.integral && passesNan(c),
  },
  {
    id: 'nan-integral',
    title: 'a NaN rounded to an integral value in its own format',
    choice: 'canonical in f16, bf16 and f32; in f64, sign and payload kept, made quiet',
    evidence: 'measured: recorded on an H200',
    appliesTo: (c) => c.integral && formats[c.to].kind === 'float' && passesNan(c),
  },
  {
    id: 'nan-tf32',
    title: 'bits of a NaN in tf32',
    choice: '0x7fffffff, also with .satfinite. On sm_90: 0x7fffe000; under .rna, the upper 19 bits of the NaN',
    evidence:
      'PTX ISA 9.1, section 9.7.9.21, .satfinite: NaN stays NaN; measured: ptxas truncates the payload when it folds .rna; recorded on an H200',
    appliesTo: (c) => c.to === 'tf32' && hasNan(formats[c.from]),
  },
  {
    id: 'nan-random',
    title: 'bits of a NaN in f16 and bf16 under .rs',
    choice: '0x7fff',
    evidence: 'assumed to be the same as for the other rounding modes',
    appliesTo: (c) => isRandom(c) && isHalf(c.to),
  },
  {
    id: 'ftz-boundary',
    title: '.ftz if a result is rounded up to the smallest normal f32',
    choice:
      'only a result that is subnormal after rounding is flushed, so a value that rounds to 2^-126 is kept; on sm_90, a result is flushed if, rounded with an unlimited exponent, it would be less than 2^-126',
    evidence: 'measured: constant folding by ptxas; recorded on an H200',
    appliesTo: (c) => c.flush && c.from === 'f64' && c.to === 'f32' && c.rounding !== 'rz',
  },
  {
    id: 'relu-zero',
    title: '.relu and -0, and negative values that round to -0',
    choice: '+0',
    evidence: 'assumed; section 9.7.9.21 of PTX ISA 9.1 says only that a negative result becomes 0',
    appliesTo: (c) => c.relu,
  },
  {
    id: 'random-alignment',
    title: 'position of the random bits of .rs if more bits are discarded than there are random bits',
    choice: 'directly below the last kept bit of the magnitude; discarded bits below the random bits have no effect',
    evidence:
      'assumed; for normal f16 and bf16 results, as many bits are discarded as there are random bits, so only one position is possible',
    appliesTo: (c) => isRandom(c),
  },
  {
    id: 'random-overflow',
    title: 'result of .rs if a carry exceeds the largest value',
    choice: 'infinity, or MAX_NORM with .satfinite',
    evidence: 'assumed',
    appliesTo: (c) => isRandom(c),
  },
  {
    id: 'random-lanes-fp4',
    title: 'which bytes of rbits belong to which operand in e2m1x4',
    choice: 'a bits 31..24, b bits 15..8, e bits 23..16, f bits 7..0',
    evidence:
      'assumed, as for f16x2; PTX ISA 9.1, section 9.7.9.21: a and b take the high bytes of both halves, e and f the low bytes',
    appliesTo: (c) => isRandom(c) && c.to === 'e2m1',
  },
  {
    id: 'random-shared',
    title: 'random bits that two operands share in the fp8 and fp6 forms',
    choice: 'a and b both use bits 31..16 of rbits, e and f bits 15..0',
    evidence: 'PTX ISA 9.1, section 9.7.9.21, layout of random bits; not tested on hardware',
    appliesTo: (c) => isRandom(c) && isSmall(c.to) && c.to !== 'e2m1',
  },
  {
    id: 's2f6-lowest',
    title: 's2f6 results below -MAX_NORM',
    choice: '0x81, which is -1.984375; 0x80 is never produced, not even from -2',
    evidence:
      "assumed from the wording of .satfinite in section 9.7.9.21 of PTX ISA 9.1; a two's complement clamp would give 0x80",
    appliesTo: (c) => c.to === 's2f6' && !c.relu,
  },
  {
    id: 's2f6-overflow',
    title: 'the product of -2 in s2f6 and the scale 2^127 in bf16',
    choice: '-infinity, or -MAX_NORM with .satfinite',
    evidence: 'assumed, following IEEE 754 overflow',
    appliesTo: (c) => c.from === 's2f6' && !c.relu,
  },
];

export interface ArithmeticChoice extends Choice {
  readonly appliesTo: (fn: FloatFunction, format: FloatArithmeticFormat, mode: FloatMode) => boolean;
}

const signOnly = (fn: FloatFunction): boolean => fn === 'neg' || fn === 'abs';
const choosing = (fn: FloatFunction): boolean => fn === 'min' || fn === 'max';

/** The choices that the ISA leaves open for floating-point instructions. */
export const arithmeticChoices: readonly ArithmeticChoice[] = [
  {
    id: 'nan-result',
    title: 'bits of a NaN result in f16, bf16 and f32',
    choice: '0x7fff or 0x7fffffff, regardless of the operands',
    evidence:
      'PTX ISA 9.1, section 9.7.3: unspecified; measured: constant folding of add.f32 by ptxas, and recorded on an H200',
    appliesTo: (fn, format) => format !== 'f64' && !signOnly(fn),
  },
  {
    id: 'nan-result-f64',
    title: 'bits of a NaN result in f64',
    choice:
      'the last NaN operand, made quiet, but b before c in an fma, and the first one in a division; 0xfff8000000000000 if no operand is a NaN',
    evidence: 'PTX ISA 9.1, section 9.7.3: f64 supports payloads; measured: recorded on an H200',
    appliesTo: (fn, format) => format === 'f64' && !signOnly(fn),
  },
  {
    id: 'nan-sign',
    title: 'neg and abs of a NaN',
    choice: 'f16 and bf16: 0x7fff; f32: 0x7fffffff; f64: made quiet, the sign stays as it is',
    evidence: 'PTX ISA 9.1, section 9.7.3: unspecified; measured: recorded on an H200',
    appliesTo: signOnly,
  },
  {
    id: 'ftz-result',
    title: '.ftz if a result is rounded up to the smallest normal value',
    choice: 'flushed if the result, rounded as if exponents had no lower limit, is below the smallest normal value',
    evidence: 'measured: constant folding of mul.ftz.f32 by ptxas',
    appliesTo: (fn, _format, mode) => mode.flush && !signOnly(fn) && !choosing(fn),
  },
  {
    id: 'sin-subnormal',
    title: 'sin of a subnormal without .ftz',
    choice: 'zero with the same sign',
    evidence: 'measured: constant folding of sin.approx.f32 by ptxas',
    appliesTo: (fn, _format, mode) => fn === 'sin' && !mode.flush,
  },
  {
    id: 'approximate',
    title: 'results of .approx and .full',
    choice:
      'the special values that the ISA specifies, otherwise the exact result rounded to nearest; the hardware may differ by the stated error',
    evidence:
      'PTX ISA 9.1, section 9.7.3; measured: constant folding of div.approx.f32 by ptxas, with a divisor above 2^126',
    appliesTo: (fn, _format, mode) => mode.approximate || fn === 'div.full' || fn === 'rsqrt',
  },
];

/** The choice for approximate instructions on GPUs whose results have been recorded. */
export const recordedApproximation: Choice = {
  id: 'recorded-approximation',
  title: 'results of .approx and .full',
  choice: 'the results of an H200, bit for bit',
  evidence: 'measured: recorded on an H200, for all operands of each f32 instruction with one operand',
};

/** The choices that the ISA leaves open for integer instructions. There is only one, for `div` and `rem`. */
export const divisionByZero: Choice = {
  id: 'division-by-zero',
  title: 'div and rem by zero',
  choice: 'all ones, for signed and unsigned types',
  evidence: 'PTX ISA 9.1, section 9.7.1: unspecified; measured: constant folding of 16-bit and 32-bit types by ptxas',
};
