/**
 * Extended-precision arithmetic (PTX ISA 9.1, section 9.7.2): add, sub and mad that write the condition code, and addc,
 * subc and madc that read it. The condition code holds the carry of an addition. A subtraction is treated as adding the
 * complement, so its carry is the opposite of a borrow. Chains that mix additions and subtractions therefore behave as
 * they do when ptxas compiles them (docs/spec-questions.md).
 */
import { type IntegerName, integerName } from '../../../numerics/formats.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { has, slotType, integerType } from '../../variant.ts';
import { type Ref, conditionCode } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, type VersionName } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { needs, row } from '../availability-rows.ts';
import { exact, type Entry } from '../exact.ts';
import { a, b, c, d } from '../first-type-operands.ts';
import { bits, compare, integer, resize } from './steps.ts';

// --- steps ----------------------------------------------------------------------------------------------------------

type Direction = 'add' | 'sub';

/** The operands of a sum or difference, `from` ± `other`, and the integer type in which it is computed. */
interface Terms {
  readonly direction: Direction;
  readonly type: IntegerName;
  readonly from: Ref;
  readonly other: Ref;
}

/**
 * Computes the carry of `result` = `from` ± `other`. All three values are unsigned numbers. The carry is set if a sum
 * does not fit in the type, or if a difference is not negative.
 */
function carryOut({ direction, type, from, other }: Terms, to: Ref, result: Ref): Step {
  return direction === 'add' ? compare('lt', type, to, result, from) : compare('ge', type, to, from, other);
}

/**
 * Sets `$carry` to the number that must be added to a sum or subtracted from a difference. The number is 0 or 1,
 * depending on the condition code.
 */
function carryIn(direction: Direction, type: IntegerName): readonly Step[] {
  if (direction === 'add') return [resize('$carry', type, conditionCode, 'u32')];
  return [bits('not', 1, '$borrow', conditionCode), resize('$carry', type, '$borrow', 'u32')];
}

/** Computes d = from ± other, and reads and writes the condition code as requested. */
function carried(terms: Terms, reads: boolean, writes: boolean): readonly Step[] {
  const { direction, type, from, other } = terms;
  const first = reads ? '$partial' : '$d';
  const steps: Step[] = [integer(direction, type, first, from, other)];
  if (writes) steps.push(carryOut(terms, '$out', first));
  if (reads) {
    steps.push(...carryIn(direction, type), integer(direction, type, '$d', '$partial', '$carry'));
    if (writes) steps.push(carryOut({ ...terms, from: '$partial', other: '$carry' }, '$out.carry', '$d'));
  }
  // Each result is computed by two additions or two subtractions. A sum has a carry if at least one of the two
  // additions produces a carry; a difference has no borrow if neither of the two subtractions produces a borrow.
  if (writes && reads) steps.push(bits(direction === 'add' ? 'or' : 'and', 1, conditionCode, '$out', '$out.carry'));
  else if (writes) steps.push({ kind: 'copy', to: conditionCode, from: '$out' });
  return steps;
}

/** Computes d = from ± other ± carry, clamped to the range of s32. */
function saturated(direction: Direction, from: Ref, other: Ref): readonly Step[] {
  return [
    resize('$from.s64', 's64', from, 's32'),
    resize('$other.s64', 's64', other, 's32'),
    ...carryIn(direction, 's64'),
    integer(direction, 's64', '$partial', '$from.s64', '$other.s64'),
    integer(direction, 's64', '$sum', '$partial', '$carry'),
    resize('$d', 's32', '$sum', 's64', true),
  ];
}

const unsignedType = (variant: Variant): IntegerName => integerName(false, slotType(variant, 0).width);

function sums(direction: Direction, reads: boolean): InstructionForm['steps'] {
  return (variant) => {
    if (has(variant, '.sat')) return saturated(direction, '$a', '$b');
    const terms: Terms = { direction, type: unsignedType(variant), from: '$a', other: '$b' };
    return carried(terms, reads, has(variant, '.cc'));
  };
}

function products(half: 'lo' | 'hi', reads: boolean): InstructionForm['steps'] {
  return (variant) => {
    const type = integerType(variant, 0);
    const product = integer(`mul.${half}`, type, '$product', '$a', '$b');
    if (has(variant, '.sat')) return [product, ...saturated('add', '$product', '$c')];
    const terms: Terms = { direction: 'add', type: unsignedType(variant), from: '$product', other: '$c' };
    return [product, ...carried(terms, reads, has(variant, '.cc'))];
  };
}

// --- forms ----------------------------------------------------------------------------------------------------------

const carrying: readonly TypeName[] = ['.u32', '.s32', '.u64', '.s64'];
/** Without `.cc`, ptxas accepts all of these widths in every version that supports the instructions. */
const reading: readonly TypeName[] = ['.u16', '.u32', '.u64', '.s16', '.s32', '.s64'];

const wide: AvailabilityRow = needs('.cc on 64 bits', { types: ['.u64', '.s64'] }, at('4.3', 20));

interface Sum {
  readonly direction: Direction;
  readonly since: VersionName;
  readonly sections: readonly [writing: string, reading: string];
  readonly words: readonly [result: string, carry: string];
}

function sumForms({ direction, since, sections, words }: Sum): readonly InstructionForm[] {
  const operands = [d, a, b];
  const [result, carry] = words;
  const availability = [row(`${direction}c`, at(since))];
  const steps = sums(direction, true);
  const nothingCarried = direction === 'add' ? 0 : 1;
  const forms: Entry[] = [
    {
      id: `${direction}.cc`,
      section: sections[0],
      syntax: `${direction}.cc.type  d, a, b`,
      summary: `${result} that writes its ${carry} to the condition code.`,
      sets: { type: carrying },
      availability: [row(`${direction}.cc`, at(since)), wide],
      operands,
      steps: sums(direction, false),
    },
    {
      id: `${direction}c`,
      section: sections[1],
      syntax: `${direction}c.type  d, a, b`,
      summary: `${result} with the ${carry} of an earlier instruction.`,
      sets: { type: reading },
      availability,
      operands,
      nothingCarried,
      steps,
    },
    {
      id: `${direction}c.cc`,
      section: sections[1],
      syntax: `${direction}c.cc.type  d, a, b`,
      summary: `${result} with the ${carry} of an earlier instruction, writing its own to the condition code.`,
      sets: { type: carrying },
      availability: [...availability, wide],
      operands,
      nothingCarried,
      steps,
    },
    {
      id: `${direction}c.sat`,
      section: sections[1],
      syntax: `${direction}c.sat.s32  d, a, b`,
      summary: `${result} with the ${carry} of an earlier instruction, clamped to the range of s32.`,
      availability,
      operands,
      nothingCarried,
      steps,
    },
  ];
  return forms.map(exact);
}

const halfWords = { lo: 'lower', hi: 'upper' } as const;

function productForms(half: 'lo' | 'hi'): readonly InstructionForm[] {
  const operands = [d, a, b, c];
  const what = `The ${halfWords[half]} half of a product, plus c`;
  const availability = [row('madc', at('3.0', 20))];
  const steps = products(half, true);
  const forms: Entry[] = [
    {
      id: `mad.${half}.cc`,
      section: '9.7.2.5',
      syntax: `mad.${half}.cc.type  d, a, b, c`,
      summary: `${what}, writing its carry to the condition code.`,
      sets: { type: carrying },
      availability: [row('mad.cc', at('3.0', 20)), wide],
      operands,
      steps: products(half, false),
    },
    {
      id: `madc.${half}`,
      section: '9.7.2.6',
      syntax: `madc.${half}.type  d, a, b, c`,
      summary: `${what} and the carry of an earlier instruction.`,
      sets: { type: reading },
      availability,
      operands,
      steps,
    },
    {
      id: `madc.${half}.cc`,
      section: '9.7.2.6',
      syntax: `madc.${half}.cc.type  d, a, b, c`,
      summary: `${what} and the carry of an earlier instruction, writing its own to the condition code.`,
      sets: { type: carrying },
      availability: [...availability, wide],
      operands,
      steps,
    },
  ];
  return forms.map(exact);
}

const saturatedProduct = exact({
  id: 'madc.hi.sat',
  section: '9.7.2.6',
  syntax: 'madc.hi.sat.s32  d, a, b, c',
  summary: 'The upper half of a product, plus c and the carry of an earlier instruction, clamped to the range of s32.',
  availability: [row('madc', at('3.0', 20))],
  operands: [d, a, b, c],
  steps: products('hi', true),
});

/** add.cc, addc, sub.cc, subc, mad.cc and madc. */
export const carryForms = (): readonly InstructionForm[] => [
  ...sumForms({ direction: 'add', since: '1.2', sections: ['9.7.2.1', '9.7.2.2'], words: ['Sum', 'carry'] }),
  ...sumForms({ direction: 'sub', since: '1.3', sections: ['9.7.2.3', '9.7.2.4'], words: ['Difference', 'borrow'] }),
  ...productForms('lo'),
  ...productForms('hi'),
  saturatedProduct,
];
