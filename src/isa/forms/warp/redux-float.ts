/**
 * redux.sync on f32, computed with integer operations. Each float is mapped to an integer word, so that the words are
 * in the same order as the floats. In this order, -0 is below +0, and a NaN is either above or below all other values
 * (PTX ISA 9.1, section 9.7.13.12).
 */
import type { InstructionForm } from '../../form.ts';
import { has } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { bits, compare, constant, select } from '../integer/steps.ts';

const lowest = 0;
const highest = 0xffffffff;

/**
 * The steps that define constants. These steps run both before and after the collective operation, because values that
 * were computed before the operation are not available after it.
 */
const constants = (nanKey: number): readonly Step[] => [
  constant('$top', 31),
  constant('$sign', 0x80000000),
  constant('$nanKey', nanKey),
];

/** Converts the float in `value` to the word that it is mapped to, and stores the word in `key`. */
function toKey(value: Ref, nanKey: number): readonly Step[] {
  return [
    ...constants(nanKey),
    bits('shr.s', 32, '$negative', value, '$top'),
    bits('or', 32, '$flipped', '$negative', '$sign'),
    bits('xor', 32, '$ordered', value, '$flipped'),
    { kind: 'compare', comparison: 'nan', type: 'f32', flush: false, to: '$isNaN', from: [value, value] },
    select('$key', '$isNaN', '$nanKey', '$ordered'),
  ];
}

/**
 * Converts a word back to the float that is mapped to it, and stores the float in `d`. Any NaN becomes the canonical
 * NaN.
 */
const fromKey = (nanKey: number): readonly Step[] => [
  ...constants(nanKey),
  bits('shr.s', 32, '$positive', '$found', '$top'),
  bits('not', 32, '$below', '$positive'),
  bits('or', 32, '$restored', '$below', '$sign'),
  bits('xor', 32, '$plain', '$found', '$restored'),
  compare('eq', 'u32', '$wasNaN', '$found', '$nanKey'),
  constant('$canonical', 0x7fffffff),
  select('$d', '$wasNaN', '$canonical', '$plain'),
];

/** Without `.NaN`, NaNs are ignored, and the result is a NaN only if there are no other values. */
export const reduxFloatSteps: InstructionForm['steps'] = (variant): readonly Step[] => {
  const isMinimum = has(variant, '.min');
  const nanKey = isMinimum === has(variant, '.NaN') ? lowest : highest;
  const magnitude: readonly Step[] = has(variant, '.abs')
    ? [constant('$magnitudes', 0x7fffffff), bits('and', 32, '$value', '$a', '$magnitudes')]
    : [{ kind: 'copy', to: '$value', from: '$a' }];
  return [
    ...magnitude,
    ...toKey('$value', nanKey),
    {
      kind: 'collective',
      fn: { form: 'redux', op: isMinimum ? 'min' : 'max', type: 'u32' },
      to: ['$found'],
      from: ['$key'],
      mask: '$membermask',
    },
    ...fromKey(nanKey),
  ];
};
