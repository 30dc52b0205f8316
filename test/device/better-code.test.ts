/** Tests long launches. After one of its blocks, such a launch switches to code that runs four threads at once. */
import { expect, test } from 'vitest';
import { outcome, type Source } from './run.ts';

/** There are 64 threads per block. Each thread stores a value, and each block adds a number to a sum. */
const source: Source = {
  body: `ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1; mov.u32 %r4, 0; mov.u32 %r5, %r3; bar.sync 0;
again: mad.lo.u32 %r5, %r5, 1664525, 1013904223; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 2000; @%p1 bra again;
atom.global.add.u32 %r6, [%rd1], %r5;
mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1+4], %r5;`,
};

const blocks = 64;
const launch = { grid: blocks, block: 64 } as const;
const bytes = 4 * (64 * blocks + 1);

test('memory and counts are the same as if that code were used from the start or never', async () => {
  const [never, always, chosen] = await Promise.all(
    [false, true, undefined].map((simd) => outcome(source, bytes, launch, simd === undefined ? {} : { simd })),
  );
  expect(chosen?.result.ok).toBe(true);
  expect(chosen?.result.stats.instructions).toBeGreaterThan(2 ** 24);
  expect(chosen?.words).toEqual(never?.words);
  expect(chosen?.words).toEqual(always?.words);
  expect(chosen?.result.stats.instructions).toBe(never?.result.stats.instructions);
});

test('the budget applies to the whole launch', async () => {
  const { result } = await outcome(source, bytes, { ...launch, budget: 2 ** 24 + 2 ** 22 }, {});
  expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6020' } });
  expect(result.stats.instructions).toBeGreaterThan(2 ** 24);
});

test('a fault after the switch names the correct block', async () => {
  const body = `${source.body}\nsetp.eq.u32 %p2, %r3, ${64 * (blocks - 1) + 5};\n@%p2 trap;`;
  const { result } = await outcome({ body }, bytes, launch, {});
  expect(result).toMatchObject({ ok: false, fault: { block: [blocks - 1, 0, 0], thread: [5, 0, 0] } });
});
