/**
 * st.async and red.async (PTX ISA 9.1, 9.7.9.12, 9.7.13.7). They are checked but not executed. Versions and targets
 * were measured with ptxas 13.0.
 */
import { type Constraint, type InstructionForm, type OperandPattern, read } from '../../form.ts';
import { at } from '../../targets.ts';
import { checked, needs } from '../checked.ts';

const hopper = at('8.1', 90);
const late = ['.release', '.global'].map((word) => needs(word, { modifiers: [word] }, at('8.7', 100)));

const mechanism = '.mbarrier::complete_tx::bytes';
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
const stored = 'Starts storing a value in the memory of another block.';

const stores: readonly InstructionForm[] = [
  checked(
    {
      id: 'st.async',
      section: '9.7.9.12',
      syntax: `st.async{.weak}{.space}${mechanism}{.vec24}.type  [a], b, [mbar]`,
      summary: stored,
      sets: { space: ['.shared::cluster', '.shared::cta'], type: words },
      constraints: [{ kind: 'vector-bits', bits: 128 }],
      operands: [address, { kind: 'lanes', name: 'b', value, braced: true, alone: true }, object],
    },
    hopper,
  ),
  checked(
    {
      id: 'st.async.weak',
      section: '9.7.9.12',
      syntax: 'st.async{.weak}{.global}.type  [a], b',
      summary: 'Starts storing a value in global memory.',
      sets: { type: types },
      rows: late,
      operands: [address, value],
    },
    hopper,
  ),
  checked(
    {
      id: 'st.async.release',
      section: '9.7.9.12',
      syntax: 'st.async{.mmio}{.release}.farScope{.global}.type  [a], b',
      summary: 'Starts storing a value in global memory for the threads in a scope.',
      sets: { farScope: ['.gpu', '.sys'], type: types },
      constraints: released,
      rows: late,
      operands: [address, value],
    },
    hopper,
  ),
];

const operations = [
  { id: 'add', text: '.add.type', op: [], types: ['.u32', '.s32', '.u64', '.s64'] },
  { id: 'extremum', text: '.op.type', op: ['.min', '.max'], types: ['.u32', '.s32'] },
  { id: 'wrap', text: '.op.u32', op: ['.inc', '.dec'], types: [] },
  { id: 'logic', text: '.op.b32', op: ['.and', '.or', '.xor'], types: [] },
];

const reductions = operations.flatMap(({ id, text, op, types: own }): readonly InstructionForm[] => {
  const sets = { ...(op.length > 0 ? { op } : {}), ...(own.length > 0 ? { type: own } : {}) };
  return [
    checked(
      {
        id: `red.async.${id}`,
        section: '9.7.13.7',
        syntax: `red.async.relaxed.cluster{.shared::cluster}${mechanism}${text}  [a], b, [mbar]`,
        summary: 'Starts an atomic operation in the memory of another block.',
        sets,
        operands: [address, value, object],
      },
      hopper,
    ),
    checked(
      {
        id: `red.async.${id}.global`,
        section: '9.7.13.7',
        syntax: `red.async{.mmio}.sem.farScope{.global}${text}  [a], b`,
        summary: 'Starts an atomic operation in global memory.',
        sets: { ...sets, sem: ['.relaxed', '.release'], farScope: ['.gpu', '.sys'] },
        constraints: released,
        rows: late,
        operands: [address, value],
      },
      hopper,
    ),
  ];
});

/** st.async and red.async. */
export const remoteForms: readonly InstructionForm[] = [...stores, ...reductions];
