/**
 * testp and copysign: PTX ISA 9.1, sections 9.7.3.1 and 9.7.3.2. These instructions only test or copy bits and never
 * flush or round a value.
 */
import { type IntegerName, floatFormat, integerName } from '../../../numerics/formats.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { choice, floatType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import { row } from '../availability-rows.ts';
import { bits, compare, constant, integer } from '../integer/steps.ts';

interface Layout {
  readonly width: number;
  readonly type: IntegerName;
  readonly infinity: bigint;
  /** The bits of the smallest normal number: a 1 in the exponent field, and zeros in the fraction field. */
  readonly normal: bigint;
}

function layoutOf(variant: Variant): Layout {
  const { width, fractionBits, exponentBits } = floatFormat(floatType(variant, 0));
  const normal = 1n << BigInt(fractionBits);
  return { width, type: integerName(false, width), infinity: ((1n << BigInt(exponentBits)) - 1n) * normal, normal };
}

/**
 * Tests for a subnormal by subtracting one from the magnitude and comparing the result as an unsigned number. For zero,
 * the subtraction wraps around to the largest unsigned number, so zero counts as normal, as the ISA requires (PTX ISA
 * 9.1, 9.7.3.1).
 */
function subnormal({ width, type, normal }: Layout, to: Ref): readonly Step[] {
  return [
    constant('$one', 1n, width),
    integer('sub', type, '$before', '$magnitude', '$one'),
    constant('$most', normal - 1n, width),
    compare('lt', type, to, '$before', '$most'),
  ];
}

const properties = ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'] as const;

const test: InstructionForm['steps'] = (variant) => {
  const layout = layoutOf(variant);
  const { width, type, infinity } = layout;
  const magnitude: readonly Step[] = [
    constant('$unsigned', (1n << BigInt(width - 1)) - 1n, width),
    bits('and', width, '$magnitude', '$a', '$unsigned'),
    constant('$infinity', infinity, width),
  ];
  switch (choice(variant, 'property', properties)) {
    case 'finite':
      return [...magnitude, compare('lt', type, '$p', '$magnitude', '$infinity')];
    case 'infinite':
      return [...magnitude, compare('eq', type, '$p', '$magnitude', '$infinity')];
    case 'number':
      return [...magnitude, compare('le', type, '$p', '$magnitude', '$infinity')];
    case 'notanumber':
      return [...magnitude, compare('gt', type, '$p', '$magnitude', '$infinity')];
    case 'subnormal':
      return [...magnitude, ...subnormal(layout, '$p')];
    case 'normal':
      return [
        ...magnitude,
        compare('lt', type, '$finite', '$magnitude', '$infinity'),
        ...subnormal(layout, '$subnormal'),
        bits('not', 1, '$usual', '$subnormal'),
        bits('and', 1, '$p', '$finite', '$usual'),
      ];
  }
};

const copySign: InstructionForm['steps'] = (variant) => {
  const { width } = layoutOf(variant);
  const top = 1n << BigInt(width - 1);
  return [
    constant('$top', top, width),
    constant('$rest', top - 1n, width),
    bits('and', width, '$sign', '$a', '$top'),
    bits('and', width, '$magnitude', '$b', '$rest'),
    bits('or', width, '$d', '$sign', '$magnitude'),
  ];
};

const sets = { type: ['.f32', '.f64'] } as const;

/** testp and copysign. */
export const floatClassForms = (): readonly InstructionForm[] => [
  {
    id: 'testp',
    section: '9.7.3.1',
    syntax: 'testp.property.type  p, a',
    summary: 'Whether a float is finite, infinite, a number, a NaN, normal or subnormal; zeros are normal.',
    sets,
    regime: 'exact',
    availability: [row('testp', at('2.0', 20))],
    operands: [write('p', '.pred'), read('a', 0)],
    steps: test,
  },
  {
    id: 'copysign',
    section: '9.7.3.2',
    syntax: 'copysign.type  d, a, b',
    summary: 'b with the sign of a.',
    sets,
    regime: 'exact',
    availability: [row('copysign', at('2.0', 20))],
    operands: [write('d', 0), read('a', 0), read('b', 0)],
    steps: copySign,
  },
];
