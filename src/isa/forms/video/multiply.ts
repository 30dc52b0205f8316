/** vmad (PTX ISA 9.1, section 9.7.18.1.3). */
import type { InstructionForm, Variant } from '../../form.ts';
import { read, type ValuePattern, write } from '../../operand-patterns.ts';
import { has, integerType } from '../../variant.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { row } from '../availability-rows.ts';
import { bits, constant, integer, resize } from '../integer/steps.ts';
import { extended, isNegated, scalarParts } from './parts.ts';

const words: readonly TypeName[] = ['.u32', '.s32'];

/** Whether values are signed, which determines how they are extended, shifted and clamped. */
function signsOf(variant: Variant) {
  const unsigned = integerType(variant, 1) === 'u32' && integerType(variant, 2) === 'u32';
  const minusProduct = isNegated(variant, '$a') !== isNegated(variant, '$b');
  const minusThird = isNegated(variant, '$c');
  return { unsigned, minusProduct, minusThird, signed: !unsigned || minusProduct || minusThird };
}

/**
 * The product of two u32 values can use all 64 bits, which leaves no bit for a sign. If the result has to be clamped
 * and may be negative, the product is therefore first clamped to 2^62. The clamping does not change the result, because
 * the final result of such a large product is clamped anyway, even after scaling.
 */
function product(variant: Variant): readonly Step[] {
  const { unsigned, signed } = signsOf(variant);
  if (!(unsigned && signed && has(variant, '.sat'))) return [integer('mul.lo', 's64', '$product', '$x', '$y')];
  return [
    integer('mul.lo', 'u64', '$whole', '$x', '$y'),
    constant('$high', 2 ** 62, 64),
    integer('min', 'u64', '$product', '$whole', '$high'),
  ];
}

function sum(variant: Variant): readonly Step[] {
  const { minusProduct, minusThird, signed } = signsOf(variant);
  const [first, third] = [minusProduct ? '$minus' : '$product', minusThird ? '$opposite' : '$third'] as const;
  return [
    ...(minusProduct ? [integer('neg', 's64', '$minus', '$product')] : []),
    resize('$third', 's64', '$c', signed ? 's32' : 'u32'),
    ...(minusThird ? [integer('neg', 's64', '$opposite', '$third')] : []),
    integer('add', 's64', has(variant, '.po') ? '$plain' : '$sum', first, third),
    ...(has(variant, '.po') ? [constant('$one', 1, 64), integer('add', 's64', '$sum', '$plain', '$one')] : []),
  ];
}

function scaled(variant: Variant): readonly Step[] {
  const { signed } = signsOf(variant);
  const scale = variant.modifiers['scale'];
  const shifted = scale === undefined ? '$sum' : '$scaled';
  return [
    ...(scale === undefined
      ? []
      : [
          constant('$places', Number(scale.slice(4))),
          bits(signed ? 'shr.s' : 'shr.u', 64, '$scaled', '$sum', '$places'),
        ]),
    has(variant, '.sat')
      ? resize('$d', signed ? 's32' : 'u32', shifted, signed ? 's64' : 'u64', true)
      : { kind: 'extract', to: '$d', from: shifted, low: 0, width: 32 },
  ];
}

const steps: InstructionForm['steps'] = (variant) => [
  ...extended(variant, '$a', integerType(variant, 1), '$x'),
  ...extended(variant, '$b', integerType(variant, 2), '$y'),
  ...product(variant),
  ...sum(variant),
  ...scaled(variant),
];

type Minus = ValuePattern['minus'] | 'none';

function form(id: string, syntax: string, summary: string, [a, b, c]: readonly [Minus, Minus, Minus]): InstructionForm {
  const minus = (sign: Minus) => (sign === 'none' || sign === undefined ? {} : { minus: sign });
  return {
    id,
    section: '9.7.18.1.3',
    syntax,
    summary,
    sets: { dtype: words, atype: words, btype: words },
    regime: 'exact',
    availability: [row('vmad', at('2.0', 20))],
    operands: [
      write('d', '.u32'),
      read('a', '.u32', { parts: scalarParts, ...minus(a) }),
      read('b', '.u32', { parts: scalarParts, ...minus(b) }),
      read('c', '.u32', minus(c)),
    ],
    steps,
  };
}

const plain = 'vmad.dtype.atype.btype{.sat}{.scale}  d, {-}a{.asel}, {-}b{.bsel}';
const signs = 'vmad.dtype.atype.btype{.sat}{.scale}  d, -a{.asel}, -b{.bsel}';
const po = (syntax: string): string => syntax.replace('{.sat}', '.po{.sat}');

/**
 * The forms of vmad. Three syntax lines are needed to express which combinations of minus signs are allowed. With
 * `.po`, two minus signs on the factors cancel each other, and all other combinations are rejected.
 */
export const videoMultiplyForms = (): readonly InstructionForm[] => [
  form('vmad', `${plain}, c`, 'Product of two register parts, plus c.', ['may', 'may', 'none']),
  form('vmad.minus', `${plain}, -c`, 'Product of two register parts, minus c.', ['none', 'none', 'may']),
  form('vmad.signs', `${signs}, -c`, 'Product of two register parts, minus c.', ['must', 'must', 'must']),
  form('vmad.po', `${po(plain)}, c`, 'Product of two register parts, plus c, plus 1.', ['none', 'none', 'none']),
  form('vmad.po.signs', `${po(signs)}, c`, 'Product of two register parts, plus c, plus 1.', ['must', 'must', 'none']),
];
