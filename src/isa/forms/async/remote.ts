/**
 * st.async and red.async (sections 9.7.9.12 and 9.7.13.7 of PTX ISA 9.1), and their multimem variants, which PTX 9.3
 * introduced. A GPU completes the accesses some time after the instruction; ptxlab completes them within the
 * instruction. Versions and targets were determined with ptxas 13.0 and 13.3.
 */
import type { Constraint } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read } from '../../operand-patterns.ts';
import { slotType } from '../../variant.ts';
import { vectorLanes } from '../../rules.ts';
import type { AccessSpace } from '../../spaces.ts';
import { relaxedOnGpu, releasedToCluster } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step, StepOf } from '../../steps/step.ts';
import { at, atBefore } from '../../targets.ts';
import { weakStore } from '../access-steps.ts';
import { needs, needsModifier, needsType } from '../availability-rows.ts';
import { type CheckedLine, executed as form } from '../checked.ts';
import { constant } from '../integer/steps.ts';
import { type Combine, integer, logic, wrapping } from '../memory/combine.ts';
import { orderOf } from '../order-of.ts';
import { mechanism, reportBytes } from './parts.ts';

const since = at('8.1', 90);
const late = ['.release', '.global'].map((word) => needsModifier(word, at('8.7', 100)));
/** The ISA allows `.mmio` only with the scope `.sys`. Up to version 9.0, ptxas also accepts the scope `.gpu`. */
const ofSystem = needs('.mmio in the scope .gpu', { modifiers: ['.mmio', '.gpu'] }, atBefore('9.1'));

const address: OperandPattern = { kind: 'address', name: 'a', access: 'store', least: { bits: 32 } };
const object: OperandPattern = {
  kind: 'address',
  name: 'mbar',
  access: 'store',
  least: { bits: 32, generic: true },
};
const value = read('b', 0);

const words = ['.b32', '.u32', '.s32', '.f32', '.b64', '.u64', '.s64', '.f64'];
const types = [...words, '.b8', '.u8', '.s8', '.b16', '.u16', '.s16'];

const released: readonly Constraint[] = [{ kind: 'needs-modifier', modifier: '.mmio', oneOf: ['.release'] }];

/** The state space of the address. An access without a space modifier is generic. */
function spaceOf({ mnemonic }: Variant): AccessSpace {
  if (mnemonic.includes('.global')) return 'global';
  return mnemonic.includes('.shared') ? 'shared' : 'generic';
}

/** Subtracts the size of the stored value from the number of bytes that the mbarrier object still expects. */
function complete(variant: Variant, space: AccessSpace): readonly Step[] {
  const bytes = (vectorLanes(variant) * slotType(variant, 0).width) / 8;
  return [constant('$transferred', bytes), reportBytes('$transferred', '$mbar', space)];
}

function store(variant: Variant, space: AccessSpace, from: readonly Ref[]): StepOf<'store'> {
  return weakStore(space, slotType(variant, 0).width, '$a', from);
}

const releasedStore: InstructionForm['steps'] = (variant) => [
  { ...store(variant, spaceOf(variant), ['$b']), order: orderOf(variant, releasedToCluster) },
];

function reduce(combine: Combine, variant: Variant, space: AccessSpace): Step {
  const steps = combine(variant, { old: '$before', b: '$b', c: '$b', next: '$after' });
  const { width } = slotType(variant, 0);
  return {
    kind: 'atomic',
    space,
    width,
    address: '$a',
    old: ['$before'],
    next: ['$after'],
    steps,
    order: orderOf(variant, relaxedOnGpu),
  };
}

const stored = 'Starts storing a value in the memory of another block.';

const storeWithObject = {
  section: '9.7.9.12',
  summary: stored,
  sets: { type: [...words, '.b128'] },
  rows: [needsType('.b128', at('9.2'))],
  constraints: [{ kind: 'vector-bits', bits: 128 }],
  operands: [address, { kind: 'lanes', name: 'b', value, braced: true, alone: true }, object],
} satisfies Partial<CheckedLine>;

const storeAndComplete: InstructionForm['steps'] = (variant) => {
  const space = spaceOf(variant);
  const lanes = Array.from({ length: vectorLanes(variant) }, (_, lane): Ref => `$b.${lane}`);
  return [{ ...store(variant, space, lanes), object: '$mbar' }, ...complete(variant, space)];
};

const stores = (): readonly InstructionForm[] => [
  form(
    {
      ...storeWithObject,
      id: 'st.async',
      syntax: `st.async{.weak}{.space}${mechanism}{.vec24}.type  [a], b, [mbar]`,
      sets: { ...storeWithObject.sets, space: ['.shared::cluster', '.shared::cta', '.shared'] },
    },
    since,
    storeAndComplete,
  ),
  form(
    {
      ...storeWithObject,
      id: 'st.async.cluster',
      syntax: `st.async.cluster{.shared::cluster}${mechanism}{.vec24}.type  [a], b, [mbar]`,
    },
    since,
    storeAndComplete,
  ),
  form(
    {
      id: 'st.async.weak',
      section: '9.7.9.12',
      // The ISA does not list these spaces of shared memory without an mbarrier object, but ptxas accepts them.
      syntax: 'st.async{.weak}{.space}.type  [a], b',
      summary: 'Starts storing a value in global memory.',
      sets: { space: ['.global', '.shared::cta', '.shared'], type: types },
      rows: late,
      operands: [address, value],
    },
    since,
    (variant) => [store(variant, spaceOf(variant), ['$b'])],
  ),
  form(
    {
      id: 'st.async.release',
      section: '9.7.9.12',
      syntax: 'st.async{.mmio}{.release}.farScope{.global}.type  [a], b',
      summary: 'Starts storing a value in global memory for the threads in a scope.',
      sets: { farScope: ['.gpu', '.sys'], type: types },
      constraints: released,
      rows: [...late, ofSystem],
      operands: [address, value],
    },
    since,
    releasedStore,
  ),
];

const operations = [
  { id: 'add', text: '.add.type', op: [], types: ['.u32', '.s32', '.u64', '.s64'], combine: integer },
  { id: 'extremum', text: '.op.type', op: ['.min', '.max'], types: ['.u32', '.s32'], combine: integer },
  { id: 'wrap', text: '.op.u32', op: ['.inc', '.dec'], types: [], combine: wrapping },
  { id: 'logic', text: '.op.b32', op: ['.and', '.or', '.xor'], types: [], combine: logic },
];

const reductions = () =>
  operations.flatMap(({ id, text, op, types: own, combine }): readonly InstructionForm[] => {
    const sets = { ...(op.length > 0 ? { op } : {}), ...(own.length > 0 ? { type: own } : {}) };
    return [
      form(
        {
          id: `red.async.${id}`,
          section: '9.7.13.7',
          syntax: `red.async.relaxed.cluster{.shared::cluster}${mechanism}${text}  [a], b, [mbar]`,
          summary: 'Starts an atomic operation in the memory of another block.',
          sets,
          operands: [address, value, object],
        },
        since,
        (variant) => {
          const space = spaceOf(variant);
          return [reduce(combine, variant, space), ...complete(variant, space)];
        },
      ),
      form(
        {
          id: `red.async.${id}.global`,
          section: '9.7.13.7',
          syntax: `red.async{.mmio}.sem.farScope{.global}${text}  [a], b`,
          summary: 'Starts an atomic operation in global memory.',
          sets: { ...sets, sem: ['.relaxed', '.release'], farScope: ['.gpu', '.sys'] },
          constraints: released,
          rows: [...late, ofSystem],
          operands: [address, value],
        },
        since,
        (variant) => [reduce(combine, variant, spaceOf(variant))],
      ),
    ];
  });

/** st.async and red.async. */
export const remoteForms = (): readonly InstructionForm[] => [...stores(), ...reductions()];

const ofMultimem = at('9.3', 100);

/**
 * multimem.st.async and multimem.red.async. A device acts as a multicast object with one GPU, so these instructions
 * access its memory.
 */
export const multimemRemoteForms = (): readonly InstructionForm[] => [
  form(
    {
      id: 'multimem.st.async',
      section: '9.7.9.12',
      syntax: 'multimem.st.async.release.farScope{.global}.type  [a], b',
      summary: 'Starts storing a value in each memory. In ptxlab, there is only one memory.',
      sets: { farScope: ['.gpu', '.sys'], type: types },
      operands: [address, value],
    },
    ofMultimem,
    releasedStore,
  ),
  form(
    {
      id: 'multimem.red.async',
      section: '9.7.13.7',
      syntax: 'multimem.red.async.release.farScope{.global}.add.type  [a], b',
      summary: 'Starts an atomic addition in each memory. In ptxlab, there is only one memory.',
      sets: { farScope: ['.gpu', '.sys'], type: ['.u32', '.s32', '.u64'] },
      operands: [address, value],
    },
    ofMultimem,
    (variant) => [reduce(integer, variant, spaceOf(variant))],
  ),
];
