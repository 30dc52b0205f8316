/**
 * Facts about instructions that are missing from the table. For some opcodes, the table has no forms at all. For other
 * opcodes, it lacks the forms that versions 9.3 and 9.4 added.
 */
import type { AvailabilityRow } from './conditions.ts';
import { at, atListed, type Availability, parseVersion, type Version, type VersionName } from './targets.ts';

const rubin = atListed('9.4', 'sm_107a', 'sm_107f');

/** Opcodes without forms. Versions and targets follow the text of the ISA. */
const listed: readonly (readonly [opcodes: string, ...ways: readonly Availability[]])[] = [
  ['fabric.try_get fabric.try_put fabric.try_red fabric.try_pullred fabric.submit fabric.wait', at('9.3', 100)],
  ['applypriority.async', rubin],
  ['spcompress spdecompress', atListed('9.4', 'sm_107a')],
];

/**
 * The requirements of these instructions. Each key consists of the words that identify the instruction: for example,
 * `st.async` is a different instruction from `st`.
 */
export const opcodesOutside: ReadonlyMap<string, AvailabilityRow> = new Map(
  listed.flatMap(([opcodes, ...ways]) => opcodes.split(' ').map((subject) => [subject, { subject, ways }])),
);

/** Variants that were added to an opcode in version `since`, and that are missing from the table. */
export interface Addition {
  readonly since: Version;
  /**
   * The modifiers and types that occur only in the new variants. A word that ends with `::` stands for all words that
   * begin with it.
   */
  readonly words: readonly string[];
}

const wide = '.multicast::cluster::16b .multicast::cluster::32b';
const overrides = '.override::global_address .override_attribute .override_attribute:: .im2col_no_offs::w';
const kept = '.L2::evict_first .L2::evict_normal .L2::evict_last';

const additions: readonly (readonly [opcodes: string, since: VersionName, words: string])[] = [
  ['fence.proxy', '9.3', '.acquire .release .sync_restrict::shared::cluster::read'],
  ['mbarrier.expect_tx mbarrier.complete_tx', '9.4', wide],
  ['mbarrier.arrive mbarrier.arrive.expect_tx', '9.4', wide],
  ['mbarrier.arrive_drop mbarrier.arrive_drop.expect_tx', '9.4', wide],
  ['cp.async.bulk', '9.4', `${wide} .mbarrier::report::`],
  ['cp.async.bulk.tensor cp.reduce.async.bulk.tensor', '9.4', `${wide} ${overrides} .mbarrier::report:: .noftz`],
  ['cp.async.bulk.prefetch.tensor', '9.4', `${overrides} ${kept}`],
  ['tcgen05.alloc tcgen05.dealloc', '9.4', '.exclusive'],
  ['tcgen05.commit', '9.4', `${wide} .sync_restrict::shared::read::mma::a`],
  ['tcgen05.ld tcgen05.ld.red', '9.4', '.spcompress'],
  ['tcgen05.mma tcgen05.mma.ws', '9.4', '.kind::ti16 .collector::b:: .decompress::lut::b'],
];

/** The variants of an opcode that were added in the given version or earlier, and that are missing from the table. */
export function additionsTo(opcode: string, version: Version): readonly Addition[] {
  return additionRows.filter(({ opcodes, since }) => version >= since && opcodes.includes(opcode));
}

const additionRows: readonly (Addition & { readonly opcodes: readonly string[] })[] = additions.map(
  ([opcodes, since, words]) => ({
    opcodes: opcodes.split(' '),
    since: parseVersion(since),
    words: words.split(' '),
  }),
);
