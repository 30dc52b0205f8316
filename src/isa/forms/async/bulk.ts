/**
 * Bulk copies without tensors, and st.bulk (PTX ISA 9.1, sections 9.7.9.13, 9.7.9.25.4 and 9.7.9.25.6). Copies are
 * carried out completely by the instruction that starts them. Versions and targets were determined with ptxas 13.0;
 * those of multimem follow the text of the ISA.
 */
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import type { Step } from '../../steps/step.ts';
import { at, type Availability } from '../../targets.ts';
import { row } from '../availability-rows.ts';
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
  object,
  ofBulkCopies,
  ofMultimemCopies,
  policy,
  reportBytes,
  size,
  wholeCopy,
} from './parts.ts';

/** A form that only gives other threads a chance to run and has no other effect. */
function withoutEffect(line: CheckedLine, way: Availability): InstructionForm {
  return executed(line, way, () => noEffect);
}

/** Copies the same bytes to each block whose rank is a bit of the mask. */
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
    rows: [row('.shared::cta as the destination', at('8.6', 90))],
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
        ofBulkCopies,
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

const maskedCopy: readonly Step[] = copy('shared', 'global').map((step) =>
  step.kind === 'bulk' ? { ...step, mask: '$byte-mask' } : step,
);

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
      at('8.6', 100),
      () => maskedCopy,
    );
  });

/** Copies to a multimem address. A device stands for a multicast object with one GPU, so they are copies to its memory. */
const multimemCopies = () =>
  [false, true].map((isMasked) => {
    const ends = [inGlobal('dst', 'store'), inShared('src', 'load'), size];
    const list = isMasked ? [...ends, read('byte-mask', '.u16')] : ends;
    return executed(
      {
        id: `multimem.cp.async.bulk${isMasked ? '.mask' : ''}`,
        section: '9.7.9.25.4.4',
        syntax: `multimem.cp.async.bulk.global.shared::cta.bulk_group${isMasked ? '.cp_mask' : ''}  ${operandList(list)}`,
        summary: isMasked
          ? 'Starts a copy to several memories in which a mask selects bytes from every group of 16.'
          : 'Starts a copy to several memories. The number of bytes is given by size.',
        operands: list,
        rows: isMasked ? [row('.cp_mask', at('9.1', 100))] : [],
      },
      ofMultimemCopies,
      () => (isMasked ? maskedCopy : copy('shared', 'global')),
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
      at('8.6', 100),
      (variant) => [
        extract('$bytes', '$size', 0, 32),
        { kind: 'clear', space: spaceOf(variant), address: '$a', size: '$bytes' },
      ],
    ),
  );

/** Bulk copies and reductions to multimem addresses. */
export const multimemCopyForms = (): readonly InstructionForm[] => [...multimemCopies(), ...multimemReductions()];

/** cp.async.bulk and cp.reduce.async.bulk without tensors, and st.bulk. */
export const bulkForms = (): readonly InstructionForm[] => [
  ...bulkCopies(),
  ...masked(),
  ...trimmed(),
  ...prefetches(),
  ...bulkReductions(),
  ...groups(),
  ...fills(),
];
