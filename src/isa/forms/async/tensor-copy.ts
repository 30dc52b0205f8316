/**
 * Bulk copies, reductions and prefetches of tensors (PTX ISA 9.1, section 9.7.9.25.5). Operations on boxes (mode tile),
 * rows (gather4 and scatter4) and pixels (im2col) are carried out completely by the instruction that starts them;
 * operations in the modes im2col::w and im2col::w::128 are checked but not executed. Versions and targets were
 * determined with ptxas 13.0.
 */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read } from '../../operand-patterns.ts';
import { type BoxMode, reductions } from '../../steps/memory.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import { tensorMapWords } from '../../tensor-map-fields.ts';
import { weakLoad } from '../access-steps.ts';
import { needsModifier, row } from '../availability-rows.ts';
import { checked, tensorMemory } from '../checked.ts';
import { constant, integer } from '../integer/steps.ts';
import { noEffect } from '../no-effect.ts';
import { operandList } from '../operand-list.ts';
import { inShared, mask, mechanism, object, ofBulkCopies, policy, reductionOf } from './parts.ts';

/**
 * A mode for tensors with a given number of dimensions. A mode defines how coordinates select elements of the tensor.
 */
interface Mode {
  readonly dimensions: number;
  readonly id: string;
  readonly text: string;
  readonly values?: readonly string[];
  readonly coordinates: number;
  readonly offsets: number;
  /** The name that steps use for the mode; null for modes that are not executed. */
  readonly boxMode: BoxMode | null;
  /** Whether the mode was introduced together with tensor memory. */
  readonly late: boolean;
}

const tiles = [1, 2, 3, 4, 5].map(
  (dimensions): Mode => ({
    dimensions,
    id: 'tile',
    text: '{.tile}',
    coordinates: dimensions,
    offsets: 0,
    boxMode: 'tile',
    late: false,
  }),
);

const rows = (id: string): Mode => ({
  dimensions: 2,
  id,
  text: `.tile::${id}`,
  coordinates: 5,
  offsets: 0,
  boxMode: 'rows',
  late: true,
});

const image = { id: 'im2col', boxMode: 'im2col', late: false } as const;

const columns = [3, 4, 5].flatMap((dimensions): readonly Mode[] => [
  { ...image, dimensions, text: '.im2col', coordinates: dimensions, offsets: dimensions - 2 },
  {
    dimensions,
    id: 'im2col.w',
    text: '.wide',
    values: ['.im2col::w', '.im2col::w::128'],
    coordinates: dimensions,
    offsets: 2,
    boxMode: null,
    late: true,
  },
]);

const withoutOffsets = [3, 4, 5].map(
  (dimensions): Mode => ({ ...image, dimensions, text: '.im2col_no_offs', coordinates: dimensions, offsets: 0 }),
);

const readModes: readonly Mode[] = [...tiles, rows('gather4'), ...columns];
const writeModes: readonly Mode[] = [...tiles, rows('scatter4'), ...withoutOffsets];

// --- steps ----------------------------------------------------------------------------------------------------------

const wordsOfMap: readonly Ref[] = Array.from({ length: tensorMapWords }, (_, i): Ref => `$map.${i}`);

/** The number of words that one load reads. */
const wordsAtOnce = 4;

/** Loads the words of the tensor map. The last load also reads words that the copy does not use. */
const loadMap = Array.from({ length: Math.ceil(tensorMapWords / wordsAtOnce) }, (_, i) => i * wordsAtOnce).flatMap(
  (first): readonly Step[] => [
    constant('$offset', 8 * first, 64),
    integer('add', 'u64', '$word', '$tensor-map', '$offset'),
    weakLoad(
      'generic',
      64,
      Array.from({ length: wordsAtOnce }, (_, i): Ref => `$map.${first + i}`),
      '$word',
    ),
  ],
);

function boxOf({ coordinates: count, boxMode }: Mode, address: Ref) {
  if (boxMode === null) throw new Error('this mode is not executed');
  const [tensorWord = '$map.0', ...map] = wordsOfMap;
  const coordinates = Array.from({ length: count }, (_, i): Ref => `$coordinate.${i}`);
  return {
    mode: boxMode,
    space: 'shared',
    tensorSpace: 'global',
    address,
    tensor: tensorWord,
    map,
    coordinates,
  } as const;
}

function loadedBox(mode: Mode) {
  const offsets = Array.from({ length: mode.offsets }, (_, i): Ref => `$offset.${i}`);
  return { ...boxOf(mode, '$dst'), offsets, object: '$mbar' } as const;
}

function storeBox(mode: Mode): readonly Step[] {
  return [...loadMap, { kind: 'store-box', ...boxOf(mode, '$src') }];
}

function reduceBox(mode: Mode, variant: Variant): readonly Step[] {
  return [...loadMap, { kind: 'reduce-box', ...boxOf(mode, '$src'), op: reductionOf(variant) }];
}

/** Copies a box to several blocks. */
function multicastBox(mode: Mode): readonly Step[] {
  return [...loadMap, { kind: 'multicast-box', ...loadedBox(mode), mask: '$cta-mask' }];
}

function loadBox(mode: Mode): readonly Step[] {
  return [...loadMap, { kind: 'load-box', ...loadedBox(mode) }];
}

/** Makes a form executable if the engines can execute its mode. */
function withSteps(
  form: InstructionForm,
  mode: Mode,
  steps: (mode: Mode, variant: Variant) => readonly Step[],
): InstructionForm {
  return mode.boxMode === null ? form : { ...form, steps: (variant) => steps(mode, variant) };
}

const tensor = ({ coordinates }: Mode, access: 'load' | 'store'): OperandPattern => ({
  kind: 'address',
  name: 'tensor-map',
  access,
  space: '.global',
  coordinates,
});

function offsetsOf({ offsets }: Mode): readonly OperandPattern[] {
  if (offsets === 0) return [];
  const elements = Array.from({ length: offsets }, (_, i) => read(`offset.${i}`, '.u16'));
  return [{ kind: 'vector', name: 'offsets', elements }];
}

const setsOf = ({ values }: Mode): Readonly<Record<string, readonly string[]>> =>
  values === undefined ? {} : { wide: values };

const late = ({ late: isLate, id }: Mode): readonly AvailabilityRow[] =>
  isLate ? [row(`a tensor copy with ${id}`, ...tensorMemory)] : [];

// --- loads ----------------------------------------------------------------------------------------------------------

const targets = ['cluster', 'multicast', 'cta'] as const;

function load(mode: Mode, target: (typeof targets)[number], hint: boolean): InstructionForm {
  const isCta = target === 'cta';
  const operands = [
    inShared('dst', 'store'),
    tensor(mode, 'load'),
    object,
    ...offsetsOf(mode),
    ...(target === 'multicast' ? [mask] : []),
    ...(hint ? [policy] : []),
  ];
  const spread = target === 'multicast' ? '.multicast::cluster' : '';
  const made = checked(
    {
      id: `cp.async.bulk.tensor.${mode.dimensions}d.${mode.id}.${target}${hint ? '.hint' : ''}`,
      section: '9.7.9.25.5.2',
      syntax: `cp.async.bulk.tensor.${mode.dimensions}d.shared::${isCta ? 'cta' : 'cluster'}.global${mode.text}${mechanism}${spread}{.group}${hint ? '.L2::cache_hint' : ''}  ${operandList(operands)}`,
      summary: 'Starts copying a part of a tensor to shared memory.',
      sets: { ...setsOf(mode), group: ['.cta_group::1', '.cta_group::2'] },
      operands,
      rows: [
        ...['.cta_group::1', '.cta_group::2'].map((group) => needsModifier(group, ...tensorMemory)),
        ...(isCta ? [row('.shared::cta as the destination', at('8.6', mode.late ? 100 : 90))] : late(mode)),
        ...(isCta ? [needsModifier('.im2col::w::128', ...tensorMemory)] : []),
      ],
    },
    ofBulkCopies,
  );
  return withSteps(made, mode, target === 'multicast' ? multicastBox : loadBox);
}

const loads = () =>
  readModes.flatMap((mode) => targets.flatMap((target) => [false, true].map((hint) => load(mode, target, hint))));

const prefetches = () =>
  readModes.flatMap((mode) =>
    [false, true].map((hint) => {
      const operands = [tensor(mode, 'load'), ...offsetsOf(mode), ...(hint ? [policy] : [])];
      const made = checked(
        {
          id: `cp.async.bulk.prefetch.tensor.${mode.dimensions}d.${mode.id}${hint ? '.hint' : ''}`,
          section: '9.7.9.25.5.4',
          syntax: `cp.async.bulk.prefetch.tensor.${mode.dimensions}d.L2.global${mode.text}${hint ? '.L2::cache_hint' : ''}  ${operandList(operands)}`,
          summary: 'Starts prefetching a part of a tensor into L2.',
          sets: setsOf(mode),
          operands,
          rows: late(mode),
        },
        ofBulkCopies,
      );
      return { ...made, steps: () => noEffect };
    }),
  );

// --- stores and reductions ------------------------------------------------------------------------------------------

function store(mode: Mode, reduces: boolean, hint: boolean): InstructionForm {
  const operands = [tensor(mode, 'store'), inShared('src', 'load'), ...(hint ? [policy] : [])];
  const opcode = reduces ? 'cp.reduce.async.bulk.tensor' : 'cp.async.bulk.tensor';
  const made = checked(
    {
      id: `${opcode}.${mode.dimensions}d.${mode.id}.store${hint ? '.hint' : ''}`,
      section: reduces ? '9.7.9.25.5.3' : '9.7.9.25.5.2',
      syntax: `${opcode}.${mode.dimensions}d.global.shared::cta${reduces ? '.op' : ''}${mode.text}.bulk_group${hint ? '.L2::cache_hint' : ''}  ${operandList(operands)}`,
      summary: `Starts ${reduces ? 'reducing shared memory into' : 'copying shared memory to'} a part of a tensor.`,
      ...(reduces ? { sets: { op: reductions.map((op) => `.${op}`) } } : {}),
      operands,
      rows: late(mode),
    },
    ofBulkCopies,
  );
  return withSteps(made, mode, reduces ? reduceBox : storeBox);
}

const stores = () =>
  [false, true].flatMap((reduces) =>
    writeModes.flatMap((mode) => [false, true].map((hint) => store(mode, reduces, hint))),
  );

/** cp.async.bulk.tensor, cp.async.bulk.prefetch.tensor and cp.reduce.async.bulk.tensor. */
export const tensorCopyForms = (): readonly InstructionForm[] => [...loads(), ...prefetches(), ...stores()];
