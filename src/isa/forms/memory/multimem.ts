/**
 * multimem.ld_reduce, multimem.red and multimem.st: accesses to the same address in the memory of several GPUs (section
 * 9.7.9.14 of PTX ISA 9.1). A device acts as a multicast object with one GPU: each address of global memory is also a
 * multimem address, and a reduction over the value at this address returns the value itself. Versions and targets were
 * determined with ptxas 13.0.
 */
import type { Constraint } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read, type TypeRef, write } from '../../operand-patterns.ts';
import { type MemoryOrder, relaxedInSystem } from '../../steps/order.ts';
import { at, atListed } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { has, slotType } from '../../variant.ts';
import { needs, needsModifier } from '../availability-rows.ts';
import { type CheckedLine, executed, tensorMemory } from '../checked.ts';
import { orderOf } from '../order-of.ts';
import { atomicSteps } from './atomic.ts';
import { type Combine, float, integer, logic } from './combine.ts';
import { loadSteps, storeSteps } from './memory.ts';

type Word = 'ld_reduce' | 'red' | 'st';

interface Family {
  readonly id: string;
  readonly types: readonly TypeName[];
  /** The type that registers must have; by default, the type in the mnemonic. */
  readonly register?: TypeRef;
  readonly unpacked?: boolean;
  /**
   * The operations that each instruction supports for this type. The operations in `vectorOps` are supported only for
   * vectors.
   */
  readonly ops?: Partial<Readonly<Record<'ld_reduce' | 'red', readonly string[]>>>;
  readonly vectorOps?: readonly string[];
  readonly vectors?: readonly string[];
  /**
   * True if the type is supported only with a vector modifier. (A type without `vectors` is supported only without
   * one.)
   */
  readonly vectorOnly?: boolean;
  /** The modifier that specifies the precision of the addition. */
  readonly sum?: string;
  readonly stored?: boolean;
  /** How `multimem.red` computes the new value; absent if it does not support the type. */
  readonly combine?: Combine;
}

const all = ['.add', '.min', '.max'];
const extrema = ['.min', '.max'];
const both = (ops: readonly string[]): NonNullable<Family['ops']> => ({ ld_reduce: ops, red: ops });

const add: Combine = (variant, names) => (isFloat(variant) ? float : integer)(variant, names);

const isFloat = (variant: Variant): boolean => slotType(variant, 0).name.startsWith('.f');

const families: readonly Family[] = [
  { id: 'add', types: ['.u32', '.u64', '.s32', '.f32', '.f64'], ops: both(['.add']), combine: add },
  { id: 'extremum', types: ['.u32', '.u64', '.s32', '.s64'], ops: both(extrema), combine: integer },
  { id: 'logic', types: ['.b32', '.b64'], ops: both(['.and', '.or', '.xor']), combine: logic },
  { id: 'word', types: ['.b32', '.b64', '.u32', '.u64', '.s32', '.s64', '.f32', '.f64'], stored: true },
  ...([['.f16x2'], ['.bf16x2']] as const).map(
    (types): Family => ({
      id: `pair${types[0] === '.f16x2' ? '' : '.bf16'}`,
      types,
      register: types[0] === '.f16x2' ? 0 : '.b32',
      ops: both(all),
      vectorOps: extrema,
      vectors: ['.v2', '.v4'],
      sum: '.acc::f32',
      stored: true,
      combine: float,
    }),
  ),
  {
    id: 'half',
    types: ['.f16', '.bf16'],
    register: '.b16',
    ops: both(all),
    vectors: ['.v2', '.v4', '.v8'],
    vectorOnly: true,
    sum: '.acc::f32',
    stored: true,
    combine: float,
  },
  {
    id: 'f32.vector',
    types: ['.f32'],
    register: '.b32',
    unpacked: true,
    ops: both(['.add']),
    vectors: ['.v2', '.v4'],
    vectorOnly: true,
    stored: true,
    combine: float,
  },
  {
    id: 'f8x4',
    types: ['.e4m3x4', '.e5m2x4'],
    register: '.b32',
    ops: { ld_reduce: all },
    vectors: ['.v2', '.v4'],
    sum: '.acc::f16',
    stored: true,
  },
  {
    id: 'f8x2',
    types: ['.e4m3x2', '.e5m2x2'],
    register: '.b16',
    ops: { ld_reduce: all },
    vectors: ['.v2', '.v4', '.v8'],
    vectorOnly: true,
    sum: '.acc::f16',
    stored: true,
  },
  {
    id: 'f8',
    types: ['.e4m3', '.e5m2'],
    register: '.b8',
    ops: { ld_reduce: all },
    vectors: ['.v4', '.v8'],
    vectorOnly: true,
    sum: '.acc::f16',
    stored: true,
  },
];

const summaries: Readonly<Record<Word, string>> = {
  ld_reduce: 'Loads a value from each memory and combines these values into one. In ptxlab, there is only one memory.',
  red: 'Applies an operation to the value in each memory. In ptxlab, there is only one memory.',
  st: 'Stores a value in each memory. In ptxlab, there is only one memory.',
};

const orders: Readonly<Record<Word, readonly string[]>> = {
  ld_reduce: ['.relaxed', '.acquire', '.weak'],
  red: ['.relaxed', '.release'],
  st: ['.relaxed', '.release', '.weak'],
};

const scopes = ['.cta', '.cluster', '.gpu', '.sys'];

function constraintsOf(word: Word, { vectorOps = [], vectors = [], sum }: Family): readonly Constraint[] {
  const strong = orders[word].filter((order) => order !== '.weak');
  const onVectors = word === 'red' ? vectorOps : [];
  return [
    ...strong.map((modifier): Constraint => ({ kind: 'needs-modifier', modifier, oneOf: scopes })),
    { kind: 'axis-goes-with', axis: 'scope', other: 'order', values: strong },
    ...onVectors.map((modifier): Constraint => ({ kind: 'needs-modifier', modifier, oneOf: vectors })),
    ...(sum === undefined || word !== 'ld_reduce'
      ? []
      : [{ kind: 'needs-modifier', modifier: sum, oneOf: ['.add'] } as const]),
  ];
}

const orderOfAccess = (variant: Variant): MemoryOrder | null =>
  has(variant, '.weak') ? null : orderOf(variant, relaxedInSystem);

function stepsOf(word: Word, { combine }: Family): InstructionForm['steps'] {
  if (word === 'ld_reduce') return (variant) => loadSteps(variant, orderOfAccess(variant));
  if (word === 'st') return (variant) => storeSteps(variant, orderOfAccess(variant));
  if (combine === undefined) throw new Error('multimem.red has no operation for this type');
  return atomicSteps(combine, false, relaxedInSystem);
}

function form(word: Word, family: Family): InstructionForm {
  const { id, types, register = 0, unpacked = false, vectors, vectorOnly = false, sum } = family;
  const ops = word === 'st' ? undefined : family.ops?.[word];
  const writes = word === 'ld_reduce';
  const value = (writes ? write : read)(writes ? 'd' : 'b', register, { unpacked });
  const lanes: OperandPattern = { kind: 'lanes', name: value.name, value };
  const width = word === 'red' ? { least: { bits: 64 } as const } : { sized: true };
  const address: OperandPattern = { kind: 'address', name: 'a', access: writes ? 'load' : 'store', ...width };
  const vec = vectors === undefined ? '' : vectorOnly ? '.vec' : '{.vec}';
  const summed = sum !== undefined && writes ? `{${sum}}` : '';
  const small = types.some((type) => /^\.e\dm\d/.test(type));
  const line: CheckedLine = {
    id: `multimem.${word}.${id}`,
    section: '9.7.9.14',
    syntax: `multimem.${word}{.sem}{.scope}{.global}${ops === undefined ? '' : '.op'}${summed}${vec}.type  ${writes ? 'd, [a]' : '[a], b'}`,
    summary: summaries[word],
    sets: {
      sem: orders[word],
      type: types,
      ...(ops === undefined ? {} : { op: ops }),
      ...(vectors === undefined ? {} : { vec: vectors }),
    },
    constraints: constraintsOf(word, family),
    rows: [...(sum === '.acc::f32' ? [needsModifier(sum, at('8.2', 90))] : []), ...(small ? [smallFloats] : [])],
    operands: writes ? [lanes, address] : [address, lanes],
  };
  return executed(line, at('8.1', 90), stepsOf(word, family));
}

const smallFloats = needs(
  'multimem with 8-bit floats',
  {},
  ...tensorMemory,
  atListed('8.7', 'sm_120a'),
  atListed('8.8', 'sm_121a'),
);

const loads = families.filter(({ ops }) => ops?.ld_reduce !== undefined).map((family) => form('ld_reduce', family));
const updates = families.filter(({ ops }) => ops?.red !== undefined).map((family) => form('red', family));
const stores = families.filter(({ stored }) => stored === true).map((family) => form('st', family));

/** multimem.ld_reduce, multimem.red and multimem.st. */
export const multimemForms = (): readonly InstructionForm[] => [...loads, ...updates, ...stores];
