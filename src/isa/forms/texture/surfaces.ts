/**
 * Surfaces: suld, sust, sured and suq (PTX ISA 9.1, section 9.7.11). Versions and targets were determined with
 * ptxas 13.0.
 */
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { choice, slotType } from '../../variant.ts';
import { relaxedOnGpu } from '../../steps/order.ts';
import type { Step } from '../../steps/step.ts';
import { at, type Availability } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { eachNeeds } from '../availability-rows.ts';
import { type CheckedLine, executed } from '../checked.ts';
import { bits, integer as integerStep, select } from '../integer/steps.ts';
import { type Combine, integer, type Names } from '../memory/combine.ts';
import { indirectSurfaces, integerCoordinates } from './parts.ts';
import { convertAndStore, findSign, moveSteps, queryField, surfaceAddress } from './texture-steps.ts';

const geometries = ['.1d', '.2d', '.3d', '.a1d', '.a2d'];
const clamps = ['.trap', '.clamp', '.zero'];
/** Cache operations, which have no effect on values. */
const loadCaches = ['.ca', '.cg', '.cs', '.cv'];
const storeCaches = ['.wb', '.cg', '.cs', '.wt'];
const words: readonly TypeName[] = ['.b8', '.b16', '.b32', '.b64'];

const surface: OperandPattern = {
  kind: 'texture',
  name: 'a',
  of: '.surfref',
  indirect: indirectSurfaces,
  coordinates: integerCoordinates,
};

const late = eachNeeds(['.3d', '.a1d', '.a2d'], at('3.0', 20));
const formatted = [...eachNeeds(['.3d'], at('3.0', 20)), ...eachNeeds(['.a1d', '.a2d'], at('4.1', 30))];

const relaxed = (line: CheckedLine, way: Availability, steps: InstructionForm['steps']): InstructionForm => ({
  ...executed(line, way, steps),
  regime: 'relaxed',
});

/** A single value or, if there is a vector modifier, a list of values. */
const values = (value: ReturnType<typeof read>): OperandPattern => ({
  kind: 'lanes',
  name: value.name,
  value,
  uncounted: true,
});

const moves = () => [
  relaxed(
    {
      id: 'suld.b',
      section: '9.7.11.1',
      syntax: 'suld.b.geom{.cop}{.vec24}.type.clamping  d, [a, c]',
      summary: 'Loads from a surface.',
      sets: { geom: geometries, type: words, clamping: clamps, cop: loadCaches },
      constraints: [{ kind: 'vector-bits', bits: 128 }],
      rows: [...late, ...eachNeeds(['.clamp', '.zero'], at('2.0')), ...eachNeeds(loadCaches, at('2.0', 20))],
      operands: [values(write('d', 0)), surface],
    },
    at('1.5'),
    moveSteps('load'),
  ),
  relaxed(
    {
      id: 'sust.b',
      section: '9.7.11.2',
      syntax: 'sust.b.geom{.cop}{.vec24}.type.clamping  [a, c], b',
      summary: 'Stores in a surface.',
      sets: { geom: geometries, type: words, clamping: clamps, cop: storeCaches },
      constraints: [{ kind: 'vector-bits', bits: 128 }],
      rows: [...late, ...eachNeeds(['.clamp', '.zero'], at('2.0')), ...eachNeeds(storeCaches, at('2.0', 20))],
      operands: [surface, values(read('b', 0))],
    },
    at('1.5'),
    moveSteps('store'),
  ),
  relaxed(
    {
      id: 'sust.p',
      section: '9.7.11.2',
      syntax: 'sust.p.geom{.cop}{.vec24}.b32.clamping  [a, c], b',
      summary: 'Converts a value to the format of a surface and stores it there.',
      sets: { geom: geometries, clamping: clamps, cop: storeCaches },
      rows: [...formatted, ...eachNeeds(storeCaches, at('2.0', 20))],
      operands: [surface, values(read('b', 0))],
    },
    at('2.0', 20),
    convertAndStore,
  ),
];

const logic: Combine = (variant, { old, b, next }) => [
  bits(choice(variant, 'boolOp', ['and', 'or']), slotType(variant, 0).width, next, old, b),
];

/** The minimum and the maximum depend on whether texels are signed; `$signed` is true if they are. */
const formattedReduction: Combine = (variant, { old, b, next }) => {
  const op = choice(variant, 'op', ['add', 'min', 'max', 'and', 'or']);
  const { width } = slotType(variant, 0);
  if (op === 'and' || op === 'or') return [bits(op, width, next, old, b)];
  return [
    integerStep(op, width === 64 ? 'u64' : 'u32', '$plain', old, b),
    integerStep(op, width === 64 ? 's64' : 's32', '$ordered', old, b),
    select(next, '$signed', '$ordered', '$plain'),
  ];
};

/** The operations of sured. */
const operations = [
  { id: 'b.add', op: ['.add'], types: ['.u32', '.s32', '.u64'], wide: false, combine: integer },
  { id: 'b.extremum', op: ['.min', '.max'], types: ['.u32', '.s32'], wide: false, combine: integer },
  { id: 'b.extremum.wide', op: ['.min', '.max'], types: ['.u64', '.s64'], wide: true, combine: integer },
  { id: 'b.logic', op: ['.and', '.or'], types: ['.b32'], wide: false, combine: logic },
  { id: 'p', op: ['.add', '.min', '.max', '.and', '.or'], types: ['.b32'], wide: false, combine: formattedReduction },
  { id: 'p.extremum.wide', op: ['.min', '.max'], types: ['.b64'], wide: true, combine: formattedReduction },
];

const reductions = () =>
  operations.map(({ id, op, types, wide, combine }) =>
    relaxed(
      {
        id: `sured.${id}`,
        section: '9.7.11.3',
        syntax: `sured.${id.slice(0, 1)}.op.geom.type.clamping  [a, c], b`,
        summary: 'Applies an operation to an element of a surface.',
        sets: { op, geom: ['.1d', '.2d', '.3d'], type: types, clamping: clamps },
        rows: eachNeeds(['.3d'], at('3.0', 20)),
        operands: [surface, read('b', 0)],
      },
      wide ? at('8.1', 50) : at('2.0', 20),
      (variant) => reduction(variant, combine, id.startsWith('p')),
    ),
  );

/**
 * Combines an element of a surface with the operand `b`.
 *
 * @param isFormatted whether coordinates are in texels
 */
function reduction(variant: Variant, combine: Combine, isFormatted: boolean): readonly Step[] {
  const { width } = slotType(variant, 0);
  const names: Names = { old: '$old', b: '$b', c: '$c', next: '$next' };
  const steps = combine(variant, names);
  return [
    ...surfaceAddress(variant, isFormatted ? null : width / 8, 'store'),
    ...(isFormatted ? findSign() : []),
    {
      kind: 'atomic',
      space: 'global',
      width,
      address: '$texel',
      old: ['$old'],
      next: ['$next'],
      steps,
      order: relaxedOnGpu,
    },
  ];
}

const query = () =>
  executed(
    {
      id: 'suq',
      section: '9.7.11.4',
      syntax: 'suq.query.b32  d, [a]',
      summary: 'Returns an attribute of a surface.',
      sets: {
        query: ['.width', '.height', '.depth', '.channel_data_type', '.channel_order', '.array_size', '.memory_layout'],
      },
      rows: [
        ...eachNeeds(['.channel_data_type', '.channel_order'], at('2.1')),
        ...eachNeeds(['.array_size'], at('4.1')),
        ...eachNeeds(['.memory_layout'], at('4.2')),
      ],
      operands: [write('d', '.b32'), { kind: 'handle', name: 'a', of: '.surfref', indirect: indirectSurfaces }],
    },
    at('1.5'),
    (variant) => queryField('$d', variant),
  );

/** suld, sust, sured and suq. */
export const surfaceForms = (): readonly InstructionForm[] => [...moves(), ...reductions(), query()];
