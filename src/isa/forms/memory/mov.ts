/**
 * mov: PTX ISA 9.1, sections 9.7.9.3 (values, addresses, special registers, vectors) and 9.7.9.4 (packing and
 * unpacking).
 */
import { indirectHandles } from '../texture/parts.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read, type ValuePattern, write } from '../../operand-patterns.ts';
import { vectorLanes } from '../../rules.ts';
import { operandRef, type Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { always, needsType, row } from '../availability-rows.ts';

const scalars: readonly TypeName[] = [
  '.b16',
  '.b32',
  '.b64',
  '.b128',
  '.u16',
  '.u32',
  '.u64',
  '.s16',
  '.s32',
  '.s64',
  '.f32',
  '.f64',
];

const availability: readonly AvailabilityRow[] = [always('mov'), needsType('.b128', at('8.3', 70))];

/** The requirements for moving the address or handle of an object, by the kind of the object. */
const namesNeed: ReadonlyMap<string, AvailabilityRow> = new Map([
  ...indirectHandles,
  ['.func', row('address of a function', at('2.1'))],
  ['.entry', row('address of a kernel', at('3.1', 35))],
  ['return parameter', row('address of a return parameter', at('6.0', 30))],
]);

const copy: InstructionForm['steps'] = (): readonly Step[] => [{ kind: 'copy', to: '$d', from: '$a' }];

const copyLanes: InstructionForm['steps'] = (variant): readonly Step[] =>
  Array.from({ length: vectorLanes(variant) }, (_, lane) => ({ kind: 'copy', to: `$d.${lane}`, from: `$a.${lane}` }));

// --- packing --------------------------------------------------------------------------------------------------------

/** A bit-size type and the elements that make it up. */
const packings: readonly (readonly [whole: TypeName, element: TypeName, count: 1 | 2 | 4])[] = [
  ['.b16', '.b16', 1],
  ['.b32', '.b32', 1],
  ['.b64', '.b64', 1],
  ['.b128', '.b128', 1],
  ['.b16', '.b8', 2],
  ['.b32', '.b16', 2],
  ['.b32', '.b8', 4],
  ['.b64', '.b32', 2],
  ['.b64', '.b16', 4],
  ['.b128', '.b64', 2],
  ['.b128', '.b32', 4],
];

const letters = ['x', 'y', 'z', 'w'] as const;

function elementNames(role: 'd' | 'a', count: number): readonly string[] {
  return letters.slice(0, count).map((letter) => `${role}.${letter}`);
}

function list(elements: readonly ValuePattern[]): OperandPattern {
  const name = `{${elements.map((element) => element.name).join(', ')}}`;
  return { kind: 'vector', name, elements, whole: true, alike: true };
}

/**
 * Reverses a list of elements. In PTX, the first element of a list holds the lowest bits; in a step, the first lane
 * holds the highest bits.
 */
function topmostFirst(names: readonly string[]): readonly Ref[] {
  return names.map(operandRef).reverse();
}

function packing([whole, element, count]: (typeof packings)[number]): readonly InstructionForm[] {
  const layout = { lane: Number(element.slice(2)), stride: Number(element.slice(2)) };
  const sources = elementNames('a', count);
  const results = elementNames('d', count);
  const shared = { section: '9.7.9.4', syntax: `mov${whole}  d, a`, regime: 'exact', availability } as const;
  return [
    {
      ...shared,
      id: `mov.pack${whole}.${count}`,
      summary: `Packs ${count} elements into one register, with the first in the lowest bits.`,
      operands: [write('d', 0), list(sources.map((name) => read(name, element, { special: true })))],
      steps: (): readonly Step[] => [{ kind: 'pack', to: '$d', from: topmostFirst(sources), ...layout }],
    },
    {
      ...shared,
      id: `mov.unpack${whole}.${count}`,
      summary: `Unpacks a register or an address into ${count} elements, the first of which comes from the lowest bits.`,
      operands: [
        list(results.map((name) => write(name, element, { sink: true }))),
        read('a', 0, { special: true, address: true, names: namesNeed }),
      ],
      steps: (): readonly Step[] => [{ kind: 'unpack', to: topmostFirst(results), from: '$a', ...layout }],
    },
  ];
}

/** Every form of mov. */
export const movForms = (): readonly InstructionForm[] => [
  {
    id: 'mov',
    section: '9.7.9.3',
    syntax: 'mov.type  d, a',
    summary: 'Copies a value, a special register, or the address of a variable or function.',
    sets: { type: scalars },
    regime: 'exact',
    availability,
    operands: [write('d', 0), read('a', 0, { special: true, address: true, names: namesNeed })],
    steps: copy,
  },
  {
    id: 'mov.pred',
    section: '9.7.9.3',
    syntax: 'mov.pred  d, a',
    summary: 'Copies a predicate.',
    regime: 'exact',
    availability,
    operands: [write('d', 0), read('a', 0, { special: true, negatable: true })],
    steps: copy,
  },
  {
    id: 'mov.vector',
    section: '9.7.9.3',
    syntax: 'mov.vec24.type  d, a',
    summary: 'Copies a vector, or all elements of a special register such as %tid.',
    sets: { type: scalars.filter((type) => type !== '.b128') },
    regime: 'exact',
    constraints: [{ kind: 'vector-bits', bits: 128 }],
    availability,
    operands: [
      { kind: 'lanes', name: 'd', value: write('d', 0) },
      { kind: 'lanes', name: 'a', value: read('a', 0, { special: true }) },
    ],
    steps: copyLanes,
  },
  ...packings.flatMap(packing),
];
