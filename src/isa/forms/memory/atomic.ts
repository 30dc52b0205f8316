/**
 * atom and red (PTX ISA 9.1, sections 9.7.13.5 and 9.7.13.6). `red` is `atom` without a result. Orderings and scopes do
 * not affect values, because every write is visible to all other threads immediately.
 */
import {
  type AvailabilityRow,
  type Constraint,
  type InstructionForm,
  type OperandPattern,
  type Variant,
  choice,
  has,
  integerType,
  floatType,
} from '../../form.ts';
import { read, slotType, write } from '../../form.ts';
import { vectorLanes } from '../../rules.ts';
import { relaxedOnGpu } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { type IntegerName, integerName } from '../../../numerics/formats.ts';
import { plainMode } from '../../../numerics/operations.ts';
import { orderOf } from '../order-of.ts';
import { spaceOf } from '../space-of.ts';

const spaces: readonly string[] = ['.global', '.shared', '.shared::cta', '.shared::cluster'];

// --- new values by operation ----------------------------------------------------------------------------------------

/** The steps that compute `next` from `old`, `b` and `c`. */
export type Combine = (variant: Variant, names: Names) => readonly ValueStep[];

export interface Names {
  readonly old: Ref;
  readonly b: Ref;
  readonly c: Ref;
  readonly next: Ref;
}

const opOf = (variant: Variant): string => (variant.modifiers['op'] ?? variant.modifiers['boolOp'] ?? '').slice(1);

export const logic: Combine = (variant, { old, b, next }) => {
  const { width } = slotType(variant, 0);
  return [{ kind: 'bits', fn: choice(variant, 'boolOp', ['and', 'or', 'xor']), width, to: next, from: [old, b] }];
};

export const integer: Combine = (variant, { old, b, next }) => {
  const type = integerType(variant, 0);
  const fn = choice(variant, 'op', ['add', 'min', 'max']);
  return [{ kind: 'integer', fn, type, sat: false, to: next, from: [old, b] }];
};

/**
 * `.inc` counts up, and wraps to 0 if the old value is b or more. `.dec` counts down, and wraps to b if the old value
 * is 0 or greater than b.
 */
export function wrap(op: 'inc' | 'dec', { old, b, next }: Omit<Names, 'c'>): readonly ValueStep[] {
  const compare = (comparison: 'ge' | 'gt' | 'eq', to: Ref, right: Ref): ValueStep => ({
    kind: 'compare',
    comparison,
    type: 'u32',
    flush: false,
    to,
    from: [old, right],
  });
  const step = (fn: 'add' | 'sub'): ValueStep => ({
    kind: 'integer',
    fn,
    type: 'u32',
    sat: false,
    to: '$stepped',
    from: [old, '$one'],
  });
  const constants: readonly ValueStep[] = [
    { kind: 'constant', to: '$one', value: 1 },
    { kind: 'constant', to: '$zero', value: 0 },
  ];
  if (op === 'inc') {
    return [
      ...constants,
      step('add'),
      compare('ge', '$wraps', b),
      { kind: 'select', to: next, condition: '$wraps', from: ['$zero', '$stepped'] },
    ];
  }
  return [
    ...constants,
    step('sub'),
    compare('gt', '$above', b),
    compare('eq', '$empty', '$zero'),
    { kind: 'bits', fn: 'or', width: 1, to: '$wraps', from: ['$above', '$empty'] },
    { kind: 'select', to: next, condition: '$wraps', from: [b, '$stepped'] },
  ];
}

export const wrapping: Combine = (variant, names) => wrap(opOf(variant) === 'inc' ? 'inc' : 'dec', names);

const exchange: Combine = (_, { b, next }) => [{ kind: 'copy', to: next, from: b }];

/** Compares values as bits, and compares the two halves of 128-bit values separately. */
const compareAndSwap: Combine = (variant, { old, b, c, next }) => {
  const { width } = slotType(variant, 0);
  const swap: ValueStep = { kind: 'select', to: next, condition: '$same', from: [c, old] };
  const equal = (to: Ref, left: Ref, right: Ref, type: IntegerName): ValueStep => ({
    kind: 'compare',
    comparison: 'eq',
    type,
    flush: false,
    to,
    from: [left, right],
  });
  if (width < 128) return [equal('$same', old, b, integerName(false, width)), swap];
  const halves = (from: Ref): ValueStep => ({
    kind: 'unpack',
    to: [`${from}.high`, `${from}.low`],
    from,
    lane: 64,
    stride: 64,
  });
  return [
    halves(old),
    halves(b),
    equal('$same.high', `${old}.high`, `${b}.high`, 'u64'),
    equal('$same.low', `${old}.low`, `${b}.low`, 'u64'),
    { kind: 'bits', fn: 'and', width: 1, to: '$same', from: ['$same.high', '$same.low'] },
    swap,
  ];
};

/**
 * Floating-point operations, which process packed types lane by lane. Operations on f32 in global memory flush
 * subnormals to zero, as the ISA requires, except with `.noftz`.
 */
const float: Combine = (variant, { old, b, next }) => {
  const type = slotType(variant, 0);
  const format = floatType(variant, 0);
  const fn = opOf(variant) === 'min' ? 'min' : opOf(variant) === 'max' ? 'max' : 'add';
  const flush = type.name === '.f32' && spaceOf(variant) !== 'shared' && !has(variant, '.noftz');
  const one = (to: Ref, left: Ref, right: Ref): ValueStep => ({
    kind: 'float',
    fn,
    format,
    mode: { ...plainMode, flush },
    to,
    from: [left, right],
  });
  if (type.lanes === 1) return [one(next, old, b)];
  const layout = { lane: type.laneStride, stride: type.laneStride };
  const lanesOf = (name: Ref): readonly Ref[] => [`${name}.high`, `${name}.low`];
  return [
    { kind: 'unpack', to: lanesOf(old), from: old, ...layout },
    { kind: 'unpack', to: lanesOf(b), from: b, ...layout },
    ...(['high', 'low'] as const).map((lane) => one(`${next}.${lane}`, `${old}.${lane}`, `${b}.${lane}`)),
    { kind: 'pack', to: next, from: lanesOf(next), ...layout },
  ];
};

/** The steps of the whole instruction: read, combine, write back and, for `atom`, return the old value. */
function steps(combine: Combine, result: boolean): InstructionForm['steps'] {
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
      order: orderOf(variant, relaxedOnGpu),
    };
    if (!result) return [atomic];
    return [atomic, ...lanes.map((lane): Step => ({ kind: 'copy', to: `$d.${lane}`, from: `$old.${lane}` }))];
  };
}

// --- availability ---------------------------------------------------------------------------------------------------

const when = (subject: string, version: string, sm: number, ...modifiers: readonly string[]): AvailabilityRow => ({
  subject,
  when: { modifiers },
  ways: [at(version, sm)],
});

const wide: readonly TypeName[] = ['.b64', '.u64', '.s64', '.f64'];

const general: readonly AvailabilityRow[] = [
  { subject: 'atomic operations', ways: [at('1.1', 11)] },
  ...spaces.slice(1).map((space) => when(`atomic operations in ${space}`, '1.2', 12, space)),
  ...spaces.slice(1).map(
    (space): AvailabilityRow => ({
      subject: `64-bit atomic operations in ${space}`,
      when: { modifiers: [space], types: wide },
      ways: [at('2.0', 20)],
    }),
  ),
  { subject: '64-bit atomic operations', when: { types: wide }, ways: [at('1.2', 12)] },
  { subject: 'generic addressing', when: { without: spaces }, ways: [at('2.0', 20)] },
  when('.shared::cta', '7.8', 30, '.shared::cta'),
  when('.shared::cluster', '7.8', 90, '.shared::cluster'),
  ...['.relaxed', '.acquire', '.release', '.acq_rel'].map((order) => when(order, '6.0', 70, order)),
  ...['.cta', '.gpu', '.sys'].map((scope) => when(`scope ${scope}`, '5.0', 60, scope)),
  when('scope .cluster', '7.8', 90, '.cluster'),
  when('.L2::cache_hint', '7.4', 80, '.L2::cache_hint'),
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
  /** Without a cache policy. */
  readonly unhinted?: boolean;
  /** True for vector operations, which can access only global memory. */
  readonly globalOnly?: boolean;
}

const atomSem = ['.relaxed', '.acquire', '.release', '.acq_rel'];
const redSem = ['.relaxed', '.release'];
const address: OperandPattern = { kind: 'address', name: 'a', access: 'store', sized: true };
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
    steps: steps(operation.combine, result),
  });
  return operation.unhinted === true ? [make(false)] : [make(false), make(true)];
}

const ofType = (subject: string, version: string, sm: number, ...types: readonly TypeName[]): AvailabilityRow => ({
  subject,
  when: { types },
  ways: [at(version, sm)],
});

const vectors: AvailabilityRow = { subject: 'vector atomic operations', ways: [at('8.1', 90)] };

const keepsSubnormals: AvailabilityRow = { subject: '.noftz with .f32', ways: [at('9.4', 90)] };

const operations: readonly Operation[] = [
  {
    id: 'logic',
    syntax: '.opHINT.type',
    summary: 'Applies a bitwise operation to a word of memory.',
    sets: { op: ['.and', '.or', '.xor'], type: ['.b32', '.b64'] },
    rows: [ofType('64-bit logic', '3.1', 32, '.b64')],
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
    rows: [ofType('64-bit minimum and maximum', '3.1', 32, '.u64', '.s64')],
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
    rows: [ofType('atomic .f32', '2.0', 20, '.f32'), ofType('atomic .f64', '5.0', 60, '.f64')],
    combine: float,
  },
  {
    id: 'add.half',
    syntax: '.op.noftzHINT.type',
    summary: 'Adds a 16-bit float, or a pair of them, to memory.',
    sets: { op: ['.add'], type: ['.f16', '.f16x2', '.bf16', '.bf16x2'] },
    rows: [
      ofType('atomic .f16x2', '6.2', 60, '.f16x2'),
      ofType('atomic .f16', '6.3', 70, '.f16'),
      ofType('atomic .bf16', '7.8', 90, '.bf16', '.bf16x2'),
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
    rows: [ofType('128-bit exchange', '8.3', 90, '.b128')],
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
      ofType('16-bit compare and swap', '6.3', 70, '.b16'),
      ofType('128-bit compare and swap', '8.3', 90, '.b128'),
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
