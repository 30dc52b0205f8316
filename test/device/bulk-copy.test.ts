/** Bulk copies between global and shared memory, and the mbarrier objects that count their bytes. */
import { describe, expect, test } from 'vitest';
import { faultOf, output, type Source, ways } from './run.ts';

const module = `.global .align 16 .b32 source[8] = {10, 11, 12, 13, 14, 15, 16, 17};
.shared .align 16 .b32 first[8]; .shared .align 16 .b32 second[8]; .shared .align 8 .b64 bar;`;

const begin = 'ld.param.u64 %rd9, [out]; mbarrier.init.shared.b64 [bar], 1;';
const counted = 'mbarrier::complete_tx::bytes';
const load = `cp.async.bulk.shared::cluster.global.${counted}`;

/** Stores 1 in word `at` of the output if phase 0 is complete, and 0 otherwise. */
const tested = (at: number): string =>
  `mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r9, 1, 0, %p1; st.global.u32 [%rd9+${4 * at}], %r9;`;

/** Writes the first and the last word of `name` to the output. */
const shown = (name: string, at: number): string =>
  [0, 7]
    .map((word, i) => `ld.shared.u32 %r8, [${name}+${4 * word}]; st.global.u32 [%rd9+${4 * (at + i)}], %r8;`)
    .join(' ');

const all = `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32; ${load} [first], [source], 32, [bar];`;

describe.each(Object.entries(ways))('with %s', (_, options) => {
  const run = (body: string): Promise<readonly number[]> => output({ module, body: `${begin}\n${body}` }, 16, options);

  test('a copy to shared memory completes the phase that expects its bytes', async () => {
    expect(await run(`${all} ${tested(0)} ${shown('first', 1)}`)).toEqual([1, 10, 17, 0]);
  });

  test('a part of the expected bytes does not complete it', async () => {
    const body = `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 48; mov.u32 %r1, 32;
cp.async.bulk.shared::cta.global.${counted} [first], [source], %r1, [bar]; ${tested(0)}
${load} [second], [source+16], 16, [bar]; ${tested(1)} ld.shared.u32 %r8, [second]; st.global.u32 [%rd9+8], %r8;`;
    expect(await run(body)).toEqual([0, 1, 14, 0]);
  });

  test('a copy within shared memory counts there, too', async () => {
    const body = `${all} mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
cp.async.bulk.shared::cluster.shared::cta.${counted} [second], [first], 32, [bar]; ${tested(0)} ${shown('second', 1)}`;
    expect(await run(body)).toEqual([0, 10, 17, 0]);
  });

  test('a copy to global memory belongs to a group', async () => {
    const body = `${all} cp.async.bulk.global.shared::cta.bulk_group [%rd9], [first+16], 16;
cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.prefetch.L2.global [source], 16;`;
    expect(await run(body)).toEqual([14, 15, 16, 17]);
  });

  test.each([
    ['nothing', 0, 0, [10, 13, 14, 17]],
    ['the first three bytes', 3, 0, [0x00070707, 13, 14, 17]],
    ['the last word and a byte', 0, 5, [10, 13, 14, 0x07070707]],
    ['fifteen bytes at each end', 15, 15, [0x07070707, 0x00070707, 0x0707070e, 0x07070707]],
  ])('ignoring %s leaves these bytes unchanged', async (_name, left, right, expected) => {
    const filled = Array.from({ length: 8 }, (_word, i) => `st.shared.u32 [first+${4 * i}], 0x07070707;`).join(' ');
    const shownAt = [0, 3, 4, 7].map(
      (word, i) => `ld.shared.u32 %r8, [first+${4 * word}]; st.global.u32 [%rd9+${4 * i}], %r8;`,
    );
    const body = `${filled} mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32; mov.u32 %r1, ${left}; mov.u32 %r2, ${right};
cp.async.bulk.shared::cta.global.${counted}.ignore_oob [first], [source], 32, %r1, %r2, [bar]; ${shownAt.join(' ')}`;
    expect(await run(body)).toEqual(expected);
  });

  test('ignored bytes may be out of bounds', async () => {
    const body = `mov.u32 %r1, 0; mov.u32 %r2, 12; cvta.to.global.u64 %rd1, %rd9;
cp.async.bulk.shared::cta.global.${counted}.ignore_oob [first], [%rd1+16], 16, %r1, %r2, [bar]; st.global.u32 [%rd9], 5;`;
    expect((await output({ module, body: `${begin}\n${body}` }, 20, options))[0]).toBe(5);
  });

  test('a size of 0 copies nothing', async () => {
    expect(await run(`mov.u32 %r1, 0; ${load} [first], [source], %r1, [bar]; ${tested(0)}`)).toEqual([0, 0, 0, 0]);
  });
});

const faults: readonly (readonly [string, string, string])[] = [
  ['a source that ends too early', `${load} [first], [%rd9+64], 32, [bar];`, 'PTX6001'],
  ['a target that ends too early', `${load} [bar], [source], 32, [bar];`, 'PTX6001'],
  ['an odd source', `${load} [first], [source+8], 16, [bar];`, 'PTX6002'],
];

describe('faults are the same in every way to run', () => {
  test.each(faults)('%s', async (_, copy, code) => {
    const source: Source = { module, body: `${begin}\n${copy}` };
    const [one, ...others] = await Promise.all(Object.values(ways).map((options) => faultOf(source, options)));
    expect(one).toMatchObject({ code, line: 7 });
    for (const other of others) expect(other).toEqual(one);
  });

  test('copying undefined bytes to global memory', async () => {
    const body = `${begin}\ncp.async.bulk.global.shared::cta.bulk_group [%rd9], [first], 16;`;
    expect(await faultOf({ module, body }, { engine: 'interp' })).toMatchObject({ line: 7 });
  });
});
