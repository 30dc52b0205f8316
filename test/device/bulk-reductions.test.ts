/**
 * cp.reduce.async.bulk, which combines each element of the source with the element at the destination; copies of bytes
 * that a mask selects; and st.bulk.
 */
import { describe, expect, test } from 'vitest';
import { readNumber } from '../../src/numbers.ts';
import { outcome, output, ways } from './run.ts';

type Words = readonly number[];

const float = (value: number): number => Number(readNumber(String(value), 'f32').bits);
const halves = (format: 'f16' | 'bf16', low: number, high: number): number =>
  (Number(readNumber(String(high), format).bits) << 16) | Number(readNumber(String(low), format).bits);

/**
 * For each operation, four words of the destination before the operation, four words of the source, and the four words
 * of the destination afterwards.
 */
const cases: readonly (readonly [op: string, before: Words, source: Words, after: Words])[] = [
  ['add.u32', [1, 2, 0xffffffff, 4], [10, 20, 2, 40], [11, 22, 1, 44]],
  ['add.s32', [1, 0xfffffffe, 3, 4], [0xffffffff, 1, 3, 4], [0, 0xffffffff, 6, 8]],
  ['add.u64', [0xffffffff, 0, 5, 1], [1, 0, 6, 2], [0, 1, 11, 3]],
  ['min.s32', [5, 0xffffffff, 7, 8], [3, 1, 9, 8], [3, 0xffffffff, 7, 8]],
  ['max.u32', [5, 0xffffffff, 7, 8], [3, 1, 9, 8], [5, 0xffffffff, 9, 8]],
  ['max.s64', [1, 0xffffffff, 7, 0], [0, 0, 8, 0], [0, 0, 8, 0]],
  ['inc.u32', [5, 9, 0, 3], [9, 9, 9, 3], [6, 0, 1, 0]],
  ['dec.u32', [5, 0, 12, 1], [9, 9, 9, 9], [4, 9, 9, 0]],
  ['and.b32', [0xf0f0, 0xff, 3, 1], [0xff00, 0x0f, 2, 2], [0xf000, 0x0f, 2, 0]],
  ['xor.b64', [0xf0f0, 0xff, 3, 1], [0xff00, 0x0f, 2, 2], [0x0ff0, 0xf0, 1, 3]],
  ['add.f32', [1, 2.5, -3, 0].map(float), [0.5, 0.5, 3, 1].map(float), [1.5, 3, 0, 1].map(float)],
  ['add.f32', [3, 2, 0, 0x80000001], [4, 1, 0, 1], [7, 3, 0, 0]],
  [
    'add.noftz.f16',
    [halves('f16', 1, 2), 0, halves('f16', 0.5, -1), 1],
    [halves('f16', 1, 0.5), 0, halves('f16', 1, 1), 1],
    [halves('f16', 2, 2.5), 0, halves('f16', 1.5, 0), 2],
  ],
  [
    'max.bf16',
    [halves('bf16', 1, 2), 0, halves('bf16', 0.5, -1), 0],
    [halves('bf16', 3, 0.5), 0, halves('bf16', 0.25, 1), 0],
    [halves('bf16', 3, 2), 0, halves('bf16', 0.5, 1), 0],
  ],
];

const store = (space: string, to: string, words: Words): string =>
  words.map((word, i) => `st.${space}.b32 [${to}+${4 * i}], ${word >>> 0};`).join('\n');

const unsigned = (words: Words): Words => words.map((word) => word >>> 0);

describe.each(Object.entries(ways))('%s', (_, way) => {
  test.each(cases)('%s', async (op, before, source, after) => {
    const body = `ld.param.u64 %rd1, [out];
${store('shared', 'data', [...source, ...source])}
${store('global', '%rd1', [...before, ...before, 7])}
cp.reduce.async.bulk.global.shared::cta.bulk_group.${op} [%rd1], [data], 32;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;`;
    const words = await output({ body, module: '.shared .align 16 .b8 data[32];' }, 36, way);
    expect(words).toEqual(unsigned([...after, ...after, 7]));
  });

  test('a mask selects bytes from every 16', async () => {
    const body = `ld.param.u64 %rd1, [out]; mov.u16 %h1, 0x8301;
${store('shared', 'data', [0x11111111, 0x22222222, 0x33333333, 0x44444444, 5, 6, 7, 0x08000000])}
${store('global', '%rd1', [-1, -1, -1, -1, -1, -1, -1, -1])}
cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [data], 32, %h1;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;`;
    const words = await output({ body, module: '.shared .align 16 .b8 data[32];' }, 32, way);
    const all = 0xffffffff;
    expect(words).toEqual([0xffffff11, all, 0xffff3333, 0x44ffffff, 0xffffff05, all, 0xffff0007, 0x08ffffff]);
  });

  test('st.bulk stores zeros', async () => {
    const body = `ld.param.u64 %rd1, [out]; mov.u32 %r1, data; mov.u64 %rd2, 16;
${store('shared', 'data', [1, 2, 3, 4, 5, 6, 7, 8])}
st.bulk.weak.shared::cta [%r1+8], %rd2, 0;
cvta.shared.u64 %rd3, data; st.bulk [%rd3], 0, 0;
${[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `ld.shared.b32 %r2, [data+${4 * i}]; st.global.b32 [%rd1+${4 * i}], %r2;`).join('\n')}`;
    const words = await output({ body, module: '.shared .align 16 .b8 data[32];' }, 32, way);
    expect(words).toEqual([1, 2, 0, 0, 0, 0, 7, 8]);
  });

  test('in shared memory, with an mbarrier object', async () => {
    const body = `ld.param.u64 %rd1, [out];
${store('shared', 'data', [1, 2, 3, 4])}
${store('shared', 'sum', [10, 20, 30, 40])}
mbarrier.init.shared::cta.b64 [object], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 16;
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [sum], [data], 16, [object];
mbarrier.test_wait.parity.shared::cta.b64 %p1, [object], 0;
${[0, 1, 2, 3].map((i) => `ld.shared.b32 %r1, [sum+${4 * i}]; st.global.b32 [%rd1+${4 * i}], %r1;`).join('\n')}
selp.u32 %r1, 1, 0, %p1;
st.global.b32 [%rd1+16], %r1;`;
    const module = `.shared .align 16 .b8 data[16]; .shared .align 16 .b8 sum[16]; .shared .align 8 .b64 object;`;
    expect(await output({ body, module }, 20, way)).toEqual([11, 22, 33, 44, 1]);
  });

  test('threads of several blocks add to the same elements', async () => {
    const body = `ld.param.u64 %rd1, [out];
mov.u32 %r2, %tid.x; shl.b32 %r2, %r2, 4; mov.u32 %r3, data; add.u32 %r3, %r3, %r2;
${store('shared', '%r3', [1, 2, 3, 4])}
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r3], 16;`;
    const words = await output({ body, module: '.shared .align 16 .b8 data[1024];' }, 16, {
      ...way,
      grid: 8,
      block: 64,
    });
    expect(words).toEqual([512, 1024, 1536, 2048]);
  });

  test('a destination that is not a multiple of 16 bytes', async () => {
    const body = `ld.param.u64 %rd1, [out];
${store('shared', 'data', [1, 2, 3, 4])}
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+4], [data], 16;`;
    const { result } = await outcome({ body, module: '.shared .align 16 .b8 data[16];' }, 64, way);
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6002' } });
  });
});
