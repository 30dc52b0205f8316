/**
 * mad.f32 of sm_1x (PTX ISA 9.1, section 9.7.3.7). The product is truncated to its 24 leading bits, with no limit on
 * its exponent, and the sum is rounded to nearest. If c is 0, the product is rounded before c is added to it.
 * Subnormals are zeros.
 */
import { plainConversion } from '../../../numerics/conversion.ts';
import { type FloatFunction, type FloatMode, plainMode } from '../../../numerics/operations.ts';
import type { InstructionForm } from '../../form.ts';
import { has } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { bits, constant, select } from './steps.ts';

const mode: FloatMode = { ...plainMode, flush: true };

function float(fn: FloatFunction, format: 'f32' | 'f64', to: Ref, from: readonly Ref[], sat = false): Step {
  return { kind: 'float', fn, format, mode: { ...mode, flush: format === 'f32', sat }, to, from };
}

function convert(from: 'f32' | 'f64', to: 'f32' | 'f64', source: Ref, result: Ref): Step {
  const conversion = { ...plainConversion(from, to), rounding: to === 'f32' ? ('rn' as const) : null, flush: true };
  return { kind: 'convert', conversion, to: result, from: source, random: null, scale: null };
}

/**
 * The product is exact in f64. The sum is rounded twice, first to f64 and then to f32, which produces the same result
 * as rounding it once. The addition of -0 replaces a NaN with the canonical NaN.
 */
export const legacyMadSteps: InstructionForm['steps'] = (variant): readonly Step[] => {
  const sat = has(variant, '.sat');
  return [
    convert('f32', 'f64', '$a', '$wide.a'),
    convert('f32', 'f64', '$b', '$wide.b'),
    convert('f32', 'f64', '$c', '$wide.c'),
    float('mul', 'f64', '$exact', ['$wide.a', '$wide.b']),
    constant('$leading', -(2 ** 29), 64),
    bits('and', 64, '$cut', '$exact', '$leading'),
    float('add', 'f64', '$sum', ['$cut', '$wide.c']),
    convert('f64', 'f32', '$sum', '$rounded'),
    constant('$nothing', 0x80000000),
    float('add', 'f32', '$combined', ['$rounded', '$nothing'], sat),
    float('mul', 'f32', '$product', ['$a', '$b']),
    float('add', 'f32', '$separate', ['$product', '$c'], sat),
    constant('$zero', 0),
    { kind: 'compare', comparison: 'eq', type: 'f32', flush: true, to: '$isProduct', from: ['$c', '$zero'] },
    select('$d', '$isProduct', '$separate', '$combined'),
  ];
};
