/**
 * tensormap.replace, tensormap.cp_fenceproxy and clusterlaunchcontrol (PTX ISA 9.1, sections 9.7.9.28 and 9.7.13.16 to
 * 9.7.13.18). clusterlaunchcontrol is checked but not executed. Versions and targets were determined with ptxas 13.0.
 */
import { has, type InstructionForm, type OperandPattern, read, type ValuePattern, write } from '../../form.ts';
import { at, atSuffixed } from '../../targets.ts';
import { tensorMapFields } from '../../tensor-map-fields.ts';
import { checked, executed, needs } from '../checked.ts';
import { spaceOf } from '../space-of.ts';
import { copy, inGlobal, inShared, operandList } from './bulk.ts';
import { replaceField, type StoredField } from './tensor-map-steps.ts';

const map: OperandPattern = { kind: 'address', name: 'a', access: 'store', least: { bits: 32 } };
const spaces = ['.global', '.shared::cta'];
const ordinal = read('ord', '.u32', { constantOnly: true, range: [0, 4] });
const constant = (last: number): ValuePattern => read('b', '.u32', { constantOnly: true, range: [0, last] });

interface Field {
  readonly id: string;
  readonly type: '.b32' | '.b64';
  readonly operands: readonly OperandPattern[];
  /** How each of the fields that the syntax line stands for is stored. */
  readonly stored: Readonly<Record<string, StoredField>>;
}

const byte = (offset: number): StoredField => ({ at: offset, width: 8, lessOne: false });

const fields: readonly Field[] = [
  {
    id: 'address',
    type: '.b64',
    operands: [read('b', '.b64')],
    stored: { '.global_address': { ...byte(tensorMapFields.address), width: 64 } },
  },
  {
    id: 'rank',
    type: '.b32',
    operands: [read('b', '.b32')],
    stored: { '.rank': byte(tensorMapFields.rank) },
  },
  {
    id: 'dimension',
    type: '.b32',
    operands: [ordinal, read('b', '.b32')],
    stored: {
      '.box_dim': { ...byte(tensorMapFields.box), lessOne: true },
      '.global_dim': { ...byte(tensorMapFields.dimensions), width: 32, lessOne: true },
      '.element_stride': { ...byte(tensorMapFields.elementStrides), lessOne: true },
    },
  },
  {
    id: 'stride',
    type: '.b64',
    operands: [ordinal, read('b', '.b64')],
    stored: { '.global_stride': { ...byte(tensorMapFields.strides), width: 64 } },
  },
  {
    id: 'elemtype',
    type: '.b32',
    operands: [constant(15)],
    stored: { '.elemtype': byte(tensorMapFields.elementType) },
  },
  {
    id: 'interleave_layout',
    type: '.b32',
    operands: [constant(2)],
    stored: { '.interleave_layout': byte(tensorMapFields.interleave) },
  },
  {
    id: 'swizzle_mode',
    type: '.b32',
    operands: [constant(4)],
    stored: { '.swizzle_mode': byte(tensorMapFields.swizzle) },
  },
  {
    id: 'swizzle_atomicity',
    type: '.b32',
    operands: [constant(3)],
    stored: { '.swizzle_atomicity': byte(tensorMapFields.atomicity) },
  },
  {
    id: 'fill_mode',
    type: '.b32',
    operands: [constant(1)],
    stored: { '.fill_mode': byte(tensorMapFields.fill) },
  },
];

const replacements = () =>
  fields.map(({ id, type, operands, stored }) =>
    executed(
      {
        id: `tensormap.replace.${id}`,
        section: '9.7.9.28',
        syntax: `tensormap.replace.tile.field{.space}.b1024${type}  ${operandList([map, ...operands])}`,
        summary: 'Changes a field in the description of a tensor (a tensor map).',
        sets: { field: Object.keys(stored), space: spaces },
        rows: id === 'swizzle_atomicity' ? [needs('.swizzle_atomicity', {}, atSuffixed('8.6', 100))] : [],
        operands: [map, ...operands],
      },
      atSuffixed('8.3', 90),
      (variant) => {
        const found = Object.entries(stored).find(([name]) => has(variant, name));
        if (found === undefined) throw new Error(`no field of a tensor map in ${variant.mnemonic}`);
        return replaceField(spaceOf(variant), found[1], operands.includes(ordinal));
      },
    ),
  );

const size = read('size', '.u32', { constantOnly: true, oneOf: [128] });

const publication = () =>
  executed(
    {
      id: 'tensormap.cp_fenceproxy',
      section: '9.7.13.16',
      syntax:
        'tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned  [dst], [src], size',
      summary:
        'Copies the description of a tensor (a tensor map) and makes it visible to instructions that copy tensors.',
      operands: [inGlobal('dst', 'store'), inShared('src', 'load'), size],
    },
    at('8.3', 90),
    () => copy('shared', 'global'),
  );

const result = (name: string, access: 'load' | 'store'): OperandPattern => ({ kind: 'address', name, access });
const answer = read('b', '.b128');

const requests = () => [
  checked(
    {
      id: 'clusterlaunchcontrol.try_cancel',
      section: '9.7.13.17',
      syntax:
        'clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128  [a], [mbar]',
      summary: 'Requests that the launch of a cluster be canceled if the cluster has not started yet.',
      sets: { space: ['.shared::cta'] },
      rows: [needs('.multicast::cluster::all', { modifiers: ['.multicast::cluster::all'] }, atSuffixed('8.6', 100))],
      operands: [result('a', 'store'), result('mbar', 'store')],
    },
    at('8.6', 100),
  ),
  checked(
    {
      id: 'clusterlaunchcontrol.query_cancel.is_canceled',
      section: '9.7.13.18',
      syntax: 'clusterlaunchcontrol.query_cancel.is_canceled.pred.b128  p, b',
      summary: 'Tests whether a launch was canceled.',
      operands: [write('p', '.pred'), answer],
    },
    at('8.6', 100),
  ),
  checked(
    {
      id: 'clusterlaunchcontrol.query_cancel.get_first_ctaid',
      section: '9.7.13.18',
      syntax: 'clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128  d, b',
      summary: 'Returns the coordinates of the first block of a canceled cluster.',
      operands: [
        {
          kind: 'vector',
          name: 'd',
          elements: Array.from({ length: 4 }, (_, i) => write(`d.${i}`, '.b32', { sink: true })),
          types: ['.b32', '.u32', '.s32', '.f32', '.f16x2'],
          whole: true,
        },
        answer,
      ],
    },
    at('8.6', 100),
  ),
  ...(['x', 'y', 'z'] as const).map((part) =>
    checked(
      {
        id: `clusterlaunchcontrol.query_cancel.get_first_ctaid.${part}`,
        section: '9.7.13.18',
        syntax: `clusterlaunchcontrol.query_cancel.get_first_ctaid::${part}.b32.b128  d, b`,
        summary: `Returns the ${part} coordinate of the first block of a canceled cluster.`,
        operands: [write('d', '.b32'), answer],
      },
      at('8.6', 100),
    ),
  ),
];

/** tensormap and clusterlaunchcontrol. */
export const tensorMapForms = (): readonly InstructionForm[] => [...replacements(), publication(), ...requests()];
