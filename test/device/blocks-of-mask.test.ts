/** Instructions that affect several blocks of a cluster at once. A mask of ranks selects the blocks. */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ways } from './run.ts';

/**
 * A cluster of four blocks, in which the last block starts the instruction. Every block whose rank is in the mask waits
 * at its mbarrier object, and then copies four words of its shared memory to the output. The other blocks copy the
 * initial contents of these words.
 */
const source = (instruction: string, mask: number, expected: string): string => `.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) .reqnctapercluster 4 {
.shared .align 16 .b8 data[16]; .shared .align 8 .b64 object;
.reg .pred %p, %own, %last; .reg .b16 %mask; .reg .b32 %r<8>; .reg .b64 %in, %out, %at;
ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
mov.u32 %r0, %cluster_ctarank; mul.wide.u32 %at, %r0, 16; add.u64 %out, %out, %at;
st.shared.v4.b32 [data], {%r0, %r0, %r0, %r0};
mov.u16 %mask, ${mask}; shr.u32 %r1, ${mask}, %r0; and.b32 %r1, %r1, 1; setp.eq.u32 %own, %r1, 1; setp.eq.u32 %last, %r0, 3;
@%own mbarrier.init.shared::cta.b64 [object], 1;
${expected}
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
@%last ${instruction}
@!%own bra store;
wait: mbarrier.try_wait.parity.shared::cta.b64 %p, [object], 0; @!%p bra wait;
store: ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [data]; st.global.v4.b32 [%out], {%r4, %r5, %r6, %r7};
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret; }
`;

async function run(text: string, options: object): Promise<readonly number[]> {
  const device = await Device.create({ gpu: 'B200' });
  const [input, out] = [device.alloc(Uint32Array.of(11, 12, 13, 14)), device.alloc(64)];
  const result = await device
    .load(text)
    .kernel('k')
    .launch({ grid: 4, args: [input, out], ...options });
  expect(result).toMatchObject({ ok: true });
  return [...new Uint32Array(out.read().buffer)];
}

const copied = [11, 12, 13, 14];
const own = (rank: number): readonly number[] => [rank, rank, rank, rank];

describe.each(Object.entries({ ...ways, 'two workers': { workers: 2 } }))('%s', (_, options) => {
  test.each([0b1111, 0b0101, 0b1000, 0b0010])('a bulk copy to the blocks in %d', async (mask) => {
    const copy =
      'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [data], [%in], 16, [object], %mask;';
    const expected = '@%own mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 16;';
    const words = [0, 1, 2, 3].flatMap((rank) => ((mask >> rank) & 1 ? copied : own(rank)));
    expect(await run(source(copy, mask, expected), options)).toEqual(words);
  });

  test.each([0b1111, 0b0110])('a commit that arrives in the blocks in %d', async (mask) => {
    const commit =
      'tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [object], %mask;';
    expect(await run(source(commit, mask, ''), options)).toEqual([0, 1, 2, 3].flatMap(own));
  });

  const addresses = [
    ['a generic address', 'cvta.shared.u64 %at, %at;'],
    ['an address in shared memory without a space', ''],
  ] as const;

  test.each(addresses)('a commit to %s', async (__, convert) => {
    const address = `mov.u64 %at, object; ${convert}`;
    const one = 'tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%at];';
    const several = 'tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [%at], %mask;';
    for (const [commit, mask] of [
      [one, 0b1000],
      [several, 0b0110],
    ] as const)
      expect(await run(source(commit, mask, address), options)).toEqual([0, 1, 2, 3].flatMap(own));
  });
});
