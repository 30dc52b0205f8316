/**
 * The steps of approximate instructions on an H200: ptxas lowers them to an instruction of the special function unit
 * and arithmetic around it. Without .ftz, the operands and results are scaled, because the unit treats subnormal
 * numbers as zeros. The results were recorded for all arguments of each instruction with one operand.
 */
import { plainConversion } from '../../../numerics/conversion.ts';
import type { MufuFunction } from '../../../numerics/mufu-tables.ts';
import { plainMode } from '../../../numerics/operations.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { has, slotType } from '../../variant.ts';
import { lanewise } from '../comparison/lanewise.ts';
import { bits, compare, constant, select } from '../integer/steps.ts';
import { formatOf } from './steps.ts';

type Steps = InstructionForm['steps'];

/** Creates the steps with `recorded` if the GPU's approximate functions have been recorded; otherwise with `plain`. */
export function approximation(plain: Steps, recorded: (variant: Variant) => readonly Step[]): Steps {
  return (variant, environment) =>
    environment.gpu.recorded === 'sm_90' ? recorded(variant) : plain(variant, environment);
}

const unit = (fn: MufuFunction, to: Ref, from: Ref): Step => ({ kind: 'mufu', fn, to, from });

function multiply(to: Ref, a: Ref, b: Ref, flush = false): Step {
  return { kind: 'float', fn: 'mul', format: 'f32', mode: { ...plainMode, flush }, to, from: [a, b] };
}

const isFlushed = (variant: Variant): boolean => has(variant, '.ftz');

/** The bits of f32 numbers. */
const single = {
  leastNormal: 0x00800000,
  '2^126': 0x7e800000,
  '-126': 0xc2fc0000,
  '2^16': 0x47800000,
  '2^24': 0x4b800000,
  '2^12': 0x45800000,
  '2^-12': 0x39800000,
  '2^-2': 0x3e800000,
  '2^-1': 0x3f000000,
  '1': 0x3f800000,
  '-24': 0xc1c00000,
  '-0': 0x80000000,
} as const;

type SingleName = keyof typeof single;

const refOf = (name: SingleName): Ref => `$f32(${name})`;

const number = (name: SingleName): Step => constant(refOf(name), single[name]);

/** Sets the predicate `to` if the magnitude of an f32 value is below the smallest normal number. */
function isSmall(to: Ref, from: Ref): readonly Step[] {
  return [
    constant('$all', 0x7fffffff),
    bits('and', 32, '$magnitude', from, '$all'),
    constant('$least', single.leastNormal),
    compare('lt', 'u32', to, '$magnitude', '$least'),
  ];
}

/** Sets `$huge` if the magnitude that `isSmall` has computed is above 2^126. */
const isHuge: readonly Step[] = [number('2^126'), compare('gt', 'u32', '$huge', '$magnitude', refOf('2^126'))];

/** Sets `to` to one of two numbers, depending on a condition. */
function either(to: Ref, condition: Ref, yes: SingleName, no: SingleName): readonly Step[] {
  return [number(yes), number(no), select(to, condition, refOf(yes), refOf(no))];
}

// --- f32 ------------------------------------------------------------------------------------------------------------

/** A function that the special function unit computes in one instruction. */
export const direct: (fn: MufuFunction) => (variant: Variant) => readonly Step[] = (fn) => () => [unit(fn, '$d', '$a')];

/** Sets `$factor` to 2^24 if `of` is subnormal, to 2^-2 if its magnitude is above 2^126, and otherwise to 1. */
function factorFor(of: Ref): readonly Step[] {
  return [
    ...isSmall('$small', of),
    ...isHuge,
    ...either('$less', '$huge', '2^-2', '1'),
    number('2^24'),
    select('$factor', '$small', refOf('2^24'), '$less'),
  ];
}

/** Sets `$factor` to 2^24 if `of` is subnormal, and otherwise to 1. Sets `$small` if `of` is subnormal. */
function factorForSmall(of: Ref): readonly Step[] {
  return [...isSmall('$small', of), ...either('$factor', '$small', '2^24', '1')];
}

export function reciprocalSteps(variant: Variant): readonly Step[] {
  if (isFlushed(variant)) return [unit('rcp', '$d', '$a')];
  return [
    ...factorFor('$a'),
    multiply('$scaled', '$a', '$factor'),
    unit('rcp', '$r', '$scaled'),
    multiply('$d', '$r', '$factor'),
  ];
}

/** Computes a root. Subnormal operands are multiplied by 2^24, and the results by 2^12 or 2^-12. */
function rootSteps(fn: 'sqrt' | 'rsqrt', back: SingleName): (variant: Variant) => readonly Step[] {
  return (variant) => {
    if (isFlushed(variant)) return [unit(fn, '$d', '$a')];
    return [
      ...factorForSmall('$a'),
      multiply('$scaled', '$a', '$factor'),
      unit(fn, '$root', '$scaled'),
      ...either('$back', '$small', back, '1'),
      multiply('$d', '$root', '$back'),
    ];
  };
}

export const squareRootSteps: (variant: Variant) => readonly Step[] = rootSteps('sqrt', '2^-12');
export const reciprocalRootSteps: (variant: Variant) => readonly Step[] = rootSteps('rsqrt', '2^12');

export function logarithmSteps(variant: Variant): readonly Step[] {
  if (isFlushed(variant)) return [unit('lg2', '$d', '$a')];
  return [
    ...factorForSmall('$a'),
    multiply('$scaled', '$a', '$factor'),
    unit('lg2', '$log', '$scaled'),
    ...either('$change', '$small', '-24', '-0'),
    { kind: 'float', fn: 'add', format: 'f32', mode: plainMode, to: '$d', from: ['$log', '$change'] },
  ];
}

/** For operands below -126, the result is the square of the result for half the operand. */
export function powerSteps(variant: Variant): readonly Step[] {
  if (isFlushed(variant)) return [unit('ex2', '$d', '$a')];
  return [
    number('-126'),
    { kind: 'compare', comparison: 'lt', type: 'f32', flush: false, to: '$low', from: ['$a', refOf('-126')] },
    ...either('$factor', '$low', '2^-1', '1'),
    multiply('$scaled', '$a', '$factor'),
    unit('ex2', '$power', '$scaled'),
    multiply('$square', '$power', '$power'),
    select('$d', '$low', '$square', '$power'),
  ];
}

/** Computes a * (1 / b). Without .ftz, a and b are multiplied by 2^24 if b is subnormal. */
export function divisionSteps(variant: Variant): readonly Step[] {
  if (isFlushed(variant)) return [unit('rcp', '$r', '$b'), multiply('$d', '$a', '$r', true)];
  return [...factorForSmall('$b'), ...scaledQuotient(false)];
}

/** Like `divisionSteps`, but also multiplies a and b by 2^-2 if the magnitude of b is above 2^126. */
export function fullDivisionSteps(variant: Variant): readonly Step[] {
  if (!isFlushed(variant)) return [...factorFor('$b'), ...scaledQuotient(false)];
  return [...isSmall('$small', '$b'), ...isHuge, ...either('$factor', '$huge', '2^-2', '1'), ...scaledQuotient(true)];
}

function scaledQuotient(flush: boolean): readonly Step[] {
  return [
    multiply('$dividend', '$a', '$factor', flush),
    multiply('$divisor', '$b', '$factor', flush),
    unit('rcp', '$r', '$divisor'),
    multiply('$d', '$r', '$dividend', flush),
  ];
}

// --- f16 and bf16 ---------------------------------------------------------------------------------------------------

/**
 * Applies an f32 function to each lane and truncates the result to the lane's format. Results of at least 2^16 become
 * infinite in f16.
 */
export function halfSteps(fn: 'ex2' | 'tanh'): (variant: Variant) => readonly Step[] {
  return (variant) => {
    const format = formatOf(variant);
    const widen = { ...plainConversion(format, 'f32'), rounding: null };
    const narrow = { ...plainConversion('f32', format), rounding: 'rz' as const };
    return lanewise(slotType(variant, 0), ['$a'], (of) => [
      { kind: 'convert', conversion: widen, to: of('$wide'), from: of('$a'), random: null, scale: null },
      unit(fn, of('$result'), of('$wide')),
      { kind: 'convert', conversion: narrow, to: of('$cut'), from: of('$result'), random: null, scale: null },
      number('2^16'),
      {
        kind: 'compare',
        comparison: 'ge',
        type: 'f32',
        flush: false,
        to: of('$over'),
        from: [of('$result'), refOf('2^16')],
      },
      constant('$infinity', format === 'f16' ? 0x7c00 : 0x7f80),
      select(of('$d'), of('$over'), format === 'f16' ? '$infinity' : of('$cut'), of('$cut')),
    ]);
  };
}

// --- f64 ------------------------------------------------------------------------------------------------------------

/**
 * The unit reads the upper half of the operand and returns the upper half of the result; the lower half of the result
 * is zero.
 */
export const upperHalfSteps: (fn: 'rcp64h' | 'rsqrt64h') => (variant: Variant) => readonly Step[] = (fn) => () => [
  { kind: 'extract', to: '$upper', from: '$a', low: 32, width: 32 },
  unit(fn, '$result', '$upper'),
  constant('$zero', 0),
  { kind: 'pack', to: '$d', from: ['$result', '$zero'], lane: 32, stride: 32 },
];
