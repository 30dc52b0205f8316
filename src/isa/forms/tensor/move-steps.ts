/**
 * The steps of tcgen05.ld and tcgen05.st. A table defines, for each shape, where in tensor memory the registers of a
 * thread are stored (PTX ISA 9.1, section 9.7.16.2.3).
 */
import { elementAt } from '../../../base/element-at.ts';
import type { Variant } from '../../form.ts';
import { has, slotType } from '../../variant.ts';
import { plainMode } from '../../../numerics/operations.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step, StepOf } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { tensorOffset } from '../../tensor-memory.ts';
import { bits, constant, extract, integer } from '../integer/steps.ts';
import { refsOf } from '../matrix/parts.ts';
import { offsetOf, ownLanes, requireColumns, splitAddress } from './access.ts';

/** The location of a register in tensor memory, relative to the location where the thread's data begins. */
interface Place {
  readonly row: number;
  readonly column: number;
}

export type MoveShape = '.32x32b' | '.16x64b' | '.16x128b' | '.16x256b' | '.16x32bx2';

/** How a shape divides lanes and columns among the threads of a warp. */
interface Shape {
  readonly rows: 16 | 32;
  /** Computes `$row` and `$across`, the location where the thread's data begins, from the thread's lane. */
  readonly own: readonly ValueStep[];
  /** The registers of `.x1`. */
  readonly places: readonly Place[];
  /** Number of columns for `.x1`. */
  readonly columns: number;
}

const low = (to: Ref, mask: Ref): ValueStep => bits('and', 32, to, '$LANE', mask);
const numbers = [0, 1, 2, 3, 4, 8, 15].map((n) => constant(`$n.${n}`, n));
const quad = bits('shr.u', 32, '$row', '$LANE', '$n.2');

const shapes: Readonly<Record<MoveShape, Shape>> = {
  '.32x32b': {
    rows: 32,
    own: [{ kind: 'copy', to: '$row', from: '$LANE' }, constant('$across', 0)],
    places: [{ row: 0, column: 0 }],
    columns: 1,
  },
  '.16x64b': {
    rows: 16,
    own: [
      quad,
      low('$odd', '$n.1'),
      bits('shl', 32, '$down', '$odd', '$n.3'),
      integer('add', 'u32', '$row', '$row', '$down'),
      extract('$across', '$LANE', 1, 1),
    ],
    places: [{ row: 0, column: 0 }],
    columns: 2,
  },
  '.16x128b': {
    rows: 16,
    own: [quad, low('$across', '$n.3')],
    places: [0, 8].map((row) => ({ row, column: 0 })),
    columns: 4,
  },
  '.16x256b': {
    rows: 16,
    own: [quad, low('$pair', '$n.3'), bits('shl', 32, '$across', '$pair', '$n.1')],
    places: [0, 8].flatMap((row) => [0, 1].map((column) => ({ row, column }))),
    columns: 8,
  },
  '.16x32bx2': {
    rows: 16,
    own: [
      low('$row', '$n.15'),
      bits('shr.u', 32, '$half', '$LANE', '$n.4'),
      extract('$split', '$imm-half-split-off', 0, 32),
      integer('mul.lo', 'u32', '$across', '$half', '$split'),
    ],
    places: [{ row: 0, column: 0 }],
    columns: 1,
  },
};

/** A load or store of `count` registers. If `packed`, each register holds the low halves of two columns. */
export interface Move {
  readonly shape: MoveShape;
  readonly count: number;
  readonly packed: boolean;
}

export function loadSteps(move: Move): readonly Step[] {
  const registers = refsOf('r', move.count);
  const halvesOf = (to: Ref): readonly [low: Ref, high: Ref] => [`${to}.low`, `${to}.high`];
  const pack = (to: Ref): Step => ({ kind: 'pack', to, from: halvesOf(to).toReversed(), lane: 16, stride: 16 });
  const to = move.packed ? registers.flatMap(halvesOf) : registers;
  return [...open(move), { kind: 'tensor-load', ...placed(move), to }, ...(move.packed ? registers.map(pack) : [])];
}

/** Computes the minimum or maximum of loaded registers or, with `.abs`, of their magnitudes. */
export function reductionSteps(variant: Variant, count: number, to: Ref): readonly Step[] {
  const fn = has(variant, '.min') ? 'min' : 'max';
  const mode = { ...plainMode, nan: has(variant, '.NaN') };
  const float = (name: 'abs' | 'min' | 'max', result: Ref, from: readonly Ref[]): ValueStep => ({
    kind: 'float',
    fn: name,
    format: 'f32',
    mode,
    to: result,
    from,
  });
  const type = slotType(variant, 0).name;
  const combine =
    type === '.f32'
      ? (result: Ref, a: Ref, b: Ref): ValueStep => float(fn, result, [a, b])
      : (result: Ref, a: Ref, b: Ref): ValueStep => integer(fn, type === '.s32' ? 's32' : 'u32', result, a, b);
  const loaded = refsOf('r', count);
  const isAbs = has(variant, '.abs');
  const terms = isAbs ? loaded.map((ref): Ref => `${ref}.abs`) : loaded;
  const [first, ...others] = terms;
  if (first === undefined) throw new Error('a reduction needs registers');
  const partial = (i: number): Ref => (i === others.length ? to : `${to}.${i}`);
  return [
    ...(isAbs ? loaded.map((ref, i) => float('abs', elementAt(terms, i), [ref])) : []),
    ...others.map((ref, i) => combine(partial(i + 1), i === 0 ? first : partial(i), ref)),
  ];
}

export function storeSteps(move: Move): readonly Step[] {
  const registers = refsOf('r', move.count);
  const split = (from: Ref): readonly ValueStep[] => [
    extract(`${from}.low`, from, 0, 16),
    extract(`${from}.high`, from, 16, 16),
  ];
  const from = move.packed ? registers.flatMap((ref): readonly Ref[] => [`${ref}.low`, `${ref}.high`]) : registers;
  return [
    ...open(move),
    ...(move.packed ? registers.flatMap(split) : []),
    { kind: 'tensor-store', ...placed(move), from },
  ];
}

/** Checks the access, and computes `$start`, the offset of the first of the thread's registers. */
function open(move: Move): readonly Step[] {
  const { rows, own } = shapes[move.shape];
  const columns = placesOf(move)
    .flat()
    .map(({ column }) => column);
  return [
    ...splitAddress('$taddr'),
    ...ownLanes(rows),
    ...numbers,
    ...own,
    integer('add', 'u32', '$own-lane', '$first-lane', '$row'),
    ...(move.packed && move.shape !== '.16x32bx2' ? [bits('shl', 32, '$across', '$across', '$n.1')] : []),
    integer('add', 'u32', '$own-column', '$column', '$across'),
    ...requireColumns('$own-column', Math.max(...columns) + 1),
    ...offsetOf('$start', '$own-lane', '$own-column'),
  ];
}

/** The locations of each register: one, or two if two columns are packed in a register. */
function placesOf(move: Move): readonly (readonly Place[])[] {
  const { places, columns } = shapes[move.shape];
  const scale = move.packed ? 2 : 1;
  return Array.from({ length: move.count }, (_, i) => {
    const { row, column } = elementAt(places, i % places.length);
    const first = scale * (column + columns * Math.floor(i / places.length));
    return Array.from({ length: scale }, (__, half) => ({ row, column: first + half }));
  });
}

/** The locations of the words that a move transfers. */
function placed(move: Move): Pick<StepOf<'tensor-load'>, 'space' | 'address' | 'offsets'> {
  const offsets = placesOf(move)
    .flat()
    .map(({ row, column }) => tensorOffset(row, column));
  return { space: 'tensor', address: '$start', offsets };
}
