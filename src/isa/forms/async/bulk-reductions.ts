/**
 * Bulk reductions without tensors (PTX ISA 9.1, sections 9.7.9.25.4.2 and 9.7.9.25.4.5). The reductions are carried out
 * completely by the instruction that starts them. Versions and targets were determined with ptxas 13.0 and 13.3.
 */
import { isIntegerName } from '../../../numerics/formats.ts';
import { isFloatArithmeticFormat, plainMode } from '../../../numerics/operations.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type MemoryOrder, relaxedInSystem, relaxedOnGpu } from '../../steps/order.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { at, type Availability } from '../../targets.ts';
import { isTypeName, type PtxType, type TypeName, typeOf } from '../../types.ts';
import { needsModifier } from '../availability-rows.ts';
import { executed } from '../checked.ts';
import { bits, integer } from '../integer/steps.ts';
import { addDoubles, wrap } from '../memory/combine.ts';
import { operandList } from '../operand-list.ts';
import { orderOf } from '../order-of.ts';
import {
  inGlobal,
  inShared,
  mechanism,
  nearScopes,
  object,
  ofBulkCopies,
  ofMultimemCopies,
  policy,
  reductionOf,
  reportBytes,
  size,
} from './parts.ts';

/** The operation and type of a reduction. */
interface Operation {
  readonly id: string;
  /** The operation and type as written in syntax lines. */
  readonly text: string;
  readonly op: readonly string[];
  readonly types: readonly string[];
  /** The version and target that added the operation, if they differ from those of the instruction. */
  readonly since?: Availability;
}

const shared: readonly Operation[] = [
  { id: 'logic', text: '.op.b32', op: ['.and', '.or', '.xor'], types: [] },
  { id: 'add', text: '.add.type', op: [], types: ['.u32', '.s32', '.u64'] },
  { id: 'extremum', text: '.op.type', op: ['.min', '.max'], types: ['.u32', '.s32'] },
  { id: 'wrap', text: '.op.u32', op: ['.inc', '.dec'], types: [] },
];

const global: readonly Operation[] = [
  { id: 'logic', text: '.op.type', op: ['.and', '.or', '.xor'], types: ['.b32', '.b64'] },
  { id: 'add', text: '.add.type', op: [], types: ['.u32', '.s32', '.u64', '.f32', '.f64'] },
  { id: 'add.half', text: '.add.noftz.type', op: [], types: ['.f16', '.bf16'] },
  { id: 'add.noftz', text: '.add.noftz.f32', op: [], types: [], since: at('9.4', 90) },
  {
    id: 'extremum',
    text: '.op.type',
    op: ['.min', '.max'],
    types: ['.u32', '.s32', '.u64', '.s64', '.f16', '.bf16'],
  },
  { id: 'wrap', text: '.op.u32', op: ['.inc', '.dec'], types: [] },
];

/** Combines each element with the one at the destination. */
function reductionSteps(space: 'shared' | 'global', variant: Variant, order: MemoryOrder): readonly Step[] {
  const type = typeOf(lastWord(variant));
  const reduced: Step = {
    kind: 'bulk-atomic',
    space,
    address: '$dst',
    sourceSpace: 'shared',
    source: '$src',
    size: '$size',
    width: type.width,
    from: '$from',
    to: '$to',
    value: '$value',
    old: '$before',
    next: '$after',
    steps: combine(variant, type),
    order,
  };
  if (space === 'global') return [reduced];
  return [reduced, reportBytes('$size')];
}

/** The type, which is the last word of the mnemonic. */
function lastWord({ mnemonic }: Variant): TypeName {
  const word = `.${mnemonic.split('.').at(-1)}`;
  if (!isTypeName(word)) throw new Error(`${mnemonic} does not end with a type`);
  return word;
}

function combine(variant: Variant, { name, format, width }: PtxType): readonly ValueStep[] {
  const [to, from] = ['$after', ['$before', '$value']] as const;
  const op = reductionOf(variant);
  switch (op) {
    case 'and':
    case 'or':
    case 'xor':
      return [bits(op, width, to, ...from)];
    case 'inc':
    case 'dec':
      return wrap(op, { old: '$before', b: '$value', next: to });
    case 'add':
    case 'min':
    case 'max':
      if (format !== null && isIntegerName(format)) return [integer(op, format, to, ...from)];
      if (format === null || !isFloatArithmeticFormat(format)) throw new Error(`${name} cannot be reduced`);
      if (format === 'f64') return addDoubles('global', { old: '$before', b: '$value', next: to });
      // Unlike red, reductions of f32 keep subnormal numbers.
      return [{ kind: 'float', fn: op, format, mode: plainMode, to, from }];
  }
}

/** The destination of a reduction, and the properties of the instruction that depend on it. */
interface Destination {
  readonly id: string;
  readonly opcode: string;
  readonly section: string;
  readonly space: 'shared' | 'global';
  readonly since: Availability;
  readonly order: MemoryOrder;
}

const toShared: Destination = {
  id: 'cp.reduce.async.bulk.shared',
  opcode: 'cp.reduce.async.bulk',
  section: '9.7.9.25.4.2',
  space: 'shared',
  since: ofBulkCopies,
  order: relaxedOnGpu,
};
const toGlobal: Destination = { ...toShared, id: 'cp.reduce.async.bulk.global', space: 'global' };
const toMultimem: Destination = {
  id: 'multimem.cp.reduce.async.bulk',
  opcode: 'multimem.cp.reduce.async.bulk',
  section: '9.7.9.25.4.5',
  space: 'global',
  since: ofMultimemCopies,
  order: relaxedInSystem,
};

/** The order of a reduction: relaxed by default, or explicitly `.relaxed` with a scope. */
const scoped = [
  { id: '', text: '', rows: [] },
  { id: '.relaxed', text: '.relaxed.scope', rows: [needsModifier('.relaxed', at('9.3', 90))] },
] as const;

function reduction(to: Destination, operation: Operation, hint: boolean): readonly InstructionForm[] {
  const { id, text, op, types, since = to.since } = operation;
  const isShared = to.space === 'shared';
  const ends = isShared ? `.shared::cluster.shared::cta${mechanism}` : '.global.shared::cta.bulk_group';
  const target = isShared ? inShared('dst', 'store') : inGlobal('dst', 'store');
  const list = [target, inShared('src', 'load'), size, ...(isShared ? [object] : []), ...(hint ? [policy] : [])];
  return scoped.map((order) =>
    executed(
      {
        id: `${to.id}.${id}${hint ? '.hint' : ''}${order.id}`,
        section: to.section,
        syntax: `${to.opcode}${order.text}${ends}${hint ? '.L2::cache_hint' : ''}${text}  ${operandList(list)}`,
        summary:
          'Starts a reduction that combines bytes with the contents of the destination. The number of bytes is given by size.',
        sets: {
          ...(isShared ? { scope: nearScopes } : {}),
          ...(op.length > 0 ? { op } : {}),
          ...(types.length > 0 ? { type: types } : {}),
        },
        operands: list,
        rows: order.rows,
      },
      since,
      (variant) => reductionSteps(to.space, variant, orderOf(variant, to.order)),
    ),
  );
}

/** Every form of cp.reduce.async.bulk without tensors. */
export const bulkReductions = (): readonly InstructionForm[] => [
  ...shared.flatMap((operation) => reduction(toShared, operation, false)),
  ...global.flatMap((operation) => [false, true].flatMap((hint) => reduction(toGlobal, operation, hint))),
];

/** Every form of multimem.cp.reduce.async.bulk. */
export const multimemReductions = (): readonly InstructionForm[] =>
  global.flatMap((operation) => reduction(toMultimem, operation, false));
