/**
 * tensormap.replace, tensormap.cp_fenceproxy and clusterlaunchcontrol (PTX ISA 9.1, sections 9.7.9.28 and 9.7.13.16 to
 * 9.7.13.18). They are checked but not executed. Versions and targets were determined with ptxas 13.0.
 */
import { type InstructionForm, type OperandPattern, read, type ValuePattern, write } from '../../form.ts';
import { at, atSuffixed } from '../../targets.ts';
import { checked, needs } from '../checked.ts';
import { operandList } from './bulk.ts';

const map: OperandPattern = { kind: 'address', name: 'a', access: 'store', least: { bits: 32 } };
const spaces = ['.global', '.shared::cta'];
const ordinal = read('ord', '.u32', { constantOnly: true, range: [0, 4] });
const constant = (last: number): ValuePattern => read('b', '.u32', { constantOnly: true, range: [0, last] });

interface Field {
  readonly id: string;
  readonly fields: readonly string[];
  readonly type: '.b32' | '.b64';
  readonly operands: readonly OperandPattern[];
}

const fields: readonly Field[] = [
  { id: 'address', fields: ['.global_address'], type: '.b64', operands: [read('b', '.b64')] },
  { id: 'rank', fields: ['.rank'], type: '.b32', operands: [read('b', '.b32')] },
  {
    id: 'dimension',
    fields: ['.box_dim', '.global_dim', '.element_stride'],
    type: '.b32',
    operands: [ordinal, read('b', '.b32')],
  },
  { id: 'stride', fields: ['.global_stride'], type: '.b64', operands: [ordinal, read('b', '.b64')] },
  { id: 'elemtype', fields: ['.elemtype'], type: '.b32', operands: [constant(15)] },
  { id: 'interleave_layout', fields: ['.interleave_layout'], type: '.b32', operands: [constant(2)] },
  { id: 'swizzle_mode', fields: ['.swizzle_mode'], type: '.b32', operands: [constant(4)] },
  { id: 'swizzle_atomicity', fields: ['.swizzle_atomicity'], type: '.b32', operands: [constant(3)] },
  { id: 'fill_mode', fields: ['.fill_mode'], type: '.b32', operands: [constant(1)] },
];

const replacements = () =>
  fields.map(({ id, fields: own, type, operands }) =>
    checked(
      {
        id: `tensormap.replace.${id}`,
        section: '9.7.9.28',
        syntax: `tensormap.replace.tile.field{.space}.b1024${type}  ${operandList([map, ...operands])}`,
        summary: 'Changes a field in the description of a tensor (a tensor map).',
        sets: { field: own, space: spaces },
        rows: id === 'swizzle_atomicity' ? [needs('.swizzle_atomicity', {}, atSuffixed('8.6', 100))] : [],
        operands: [map, ...operands],
      },
      atSuffixed('8.3', 90),
    ),
  );

const inGlobal: OperandPattern = { kind: 'address', name: 'dst', access: 'store', space: '.global' };
const inShared: OperandPattern = { kind: 'address', name: 'src', access: 'load', space: '.shared' };
const size = read('size', '.u32', { constantOnly: true, oneOf: [128] });

const publication = () =>
  checked(
    {
      id: 'tensormap.cp_fenceproxy',
      section: '9.7.13.16',
      syntax:
        'tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned  [dst], [src], size',
      summary:
        'Copies the description of a tensor (a tensor map) and makes it visible to instructions that copy tensors.',
      operands: [inGlobal, inShared, size],
    },
    at('8.3', 90),
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
