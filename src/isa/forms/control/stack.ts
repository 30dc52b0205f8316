/**
 * alloca, stacksave and stackrestore: PTX ISA 9.1, section 9.7.17. Each call to a function can allocate a fixed number
 * of bytes on the stack. If an allocation needs more than the remaining bytes, alloca returns an address that cannot be
 * accessed.
 */
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { slotType } from '../../variant.ts';
import { type Ref, stackBase, stackLimit, stackTop } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { row } from '../availability-rows.ts';
import { bits, compare, constant, integer, resize, select } from '../integer/steps.ts';

const sizes: readonly TypeName[] = ['.u32', '.u64'];

type Line = Pick<InstructionForm, 'id' | 'section' | 'syntax' | 'summary' | 'operands' | 'steps'>;

function form(line: Line): InstructionForm {
  const availability = [row(line.id.split('.')[0] ?? line.id, at('7.3', 52))];
  return { ...line, sets: { type: sizes }, regime: 'exact', availability };
}

const formatOf = (variant: Variant): 'u32' | 'u64' => (slotType(variant, 0).width === 32 ? 'u32' : 'u64');

/** An address that does not belong to any memory. */
const nowhere = 2 ** 40;

/**
 * Returns the steps that allocate memory at the next multiple of the alignment `unit`, which must be a 64-bit value.
 */
function take(variant: Variant, unit: Ref): readonly Step[] {
  const type = formatOf(variant);
  return [
    resize('$bytes', 'u64', '$size', type),
    constant('$one', 1, 64),
    integer('sub', 'u64', '$spare', unit, '$one'),
    integer('add', 'u64', '$end', stackBase, stackTop),
    integer('add', 'u64', '$raised', '$end', '$spare'),
    bits('not', 64, '$kept', '$spare'),
    bits('and', 64, '$start', '$raised', '$kept'),
    integer('add', 'u64', '$behind', '$start', '$bytes'),
    integer('sub', 'u64', '$used', '$behind', stackBase),
    constant('$limit', stackLimit, 64),
    compare('le', 'u64', '$isLittle', '$bytes', '$limit'),
    compare('le', 'u64', '$isInside', '$used', '$limit'),
    bits('and', 1, '$fits', '$isLittle', '$isInside'),
    constant('$nowhere', nowhere, 64),
    select(stackTop, '$fits', '$used', stackTop),
    select('$found', '$fits', '$start', '$nowhere'),
    resize('$ptr', type, '$found', 'u64'),
  ];
}

const powersOfTwo: readonly number[] = Array.from({ length: 31 }, (_, i) => 2 ** i);
const alignment = read('alignment', '.u32', { constantOnly: true, oneOf: powersOfTwo });
const size = read('size', 0);
const ptr = write('ptr', 0);

/** alloca, stacksave and stackrestore. */
export const stackForms = (): readonly InstructionForm[] => [
  form({
    id: 'alloca',
    section: '9.7.17.3',
    syntax: 'alloca.type  ptr, size',
    summary: 'Allocates local memory on the stack, up to 8 KiB per function call.',
    operands: [ptr, size],
    steps: (variant) => [constant('$unit', 8, 64), ...take(variant, '$unit')],
  }),
  form({
    id: 'alloca.aligned',
    section: '9.7.17.3',
    syntax: 'alloca.type  ptr, size, alignment',
    summary: 'Allocates local memory with the given alignment on the stack, up to 8 KiB per function call.',
    operands: [ptr, size, alignment],
    steps: (variant) => [resize('$unit', 'u64', '$alignment', 'u32'), ...take(variant, '$unit')],
  }),
  form({
    id: 'stacksave',
    section: '9.7.17.1',
    syntax: 'stacksave.type  d',
    summary: 'The amount of memory that alloca has allocated.',
    operands: [write('d', 0)],
    steps: (variant) => [resize('$d', formatOf(variant), stackTop, 'u64')],
  }),
  form({
    id: 'stackrestore',
    section: '9.7.17.2',
    syntax: 'stackrestore.type  a',
    summary: 'Frees what alloca has allocated since stacksave.',
    operands: [read('a', 0, { registerOnly: true })],
    steps: (variant) => [resize(stackTop, 'u64', '$a', formatOf(variant))],
  }),
];
