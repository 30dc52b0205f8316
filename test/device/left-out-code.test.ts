/**
 * Tests that the code for one thread at a time is compiled only when a launch first needs it. The results must be the
 * same in the launch for which it is compiled, in later blocks, and in later launches.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Device, type LaunchResult } from '../../src/device.ts';
import { moduleOf, outcome, type Source } from './run.ts';

const original = WebAssembly.Module;
let compiled = 0;

beforeEach(async () => {
  // The module that tests whether products can be fused is compiled once per process.
  await outcome(together(7), 4 * threads, launch);
  compiled = 0;
  WebAssembly.Module = new Proxy(original, {
    construct: (target, args, newTarget): object => {
      compiled++;
      return Reflect.construct(target, args, newTarget);
    },
  });
});

afterEach(() => {
  WebAssembly.Module = original;
});

const [blocks, threads] = [16, 16 * 64];
const launch = { grid: blocks, block: 64 } as const;

/** All threads of a block take the same path, and each multiplies its index by `factor`. */
const together = (factor: number): Source => ({
  body: `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;
mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2; mul.lo.u32 %r4, %r3, ${factor}; st.global.u32 [%rd1], %r4;`,
});

/** Like `together`, but from block 8 on, the threads diverge at a branch that skips an atomic operation. */
const apart = (factor: number): Source => ({
  body: `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;
mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2; mul.lo.u32 %r4, %r3, ${factor};
shr.u32 %r5, %r2, 3; and.b32 %r5, %r5, %r1; setp.eq.u32 %p1, %r5, 0; @%p1 bra done; not.b32 %r4, %r4; red.global.add.u32 [%rd1], 0;
done: st.global.u32 [%rd1], %r4;`,
});

const expected = (factor: number): readonly number[] =>
  Array.from({ length: threads }, (_, i) => ((i >> 9) & i & 1 ? ~(i * factor) >>> 0 : i * factor));

test('a launch whose threads stay together does not compile the code for one thread', async () => {
  const { words } = await outcome(together(5), 4 * threads, launch);
  expect(words[100]).toBe(500);
  expect(compiled).toBe(1);
});

test('a launch whose threads diverge compiles the code for one thread once, in the middle of the launch', async () => {
  const device = await Device.create({ simd: true });
  const kernel = device.load(moduleOf(apart(3))).kernel('k');
  const out = device.alloc(4 * threads);
  for (let round = 0; round < 3; round++) {
    const result = await kernel.launch({ args: [out], ...launch });
    expect(result.ok).toBe(true);
    expect([...new Uint32Array(out.read().buffer)]).toEqual(expected(3));
    out.write(new Uint8Array(4 * threads));
  }
  expect(compiled).toBe(2);
});

test('another device uses the same code', async () => {
  const devices = await Promise.all([Device.create({ simd: true }), Device.create({ simd: true })]);
  for (const device of devices) {
    const out = device.alloc(4 * threads);
    await device
      .load(moduleOf(apart(11)))
      .kernel('k')
      .launch({ args: [out], ...launch });
    expect([...new Uint32Array(out.read().buffer)]).toEqual(expected(11));
  }
  expect(compiled).toBe(2);
});

test('a fault in this code names the thread and the line', async () => {
  const body = `${apart(9).body}\nsetp.ne.u32 %p2, %r3, ${64 * 9 + 3}; @%p2 bra end; trap;\nend:`;
  const { result } = await outcome({ body }, 4 * threads, launch);
  expect(result).toMatchObject({ ok: false, fault: { block: [9, 0, 0], thread: [3, 0, 0], line: 10 } });
  const one = await outcome({ body }, 4 * threads, launch, { simd: false });
  expect(result).toMatchObject({ fault: one.result.ok ? null : one.result.fault });
});

test('counts are those of code that was compiled as a whole', async () => {
  const [fours, ones] = await Promise.all(
    [true, false].map((simd) => outcome(apart(13), 4 * threads, launch, { simd })),
  );
  expect(fours?.words).toEqual(ones?.words);
  expect(fours?.result.stats.instructions).toBe(ones?.result.stats.instructions);
});

test('a fault in code that was compiled for a kernel loaded again names the line', async () => {
  const body = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; ld.global.u32 %r2, [%rd1]; and.b32 %r3, %r1, %r2;
setp.eq.u32 %p1, %r3, 0; @%p1 bra done;
mul.wide.u32 %rd2, %r1, 64; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;
done: st.global.u32 [%rd1+4], %r1;`;
  const device = await Device.create({ simd: true });
  const run = async (diverges: number): Promise<LaunchResult> => {
    const out = device.alloc(Uint32Array.of(diverges, 0));
    return device
      .load(moduleOf({ body }))
      .kernel('k')
      .launch({ args: [out], block: 64 });
  };
  expect(await run(0)).toMatchObject({ ok: true });
  expect(await run(1)).toMatchObject({ ok: false, fault: { code: 'PTX6001', thread: [1, 0, 0], line: 8 } });
});
