/**
 * clusterlaunchcontrol (PTX ISA 9.1, sections 9.7.13.17 and 9.7.13.18). Versions and targets were determined with ptxas
 * 13.0.
 *
 * The ISA does not specify the contents of the 16-byte response. ptxlab stores four words: the first shows whether a
 * cluster was canceled, and the other three are the index of its first block.
 */
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import { elementAt } from '../../../base/element-at.ts';
import type { AccessSpace } from '../../spaces.ts';
import { releasedToCluster } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, atSuffixed } from '../../targets.ts';
import { weakStore } from '../access-steps.ts';
import { needsModifier } from '../availability-rows.ts';
import { executed } from '../checked.ts';
import { bits, constant, extract, integer, select } from '../integer/steps.ts';
import { spaceOf } from '../space-of.ts';
import { eachBlock } from './blocks-of-mask.ts';
import { changeObject, unchanged } from './mbarrier-object.ts';
import { mechanism } from './parts.ts';

const result = (name: string, access: 'load' | 'store'): OperandPattern => ({ kind: 'address', name, access });
const answer = read('b', '.b128');

const answerBytes = 16;

/**
 * Cancels a cluster, and writes the response to the block or, with `.multicast::cluster::all`, to every block of its
 * cluster.
 */
function requestSteps(variant: Variant): readonly Step[] {
  const canceled: Step = { kind: 'cancel-blocks', to: ['$canceled', '$x', '$y', '$z'] };
  const size = constant('$size', answerBytes);
  if (!has(variant, '.multicast::cluster::all'))
    return [canceled, size, ...writeAnswer(spaceOf(variant), '$a', '$mbar', '$size')];
  return [
    canceled,
    size,
    constant('$one', 1),
    bits('shl', 32, '$beyond', '$one', '$CLUSTER.BLOCKS'),
    integer('sub', 'u32', '$everyone', '$beyond', '$one'),
    ...eachBlock('$everyone', (named, addressOf) => [
      select('$own-size', named, '$size', '$zero'),
      ...addressOf('$own-a', '$a'),
      ...addressOf('$own-mbar', '$mbar'),
      ...writeAnswer('shared', '$own-a', '$own-mbar', '$own-size'),
    ]),
  ];
}

/** Stores the response at `to`, and reports `size` bytes to the mbarrier object. */
function writeAnswer(space: AccessSpace, to: Ref, object: Ref, size: Ref): readonly Step[] {
  const from: readonly Ref[] = ['$canceled', '$x', '$y', '$z'];
  return [
    weakStore(space, 32, to, from),
    changeObject(space, object, { ...unchanged, transferred: size }, releasedToCluster),
  ];
}

/** Splits the response `$b`. */
const halves: readonly Step[] = [{ kind: 'unpack', to: ['$high', '$low'], from: '$b', lane: 64, stride: 64 }];

/** Functions that create the steps to extract the index of a block from the two halves of the response. */
const indexParts: readonly ((to: Ref) => Step)[] = [
  (to) => extract(to, '$low', 32, 32),
  (to) => extract(to, '$high', 0, 32),
  (to) => extract(to, '$high', 32, 32),
];

/** clusterlaunchcontrol. */
export const clusterLaunchForms = (): readonly InstructionForm[] => [
  executed(
    {
      id: 'clusterlaunchcontrol.try_cancel',
      section: '9.7.13.17',
      syntax: `clusterlaunchcontrol.try_cancel.async{.space}${mechanism}{.multicast::cluster::all}.b128  [a], [mbar]`,
      summary: 'Requests that the launch of a cluster be canceled if the cluster has not started yet.',
      sets: { space: ['.shared::cta'] },
      rows: [needsModifier('.multicast::cluster::all', atSuffixed('8.6', 100))],
      operands: [result('a', 'store'), result('mbar', 'store')],
    },
    at('8.6', 100),
    requestSteps,
  ),
  executed(
    {
      id: 'clusterlaunchcontrol.query_cancel.is_canceled',
      section: '9.7.13.18',
      syntax: 'clusterlaunchcontrol.query_cancel.is_canceled.pred.b128  p, b',
      summary: 'Tests whether a launch was canceled.',
      operands: [write('p', '.pred'), answer],
    },
    at('8.6', 100),
    () => [...halves, extract('$p', '$low', 0, 1)],
  ),
  executed(
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
    () => [...halves, ...indexParts.map((part, i) => part(`$d.${i}`)), constant('$d.3', 0)],
  ),
  ...(['x', 'y', 'z'] as const).map((part, i) =>
    executed(
      {
        id: `clusterlaunchcontrol.query_cancel.get_first_ctaid.${part}`,
        section: '9.7.13.18',
        syntax: `clusterlaunchcontrol.query_cancel.get_first_ctaid::${part}.b32.b128  d, b`,
        summary: `Returns the ${part} coordinate of the first block of a canceled cluster.`,
        operands: [write('d', '.b32'), answer],
      },
      at('8.6', 100),
      () => [...halves, elementAt(indexParts, i)('$d')],
    ),
  ),
];
