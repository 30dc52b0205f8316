/**
 * Bulk copies and reductions without tensors, and st.bulk (PTX ISA 9.1, sections 9.7.9.13, 9.7.9.25.4 and 9.7.9.25.6).
 * Copies and reductions are carried out completely by the instruction that starts them. Versions and targets were
 * determined with ptxas 13.0.
 */
import { isIntegerName } from '../../../numerics/formats.ts';
import { isFloatArithmeticFormat, plainMode } from '../../../numerics/operations.ts';
import { has, type InstructionForm, type OperandPattern, read, type Variant } from '../../form.ts';
import { completed, relaxedOnGpu } from '../../steps/order.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { at, type Availability } from '../../targets.ts';
import { isTypeName, type PtxType, type TypeName, typeOf } from '../../types.ts';
import { type CheckedLine, executed, needs } from '../checked.ts';
import { extract, select } from '../integer/steps.ts';
import { wrap } from '../memory/atomic.ts';
import { noEffect } from '../no-effect.ts';
import { spaceOf } from '../space-of.ts';
import { eachBlock } from './blocks-of-mask.ts';
import { changeObject, unchanged } from './mbarrier-object.ts';

const hopper = at('8.0', 90);
const blackwell = at('8.6', 100);

/** A form that only gives other threads a chance to run and has no other effect. */
function withoutEffect(line: CheckedLine, way: Availability): InstructionForm {
  return executed(line, way, () => noEffect);
}

const mechanism = '.mbarrier::complete_tx::bytes';
export const inShared = (name: string, access: 'load' | 'store'): OperandPattern => ({
  kind: 'address',
  name,
  access,
  space: '.shared',
});
export const inGlobal = (name: string, access: 'load' | 'store'): OperandPattern => ({
  kind: 'address',
  name,
  access,
  space: '.global',
});

const size = read('size', '.u32', { unpacked: true, multiple: 16, range: [0, 0xffff_ffff] });
const object = inShared('mbar', 'store');
const mask = read('cta-mask', '.u16');
const policy = read('cache-policy', '.u64');

/** Operands in the notation of a syntax line. */
export function operandList(operands: readonly OperandPattern[]): string {
  return operands.map(({ kind, name }) => (kind === 'address' ? `[${name}]` : name)).join(', ');
}

/**
 * Copies between two state spaces. If the destination is shared memory, the number of bytes that have arrived is
 * reported to the mbarrier object. The copy completes later if it is `awaited`.
 */
export function copy(sourceSpace: 'global' | 'shared', space: 'global' | 'shared', awaited = true): readonly Step[] {
  const bulk: Step = {
    kind: 'bulk',
    space,
    address: '$dst',
    sourceSpace,
    source: '$src',
    size: '$size',
    mask: null,
    left: null,
    right: null,
    awaited,
    object: space === 'global' ? null : '$mbar',
  };
  if (space === 'global') return [bulk];
  return [bulk, changeObject('shared', '$mbar', { ...unchanged, transferred: '$size' }, completed.bulk)];
}

/** Copies the same bytes to each block whose rank is a bit of the mask. */
const copyToBlocks: readonly Step[] = eachBlock('$cta-mask', (named, addressOf) => [
  select('$own-size', named, '$size', '$zero'),
  ...addressOf('$own-dst', '$dst'),
  ...addressOf('$own-mbar', '$mbar'),
  {
    kind: 'bulk',
    space: 'shared',
    address: '$own-dst',
    sourceSpace: 'global',
    source: '$src',
    size: '$own-size',
    mask: null,
    left: null,
    right: null,
    awaited: true,
    object: '$own-mbar',
  },
  changeObject('shared', '$own-mbar', { ...unchanged, transferred: '$own-size' }, completed.bulk),
]);

interface Copy {
  readonly id: string;
  readonly words: string;
  readonly operands: readonly OperandPattern[];
  readonly hinted: boolean;
  readonly rows?: InstructionForm['availability'];
  readonly steps: readonly Step[];
}

const copies: readonly Copy[] = [
  {
    id: 'load',
    words: `.shared::cluster.global${mechanism}`,
    operands: [inShared('dst', 'store'), inGlobal('src', 'load'), size, object],
    hinted: true,
    steps: copy('global', 'shared'),
  },
  {
    id: 'load.multicast',
    words: `.shared::cluster.global${mechanism}.multicast::cluster`,
    operands: [inShared('dst', 'store'), inGlobal('src', 'load'), size, object, mask],
    hinted: true,
    steps: copyToBlocks,
  },
  {
    id: 'load.cta',
    words: `.shared::cta.global${mechanism}`,
    operands: [inShared('dst', 'store'), inGlobal('src', 'load'), size, object],
    hinted: true,
    rows: [needs('.shared::cta as the destination', {}, at('8.6', 90))],
    steps: copy('global', 'shared'),
  },
  {
    id: 'shared',
    words: `.shared::cluster.shared::cta${mechanism}`,
    operands: [inShared('dst', 'store'), inShared('src', 'load'), size, object],
    hinted: false,
    steps: copy('shared', 'shared'),
  },
  {
    id: 'store',
    words: '.global.shared::cta.bulk_group',
    operands: [inGlobal('dst', 'store'), inShared('src', 'load'), size],
    hinted: true,
    steps: copy('shared', 'global'),
  },
];

const bulkCopies = () =>
  copies.flatMap(({ id, words, operands, hinted, rows = [], steps }) =>
    (hinted ? [false, true] : [false]).map((hint) => {
      const list = hint ? [...operands, policy] : operands;
      return executed(
        {
          id: `cp.async.bulk.${id}${hint ? '.hint' : ''}`,
          section: '9.7.9.25.4.1',
          syntax: `cp.async.bulk${words}${hint ? '.L2::cache_hint' : ''}  ${operandList(list)}`,
          summary: 'Starts a copy. The number of bytes is given by size.',
          operands: list,
          rows,
        },
        hopper,
        () => steps,
      );
    }),
  );

const ignored = (['ignore-left', 'ignore-right'] as const).map((name) =>
  read(name, '.u32', { unpacked: true, range: [0, 15] }),
);

/** Bytes at both ends, which may be outside of the source's allocation, are not copied. */
const trimmedCopy: readonly Step[] = copy('global', 'shared').map((step) =>
  step.kind === 'bulk' ? { ...step, left: '$ignore-left', right: '$ignore-right' } : step,
);

const trimmed = () =>
  [false, true].map((hint) => {
    const operands = [inShared('dst', 'store'), inGlobal('src', 'load'), size, ...ignored, object];
    const list = hint ? [...operands, policy] : operands;
    return executed(
      {
        id: `cp.async.bulk.load.cta.trimmed${hint ? '.hint' : ''}`,
        section: '9.7.9.25.4.1',
        syntax: `cp.async.bulk.shared::cta.global${mechanism}${hint ? '.L2::cache_hint' : ''}.ignore_oob  ${operandList(list)}`,
        summary: 'Starts a copy without some bytes at both ends.',
        operands: list,
      },
      at('9.2', 90),
      () => trimmedCopy,
    );
  });

const maskedCopy: readonly Step[] = [
  {
    kind: 'bulk',
    space: 'global',
    address: '$dst',
    sourceSpace: 'shared',
    source: '$src',
    size: '$size',
    mask: '$byte-mask',
    left: null,
    right: null,
    awaited: true,
    object: null,
  },
];

const masked = () =>
  [false, true].map((hint) => {
    const byteMask = read('byte-mask', '.u16');
    const list = [inGlobal('dst', 'store'), inShared('src', 'load'), size, ...(hint ? [policy] : []), byteMask];
    return executed(
      {
        id: `cp.async.bulk.store.mask${hint ? '.hint' : ''}`,
        section: '9.7.9.25.4.1',
        syntax: `cp.async.bulk.global.shared::cta.bulk_group.cp_mask${hint ? '.L2::cache_hint' : ''}  ${operandList(list)}`,
        summary: 'Starts a copy in which a mask selects bytes from every group of 16.',
        operands: list,
      },
      blackwell,
      () => maskedCopy,
    );
  });

const prefetches = () =>
  [false, true].map((hint) => {
    const list = [inGlobal('src', 'load'), size, ...(hint ? [policy] : [])];
    return withoutEffect(
      {
        id: `cp.async.bulk.prefetch${hint ? '.hint' : ''}`,
        section: '9.7.9.25.4.3',
        syntax: `cp.async.bulk.prefetch.L2.global${hint ? '.L2::cache_hint' : ''}  ${operandList(list)}`,
        summary: 'Starts a prefetch into L2. The number of bytes is given by size.',
        operands: list,
      },
      hopper,
    );
  });

// --- reductions -----------------------------------------------------------------------------------------------------

const shared = [
  { id: 'logic', text: '.op.b32', op: ['.and', '.or', '.xor'], types: [] },
  { id: 'add', text: '.add.type', op: [], types: ['.u32', '.s32', '.u64'] },
  { id: 'extremum', text: '.op.type', op: ['.min', '.max'], types: ['.u32', '.s32'] },
  { id: 'wrap', text: '.op.u32', op: ['.inc', '.dec'], types: [] },
];

const global = [
  { id: 'logic', text: '.op.type', op: ['.and', '.or', '.xor'], types: ['.b32', '.b64'] },
  { id: 'add', text: '.add.type', op: [], types: ['.u32', '.s32', '.u64', '.f32', '.f64'] },
  { id: 'add.half', text: '.add.noftz.type', op: [], types: ['.f16', '.bf16'] },
  {
    id: 'extremum',
    text: '.op.type',
    op: ['.min', '.max'],
    types: ['.u32', '.s32', '.u64', '.s64', '.f16', '.bf16'],
  },
  { id: 'wrap', text: '.op.u32', op: ['.inc', '.dec'], types: [] },
];

/** Combines each element with the one at the destination. */
function reductionSteps(space: 'shared' | 'global', variant: Variant): readonly Step[] {
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
    order: relaxedOnGpu,
  };
  if (space === 'global') return [reduced];
  return [reduced, changeObject('shared', '$mbar', { ...unchanged, transferred: '$size' }, completed.bulk)];
}

/** The type, which is the last word of the mnemonic. */
function lastWord({ mnemonic }: Variant): TypeName {
  const word = `.${mnemonic.split('.').at(-1)}`;
  if (!isTypeName(word)) throw new Error(`${mnemonic} does not end with a type`);
  return word;
}

const operators = ['and', 'or', 'xor', 'add', 'min', 'max', 'inc', 'dec'] as const;

function combine(variant: Variant, { name, format, width }: PtxType): readonly ValueStep[] {
  const [to, from] = ['$after', ['$before', '$value']] as const;
  const op = operators.find((one) => has(variant, `.${one}`));
  switch (op) {
    case 'and':
    case 'or':
    case 'xor':
      return [{ kind: 'bits', fn: op, width, to, from }];
    case 'inc':
    case 'dec':
      return wrap(op, { old: '$before', b: '$value', next: to });
    case 'add':
    case 'min':
    case 'max':
      if (format !== null && isIntegerName(format))
        return [{ kind: 'integer', fn: op, type: format, sat: false, to, from }];
      if (format === null || !isFloatArithmeticFormat(format)) throw new Error(`${name} cannot be reduced`);
      // Unlike red, reductions of f32 keep subnormal numbers.
      return [{ kind: 'float', fn: op, format, mode: plainMode, to, from }];
    case undefined:
      throw new Error(`${variant.mnemonic} has no operator`);
  }
}

function reduction(to: 'shared' | 'global', { id, text, op, types }: (typeof shared)[number], hint: boolean) {
  const ends = to === 'shared' ? `.shared::cluster.shared::cta${mechanism}` : '.global.shared::cta.bulk_group';
  const target = to === 'shared' ? inShared('dst', 'store') : inGlobal('dst', 'store');
  const list = [target, inShared('src', 'load'), size, ...(to === 'shared' ? [object] : []), ...(hint ? [policy] : [])];
  return executed(
    {
      id: `cp.reduce.async.bulk.${to}.${id}${hint ? '.hint' : ''}`,
      section: '9.7.9.25.4.2',
      syntax: `cp.reduce.async.bulk${ends}${hint ? '.L2::cache_hint' : ''}${text}  ${operandList(list)}`,
      summary:
        'Starts a reduction that combines bytes with the contents of the destination. The number of bytes is given by size.',
      sets: { ...(op.length > 0 ? { op } : {}), ...(types.length > 0 ? { type: types } : {}) },
      operands: list,
    },
    hopper,
    (variant) => reductionSteps(to, variant),
  );
}

const reductions = () => [
  ...shared.map((operation) => reduction('shared', operation, false)),
  ...global.flatMap((operation) => [false, true].map((hint) => reduction('global', operation, hint))),
];

// --- groups and st.bulk ---------------------------------------------------------------------------------------------

const groups = () => [
  executed(
    {
      id: 'cp.async.bulk.commit_group',
      section: '9.7.9.25.6.1',
      syntax: 'cp.async.bulk.commit_group',
      summary: 'Puts all bulk copies started so far into a group.',
      operands: [],
    },
    hopper,
    () => [{ kind: 'commit-group', of: 'bulk' }],
  ),
  executed(
    {
      id: 'cp.async.bulk.wait_group',
      section: '9.7.9.25.6.2',
      syntax: 'cp.async.bulk.wait_group{.read}  n',
      summary: 'Waits until at most n groups of bulk copies are still in progress.',
      operands: [read('n', '.u32', { constantOnly: true })],
    },
    hopper,
    (variant) => [{ kind: 'wait-group', of: 'bulk', pending: '$n', onlyReads: has(variant, '.read') }],
  ),
];

const fills = () =>
  (['.u64', '.u32'] as const).map((type) =>
    executed(
      {
        id: `st.bulk${type === '.u32' ? '.short' : ''}`,
        section: '9.7.9.13',
        syntax: 'st.bulk{.weak}{.shared::cta}  [a], size, initval',
        summary: 'Fills shared memory with zeros. The number of bytes is given by size.',
        operands: [
          { kind: 'address', name: 'a', access: 'store', least: { bits: 32 } },
          read('size', type, { unpacked: true, multiple: 8, range: [0, 1 << 24] }),
          read('initval', '.u64', { constantOnly: true, oneOf: [0] }),
        ],
      },
      blackwell,
      (variant) => [
        extract('$bytes', '$size', 0, 32),
        { kind: 'clear', space: spaceOf(variant), address: '$a', size: '$bytes' },
      ],
    ),
  );

/** cp.async.bulk and cp.reduce.async.bulk without tensors, and st.bulk. */
export const bulkForms = (): readonly InstructionForm[] => [
  ...bulkCopies(),
  ...masked(),
  ...trimmed(),
  ...prefetches(),
  ...reductions(),
  ...groups(),
  ...fills(),
];
