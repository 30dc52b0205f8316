/**
 * Bulk copies without tensors, and st.bulk (PTX ISA 9.1, sections 9.7.9.13, 9.7.9.25.4 and 9.7.9.25.6). Copies are
 * carried out completely by the instruction that starts them. Versions and targets were determined with ptxas 13.0
 * and 13.3.
 */
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import type { Step } from '../../steps/step.ts';
import { at, atListed, type Availability } from '../../targets.ts';
import { needsModifier, needsType, row } from '../availability-rows.ts';
import { type CheckedLine, executed } from '../checked.ts';
import { extract, select } from '../integer/steps.ts';
import { noEffect } from '../no-effect.ts';
import { operandList } from '../operand-list.ts';
import { spaceOf } from '../space-of.ts';
import { eachBlock } from './blocks-of-mask.ts';
import { bulkReductions, multimemReductions } from './bulk-reductions.ts';
import {
  copy,
  inGlobal,
  inShared,
  mask,
  mechanism,
  nearScopes,
  object,
  ofBulkCopies,
  ofMultimemCopies,
  policy,
  reportBytes,
  size,
  wholeCopy,
} from './parts.ts';

/** A form whose only effect is to let other threads run. */
function withoutEffect(line: CheckedLine, way: Availability): InstructionForm {
  return executed(line, way, () => noEffect);
}

/** Copies the same bytes to each block whose bit is set in the mask. */
const copyToBlocks: readonly Step[] = eachBlock('$cta-mask', (named, addressOf) => [
  select('$own-size', named, '$size', '$zero'),
  ...addressOf('$own-dst', '$dst'),
  ...addressOf('$own-mbar', '$mbar'),
  {
    ...wholeCopy,
    space: 'shared',
    address: '$own-dst',
    sourceSpace: 'global',
    source: '$src',
    size: '$own-size',
    object: '$own-mbar',
  },
  reportBytes('$own-size', '$own-mbar'),
]);

/** Describes a copy. `words` and `operands` do not include the word and the operand for a cache hint. */
interface Copy {
  readonly id: string;
  readonly opcode: 'cp.async.bulk' | 'multimem.cp.async.bulk';
  readonly section: string;
  readonly words: string;
  /** A modifier that follows the one for a cache hint. */
  readonly last?: string;
  readonly summary: string;
  readonly operands: readonly OperandPattern[];
  /** The number of operands that come after the operand for a cache hint; null if no hint is allowed. */
  readonly afterHint: number | null;
  readonly since: Availability;
  readonly rows?: InstructionForm['availability'];
  /** The scopes that a relaxed copy can have; by default, all scopes. */
  readonly scopes?: readonly string[];
  /** The versions and targets that support a relaxed copy. */
  readonly relaxed: readonly Availability[];
  readonly steps: readonly Step[];
}

const later: readonly Availability[] = [at('9.3', 90)];
const onSomeChips: readonly Availability[] = [
  atListed('9.3', 'sm_90a', 'sm_100a', 'sm_100f', 'sm_103a', 'sm_103f', 'sm_110a', 'sm_110f'),
  atListed('9.4', 'sm_107a', 'sm_107f'),
];

const plain = {
  opcode: 'cp.async.bulk',
  section: '9.7.9.25.4.1',
  summary: 'Starts a copy. The number of bytes is given by size.',
  afterHint: 0,
  since: ofBulkCopies,
  relaxed: later,
} as const;

const load = [inShared('dst', 'store'), inGlobal('src', 'load'), size] as const;
const store = [inGlobal('dst', 'store'), inShared('src', 'load'), size] as const;
const byteMask = read('byte-mask', '.u16');
const ignored = (['ignore-left', 'ignore-right'] as const).map((name) =>
  read(name, '.u32', { unpacked: true, range: [0, 15] }),
);

/** Bytes at both ends, which may be outside of the source's allocation, are not copied. */
const trimmedCopy: readonly Step[] = copy('global', 'shared').map((step) =>
  step.kind === 'bulk' ? { ...step, left: '$ignore-left', right: '$ignore-right' } : step,
);

const maskedCopy: readonly Step[] = copy('shared', 'global').map((step) =>
  step.kind === 'bulk' ? { ...step, mask: '$byte-mask' } : step,
);

/** A device acts as a multicast object with one GPU, so copies to multimem addresses are copies to its memory. */
const toMultimem = {
  ...plain,
  opcode: 'multimem.cp.async.bulk',
  section: '9.7.9.25.4.4',
  afterHint: null,
  since: ofMultimemCopies,
} as const;

const copies: readonly Copy[] = [
  {
    ...plain,
    id: 'cp.async.bulk.load',
    words: `.shared::cluster.global${mechanism}`,
    operands: [...load, object],
    relaxed: onSomeChips,
    steps: copy('global', 'shared'),
  },
  {
    ...plain,
    id: 'cp.async.bulk.load.multicast',
    words: `.shared::cluster.global${mechanism}.multicast::cluster`,
    operands: [...load, object, mask],
    relaxed: onSomeChips,
    steps: copyToBlocks,
  },
  {
    ...plain,
    id: 'cp.async.bulk.load.cta',
    words: `.shared::cta.global${mechanism}`,
    operands: [...load, object],
    rows: [row('.shared::cta as the destination', at('8.6', 90))],
    steps: copy('global', 'shared'),
  },
  {
    ...plain,
    id: 'cp.async.bulk.load.cta.trimmed',
    words: `.shared::cta.global${mechanism}`,
    last: '.ignore_oob',
    summary: 'Starts a copy without some bytes at both ends.',
    operands: [...load, ...ignored, object],
    since: at('9.2', 90),
    steps: trimmedCopy,
  },
  {
    ...plain,
    id: 'cp.async.bulk.shared',
    words: `.shared::cluster.shared::cta${mechanism}`,
    operands: [inShared('dst', 'store'), inShared('src', 'load'), size, object],
    afterHint: null,
    scopes: nearScopes,
    steps: copy('shared', 'shared'),
  },
  {
    ...plain,
    id: 'cp.async.bulk.store',
    words: '.global.shared::cta.bulk_group',
    operands: store,
    steps: copy('shared', 'global'),
  },
  {
    ...plain,
    id: 'cp.async.bulk.store.mask',
    words: '.global.shared::cta.bulk_group.cp_mask',
    summary: 'Starts a copy in which a mask selects bytes from every group of 16.',
    operands: [...store, byteMask],
    afterHint: 1,
    since: at('8.6', 100),
    steps: maskedCopy,
  },
  {
    ...toMultimem,
    id: 'multimem.cp.async.bulk',
    words: '.global.shared::cta.bulk_group',
    summary: 'Starts a copy to several memories. The number of bytes is given by size.',
    operands: store,
    steps: copy('shared', 'global'),
  },
  {
    ...toMultimem,
    id: 'multimem.cp.async.bulk.mask',
    words: '.global.shared::cta.bulk_group.cp_mask',
    summary: 'Starts a copy to several memories in which a mask selects bytes from every group of 16.',
    operands: [...store, byteMask],
    rows: [row('.cp_mask', at('9.1', 100))],
    steps: maskedCopy,
  },
];

/**
 * The modifiers that specify the order and the type of a copy. ptxas 13.3 accepts `.b128` in every version, and ptxas
 * 13.0 in none.
 */
const orderings = [
  { id: '', order: '{.weak}', type: '', rows: [needsModifier('.weak', at('9.3', 90))] },
  { id: '.wide', order: '', type: '.b128', rows: [needsType('.b128', at('9.1', 90))] },
  { id: '.relaxed', order: '.relaxed.scope', type: '.b128', rows: [] },
] as const;

function copyForm(made: Copy, hint: boolean, ordering: (typeof orderings)[number]): InstructionForm {
  const { id, opcode, section, words, last = '', summary, operands, afterHint, since, steps } = made;
  const { order, type } = ordering;
  const end = operands.length - (afterHint ?? 0);
  const list = hint ? [...operands.slice(0, end), policy, ...operands.slice(end)] : operands;
  const hinted = hint ? '.L2::cache_hint' : '';
  const relaxed = ordering.id === '.relaxed' ? [row(`${opcode}.relaxed`, ...made.relaxed)] : [];
  return executed(
    {
      id: `${id}${hint ? '.hint' : ''}${ordering.id}`,
      section,
      syntax: `${opcode}${order}${words}${hinted}${last}${type}  ${operandList(list)}`,
      summary,
      ...(made.scopes === undefined ? {} : { sets: { scope: made.scopes } }),
      operands: list,
      rows: [...(made.rows ?? []), ...ordering.rows, ...relaxed],
    },
    since,
    () => steps,
  );
}

const copyForms = (opcode: Copy['opcode']): readonly InstructionForm[] =>
  copies
    .filter((made) => made.opcode === opcode)
    .flatMap((made) =>
      (made.afterHint === null ? [false] : [false, true]).flatMap((hint) =>
        orderings.map((ordering) => copyForm(made, hint, ordering)),
      ),
    );

const prefetches = () =>
  [false, true].map((hint) => {
    const list = [inGlobal('src', 'load'), size, ...(hint ? [policy] : [])];
    return withoutEffect(
      {
        id: `cp.async.bulk.prefetch${hint ? '.hint' : ''}`,
        section: '9.7.9.25.4.3',
        syntax: `cp.async.bulk.prefetch.L2.global${hint ? '.L2::cache_hint' : '{.L2::evict_last}'}  ${operandList(list)}`,
        summary: 'Starts a prefetch into L2. The number of bytes is given by size.',
        operands: list,
        rows: [needsModifier('.L2::evict_last', atListed('9.4', 'sm_107a', 'sm_107f'))],
      },
      ofBulkCopies,
    );
  });

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
    ofBulkCopies,
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
    ofBulkCopies,
    (variant) => [{ kind: 'wait-group', of: 'bulk', pending: '$n', onlyReads: has(variant, '.read') }],
  ),
];

/** The operand `size` has 64 bits. It may also be a 32-bit register, but not one with a bit-size type. */
const fills = () =>
  (['.u64', '.u32'] as const).map((type) =>
    executed(
      {
        id: `st.bulk${type === '.u32' ? '.short' : ''}`,
        section: '9.7.9.13',
        syntax: 'st.bulk{.weak}{.shared::cta}  [a], size, initval',
        summary: 'Fills shared memory with zeros. The number of bytes is given by size.',
        operands: [
          { kind: 'address', name: 'a', access: 'store', least: { bits: 32 }, unnamed: '.shared::cta' },
          read('size', type, { unpacked: true, numeric: type === '.u32', multiple: 8, range: [0, 1 << 24] }),
          read('initval', '.u64', { constantOnly: true, oneOf: [0] }),
        ],
      },
      at('8.6', 100),
      (variant) => [
        extract('$bytes', '$size', 0, 32),
        { kind: 'clear', space: spaceOf(variant), address: '$a', size: '$bytes' },
      ],
    ),
  );

/** Bulk copies and reductions to multimem addresses. */
export const multimemCopyForms = (): readonly InstructionForm[] => [
  ...copyForms('multimem.cp.async.bulk'),
  ...multimemReductions(),
];

/** cp.async.bulk and cp.reduce.async.bulk without tensors, and st.bulk. */
export const bulkForms = (): readonly InstructionForm[] => [
  ...copyForms('cp.async.bulk'),
  ...prefetches(),
  ...bulkReductions(),
  ...groups(),
  ...fills(),
];
