/**
 * atom and red (PTX ISA 9.1, sections 9.7.13.5 and 9.7.13.6). `red` is `atom` without a result. Orderings and scopes do
 * not affect values, because every write is visible to all other threads immediately.
 */
import type { AvailabilityRow, Constraint } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { slotType } from '../../variant.ts';
import { vectorLanes } from '../../rules.ts';
import { type MemoryOrder, relaxedOnGpu } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { needs, needsModifier, row } from '../availability-rows.ts';
import { orderOf } from '../order-of.ts';
import { spaceOf } from '../space-of.ts';
import {
  type Combine,
  compareAndSwap,
  dependsOnSpace,
  exchange,
  float,
  inShared,
  integer,
  logic,
  type Names,
  wrapping,
} from './combine.ts';

const spaces: readonly string[] = ['.global', '.shared', '.shared::cta', '.shared::cluster'];

/**
 * The steps of the whole instruction: read, combine, write back and, for `atom`, return the old value. `usual` contains
 * the order and scope that apply if the modifiers specify none.
 */
export function atomicSteps(
  combine: Combine,
  result: boolean,
  usual: MemoryOrder = relaxedOnGpu,
): InstructionForm['steps'] {
  return (variant): readonly Step[] => {
    const lanes = Array.from({ length: vectorLanes(variant) }, (_, lane) => lane);
    const named = (name: Ref): readonly Ref[] => lanes.map((lane): Ref => `${name}.${lane}`);
    const namesOf = (lane: number): Names => ({ old: `$old.${lane}`, b: `$b.${lane}`, c: '$c', next: `$next.${lane}` });
    const atomic: Step = {
      kind: 'atomic',
      space: spaceOf(variant),
      width: slotType(variant, 0).width,
      address: '$a',
      old: named('$old'),
      next: named('$next'),
      steps: lanes.flatMap((lane) => combine(variant, namesOf(lane))),
      order: orderOf(variant, usual),
    };
    const isInShared: Step = { kind: 'in-window', space: 'shared::cluster', to: inShared, from: '$a' };
    const changed = combine === float && dependsOnSpace(variant) ? [isInShared, atomic] : [atomic];
    if (!result) return changed;
    return [...changed, ...lanes.map((lane): Step => ({ kind: 'copy', to: `$d.${lane}`, from: `$old.${lane}` }))];
  };
}

// --- availability ---------------------------------------------------------------------------------------------------

const wide: readonly TypeName[] = ['.b64', '.u64', '.s64', '.f64'];

const general: readonly AvailabilityRow[] = [
  row('atomic operations', at('1.1', 11)),
  ...spaces.slice(1).map((space) => needs(`atomic operations in ${space}`, { modifiers: [space] }, at('1.2', 12))),
  ...spaces
    .slice(1)
    .map((space) => needs(`64-bit atomic operations in ${space}`, { modifiers: [space], types: wide }, at('2.0', 20))),
  needs('64-bit atomic operations', { types: wide }, at('1.2', 12)),
  needs('generic addressing', { without: spaces }, at('2.0', 20)),
  needsModifier('.shared::cta', at('7.8')),
  needsModifier('.shared::cluster', at('7.8', 90)),
  ...['.relaxed', '.acquire', '.release', '.acq_rel'].map((order) => needsModifier(order, at('5.1', 70))),
  ...['.cta', '.gpu', '.sys'].map((scope) => needs(`scope ${scope}`, { modifiers: [scope] }, at('5.0', 60))),
  needs('scope .cluster', { modifiers: ['.cluster'] }, at('7.8', 90)),
  needsModifier('.L2::cache_hint', at('7.4', 80)),
];

// --- forms ----------------------------------------------------------------------------------------------------------

interface Operation {
  readonly id: string;
  /** The part of the syntax line that follows the state space and the memory order: the operation, vector and type. */
  readonly syntax: string;
  readonly summary: string;
  readonly sets: Readonly<Record<string, readonly string[]>>;
  readonly rows?: readonly AvailabilityRow[];
  readonly combine: Combine;
  readonly third?: boolean;
  /** True for an operation that exists only as `atom`, not as `red`, because it is of little use without its result. */
  readonly onlyAtom?: boolean;
  /** True for an operation that has no form with a cache policy. */
  readonly unhinted?: boolean;
  /** True for vector operations, which can access only global memory. */
  readonly globalOnly?: boolean;
}

const atomSem = ['.relaxed', '.acquire', '.release', '.acq_rel'];
const redSem = ['.relaxed', '.release'];
const address: OperandPattern = { kind: 'address', name: 'a', access: 'store', sized: true, typed: true };
const policy = read('cache-policy', '.u64');

const nearGlobal: readonly Constraint[] = [
  { kind: 'axis-goes-with', axis: 'cacheHint', other: 'space', values: ['', '.global'] },
];

function forms(operation: Operation, opcode: 'atom' | 'red'): readonly InstructionForm[] {
  const result = opcode === 'atom';
  const vector = operation.syntax.includes('.vector');
  const lanes = (name: string, value: OperandPattern): OperandPattern =>
    value.kind === 'value' ? { kind: 'lanes', name, value } : value;
  const operands = [
    ...(result ? [lanes('d', write('d', 0, { sink: !vector }))] : []),
    address,
    lanes('b', read('b', 0)),
    ...(operation.third === true ? [read('c', 0)] : []),
  ];
  const space = operation.globalOnly === true ? '{.global}' : '{.atomSpace}';
  const list = `${result ? 'd, ' : ''}[a], b${operation.third === true ? ', c' : ''}`;
  const make = (hinted: boolean): InstructionForm => ({
    id: `${opcode}.${operation.id}${hinted ? '.hint' : ''}`,
    section: result ? '9.7.13.5' : '9.7.13.6',
    syntax: `${opcode}{.sem}{.scope}${space}${operation.syntax.replace('HINT', hinted ? '.L2::cache_hint' : '')}  ${list}${hinted ? ', cache-policy' : ''}`,
    summary: operation.summary,
    sets: { sem: result ? atomSem : redSem, atomSpace: spaces, ...operation.sets },
    regime: 'exact',
    constraints: nearGlobal,
    availability: [...general, ...(operation.rows ?? [])],
    operands: hinted ? [...operands, policy] : operands,
    steps: atomicSteps(operation.combine, result),
  });
  return operation.unhinted === true ? [make(false)] : [make(false), make(true)];
}

const vectors = row('vector atomic operations', at('8.1', 90));

const keepsSubnormals = row('.noftz with .f32', at('9.4', 90));

const operations: readonly Operation[] = [
  {
    id: 'logic',
    syntax: '.opHINT.type',
    summary: 'Applies a bitwise operation to a word of memory.',
    sets: { op: ['.and', '.or', '.xor'], type: ['.b32', '.b64'] },
    rows: [needs('64-bit logic', { types: ['.b64'] }, at('3.1', 32))],
    combine: logic,
  },
  {
    id: 'add',
    syntax: '.opHINT.type',
    summary: 'Adds to a word of memory.',
    sets: { op: ['.add'], type: ['.u32', '.s32', '.u64'] },
    combine: integer,
  },
  {
    id: 'extremum',
    syntax: '.opHINT.type',
    summary: 'Replaces a word of memory with the smaller or larger of that word and b.',
    sets: { op: ['.min', '.max'], type: ['.u32', '.s32', '.u64', '.s64'] },
    rows: [needs('64-bit minimum and maximum', { types: ['.u64', '.s64'] }, at('3.1', 32))],
    combine: integer,
  },
  {
    id: 'wrap',
    syntax: '.opHINT.u32',
    summary: 'Counts up or down and wraps at a bound.',
    sets: { op: ['.inc', '.dec'] },
    combine: wrapping,
  },
  {
    id: 'add.float',
    syntax: '.opHINT.type',
    summary: 'Adds a float to memory.',
    sets: { op: ['.add'], type: ['.f32', '.f64'] },
    rows: [
      needs('atomic .f32', { types: ['.f32'] }, at('2.0', 20)),
      needs('atomic .f64', { types: ['.f64'] }, at('5.0', 60)),
    ],
    combine: float,
  },
  {
    id: 'add.half',
    syntax: '.op.noftzHINT.type',
    summary: 'Adds a 16-bit float, or a pair of them, to memory.',
    sets: { op: ['.add'], type: ['.f16', '.f16x2', '.bf16', '.bf16x2'] },
    rows: [
      needs('atomic .f16x2', { types: ['.f16x2'] }, at('6.2', 60)),
      needs('atomic .f16', { types: ['.f16'] }, at('6.3', 70)),
      needs('atomic .bf16', { types: ['.bf16', '.bf16x2'] }, at('7.8', 90)),
    ],
    combine: float,
  },
  {
    id: 'add.noftz',
    syntax: '.op.noftzHINT.f32',
    summary: 'Adds a float to memory, and keeps subnormal numbers.',
    sets: { op: ['.add'] },
    rows: [keepsSubnormals],
    combine: float,
  },
  {
    id: 'exch',
    syntax: '.exchHINT.type',
    summary: 'Exchanges a register with memory.',
    sets: { type: ['.b32', '.b64', '.b128'] },
    rows: [needs('128-bit exchange', { types: ['.b128'] }, at('8.3', 90))],
    combine: exchange,
    onlyAtom: true,
  },
  {
    id: 'cas',
    syntax: '.cas.type',
    unhinted: true,
    summary: 'Stores c if memory holds b.',
    sets: { type: ['.b16', '.b32', '.b64', '.b128'] },
    rows: [
      needs('16-bit compare and swap', { types: ['.b16'] }, at('6.3', 70)),
      needs('128-bit compare and swap', { types: ['.b128'] }, at('8.3', 90)),
    ],
    combine: compareAndSwap,
    third: true,
    onlyAtom: true,
  },
  {
    id: 'vector.f32',
    syntax: '.opHINT.vector.f32',
    summary: 'Adds floats to consecutive words of memory, each one atomically.',
    sets: { op: ['.add'], vector: ['.v2', '.v4'] },
    rows: [vectors],
    combine: float,
    globalOnly: true,
  },
  {
    id: 'vector.f32.noftz',
    syntax: '.op.noftzHINT.vector.f32',
    summary: 'Adds floats to consecutive words of memory, each one atomically, and keeps subnormal numbers.',
    sets: { op: ['.add'], vector: ['.v2', '.v4'] },
    rows: [vectors, keepsSubnormals],
    combine: float,
    globalOnly: true,
  },
  {
    id: 'vector.half',
    syntax: '.op.noftzHINT.vector.type',
    summary:
      'Adds the elements of b to consecutive 16-bit floats, or replaces each float with the smaller or larger of itself and the element of b.',
    sets: { op: ['.add', '.min', '.max'], vector: ['.v2', '.v4', '.v8'], type: ['.f16', '.bf16'] },
    rows: [vectors],
    combine: float,
    globalOnly: true,
  },
  {
    id: 'vector.pair',
    syntax: '.op.noftzHINT.vector.type',
    summary:
      'Adds the elements of b to consecutive pairs of 16-bit floats, or replaces each float with the smaller or larger of itself and the float in b.',
    sets: { op: ['.add', '.min', '.max'], vector: ['.v2', '.v4'], type: ['.f16x2', '.bf16x2'] },
    rows: [vectors],
    combine: float,
    globalOnly: true,
  },
];

/** Every form of atom and red. */
export const atomicForms = (): readonly InstructionForm[] => [
  ...operations.flatMap((operation) => forms(operation, 'atom')),
  ...operations.filter(({ onlyAtom }) => onlyAtom !== true).flatMap((operation) => forms(operation, 'red')),
];
