/**
 * What is known about instructions that the table lacks. For some opcodes it has no forms at all. Others have forms that
 * are missing, because versions 9.3 and 9.4 added to them.
 */
import type { AvailabilityRow } from './form.ts';
import { at, atListed, type Availability, parseVersion, type Version } from './targets.ts';

const rubin = atListed('9.4', 'sm_107a', 'sm_107f');

/** Opcodes without forms. 9.1 was measured with ptxas 13.0, and later versions follow the text of the ISA. */
const listed: readonly (readonly [opcodes: string, ...ways: readonly Availability[]])[] = [
  ['multimem.cp', at('9.1', 90)],
  ['multimem.st.async multimem.red.async', at('9.3', 100)],
  ['mbarrier.check_layout', at('9.3', 90)],
  ['fabric.try_get fabric.try_put fabric.try_red fabric.try_pullred fabric.submit fabric.wait', at('9.3', 100)],
  ['applypriority.async', rubin],
  ['spcompress spdecompress', atListed('9.4', 'sm_107a')],
];

/**
 * By the opcode. Each key consists of the words that identify the instruction: for example, `st.async` is a different
 * instruction from `st`.
 */
export const opcodesOutside: ReadonlyMap<string, AvailabilityRow> = new Map(
  listed.flatMap(([opcodes, ...ways]) => opcodes.split(' ').map((subject) => [subject, { subject, ways }])),
);

/** What a later version added to an opcode: variants with new modifiers or types, or also operands. */
interface Addition {
  readonly since: Version;
  /** Whether only variants with two types, or with packed ones, are new. */
  readonly packed: boolean;
  readonly operands: boolean;
}

const additions: readonly (readonly [opcodes: string, since: string, extras?: Partial<Addition>])[] = [
  ['mbarrier.init mbarrier.inval mbarrier.expect_tx mbarrier.complete_tx', '9.3'],
  ['mbarrier.arrive mbarrier.arrive.expect_tx mbarrier.arrive_drop mbarrier.arrive_drop.expect_tx', '9.3'],
  ['mbarrier.test_wait mbarrier.test_wait.parity', '9.3', { operands: true }],
  ['mbarrier.try_wait mbarrier.try_wait.parity', '9.3', { operands: true }],
  ['cp.async.bulk cp.reduce.async.bulk', '9.3', { operands: true }],
  ['fence.proxy ld st', '9.3'],
  ['cp.async.bulk.tensor cp.reduce.async.bulk.tensor cp.async.bulk.prefetch.tensor', '9.4', { operands: true }],
  ['cp.async.bulk.prefetch prefetch', '9.4', { operands: true }],
  ['set add sub mul fma', '9.4', { packed: true }],
  ['atom red ldmatrix', '9.4'],
  ['tcgen05.alloc tcgen05.dealloc tcgen05.commit', '9.4', { operands: true }],
  ['tcgen05.ld tcgen05.ld.red tcgen05.mma tcgen05.mma.ws', '9.4', { operands: true }],
];

const byOpcode: ReadonlyMap<string, Addition> = new Map(
  additions.flatMap(([opcodes, since, extras]) =>
    opcodes
      .split(' ')
      .map((opcode) => [opcode, { since: parseVersion(since), packed: false, operands: false, ...extras }]),
  ),
);

/** What was added to an opcode in a version or in an earlier one, and is not in the table; null if there is nothing. */
export function additionTo(opcode: string, version: Version): Addition | null {
  const found = byOpcode.get(opcode);
  return found !== undefined && version >= found.since ? found : null;
}

/** The beginnings of modifiers that exist only in instructions that the table lacks. */
const laterModifiers: readonly string[] = [
  '.layout::',
  '.phase_type::',
  '.multicast::cluster::32b',
  '.sync_restrict::',
  '.override::',
  '.override_attribute',
  '.im2col_no_offs::',
  '.spcompress',
  '.kind::ti16',
  '.exclusive',
  '.report',
  '.decompress::',
  '.collector::b::',
  '.valid_addr',
  '.L1::32B',
  '.proxy::readonly',
  '.mbarrier::report::',
];

export function isLaterModifier(word: string): boolean {
  return laterModifiers.some((beginning) => word.startsWith(beginning));
}
