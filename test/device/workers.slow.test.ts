/**
 * Runs blocks on several worker threads. The results must be the same as on the calling thread, except for the order of
 * atomics.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Argument, Device, type LaunchOptions } from '../../src/device.ts';
import { built, root, spawned } from '../cli/ptxlab.ts';
import { faultOf, outcome, output } from './run.ts';

// The worker threads of the pool cannot load TypeScript, so the built program is needed.
beforeAll(built, 120_000);

const everyCount = [0, 1, 2] as const;

/**
 * Sets %rd1 to the address of the output, %r1 to the thread's index in the grid, and %rd2 to the address of the
 * thread's word in the output.
 */
const own = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r1, %r2, %r3, %r1; mad.wide.u32 %rd2, %r1, 4, %rd1;`;

test.each([
  ['shared', 'mov.u64 %rd1, wide; cvta.shared.u64 %rd2, %rd1;'],
  ['local', '.local .align 8 .b64 own; mov.u64 %rd1, own; cvta.local.u64 %rd2, %rd1; st.b64 [%rd2], 0;'],
] as const)('64-bit accesses of workers to %s memory through generic addresses are aligned', async (_, address) => {
  const body = `${address} ld.param.u64 %rd4, [out];
atom.add.u64 %rd3, [%rd2], 1; st.volatile.u64 [%rd2], 7; ld.volatile.u64 %rd5, [%rd2]; st.global.u64 [%rd4], %rd5;`;
  const module = '.shared .align 8 .b64 wide;';
  expect(await output({ body, module }, 8, { grid: 4, block: 1, workers: 2 })).toEqual([7, 0]);
});

describe('memory and counts do not depend on the number of workers', () => {
  const kernels: readonly (readonly [string, string, LaunchOptions, (device: Device) => readonly Argument[]])[] = [
    ['bench_mandelbrot', 'mandel', { grid: [6, 5], block: [8, 8] }, (d) => [d.alloc(4 * 48 * 40), 48, 40, 50]],
    [
      'bench_matmul',
      'matmul',
      { grid: [4, 4], block: [16, 16] },
      (d) => [1, 2, 3].map((k): Argument => d.alloc(new Float32Array(64 * 64).fill(1 / k))).concat(64),
    ],
  ];

  test.each(kernels)('%s', async (file, name, options, argumentsOn) => {
    const source = readFileSync(join(root, `examples/kernels/${file}.ptx`), 'utf8');
    const runs = await Promise.all(
      everyCount.map(async (workers) => {
        const device = await Device.create({ simd: true, workers });
        const args = argumentsOn(device);
        const { ok, stats } = await device
          .load(source)
          .kernel(name)
          .launch({ ...options, args });
        const memory = args.map((arg) =>
          typeof arg === 'object' && 'read' in arg ? (arg as { read(): unknown }).read() : arg,
        );
        return { ok, memory, counts: [stats.threads, stats.instructions] };
      }),
    );
    expect(runs[0]?.ok).toBe(true);
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });

  test('shared and local memory begin at zero in every block, wherever it runs', async () => {
    const body = `.shared .u32 s; .local .u32 l; ${own}
ld.shared.u32 %r4, [s]; ld.local.u32 %r5, [l]; bar.sync 0; st.shared.u32 [s], 7; st.local.u32 [l], 9;
add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r1; st.global.u32 [%rd2], %r4;`;
    for (const workers of everyCount) {
      const words = await output({ body }, 4 * 4000, { grid: 100, block: 40, workers });
      expect(words).toEqual(Array.from({ length: 4000 }, (_, i) => i));
    }
  });

  test('a second launch reuses the threads of the first, even on another device', async () => {
    const body = `${own} ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 1; st.global.u32 [%rd2], %r4;`;
    const launches = [1, 2, 3].map(() => output({ body }, 256, { grid: 8, block: 8, workers: 2 }));
    for (const words of await Promise.all(launches)) expect(words).toEqual(Array.from({ length: 64 }, () => 1));
  });
});

test('only the threads that a launch can use are started', async () => {
  let started = 0;
  const count = (): number => started++;
  process.on('worker', count);
  await output({ body: own }, 4, { grid: 1, workers: 64 });
  process.off('worker', count);
  expect(started).toBeLessThanOrEqual(1);
});

describe('atomics of concurrent blocks add up', () => {
  const blocks = 3000;
  const threads = 64;
  const all = blocks * threads;
  const launch = { grid: blocks, block: threads, workers: 2 };
  const address = 'ld.param.u64 %rd1, [out];';

  test.each<readonly [string, string, readonly number[]]>([
    ['of 32 bits', 'red.global.add.u32 [%rd1], 1;', [all]],
    ['of 32 bits at a generic address', 'atom.add.u32 %r1, [%rd1], 2;', [2 * all]],
    ['of 64 bits', 'red.global.add.u64 [%rd1], 0x100000001;', [all, all]],
    ['of f32', 'red.global.add.f32 [%rd1], 0f3F800000;', [new Uint32Array(Float32Array.of(all).buffer)[0] as number]],
    [
      'a vector of f32',
      '.reg .f32 %one, %two; mov.f32 %one, 0f3F800000; mov.f32 %two, 0f40000000; red.global.add.v2.f32 [%rd1], {%one, %two};',
      [...new Uint32Array(Float32Array.of(all, 2 * all).buffer)],
    ],
    // Only the first 2000 blocks add to the counters, because the counters are f16, and f16 cannot represent every
    // integer above 2048.
    [
      'of f16 next to another f16',
      `mov.u32 %r1, %ctaid.x; setp.lt.u32 %p1, %r1, 2000; mov.u32 %r1, %tid.x; setp.eq.and.u32 %p1, %r1, 0, %p1; mov.b16 %h1, 0x3c00;
@%p1 red.global.add.noftz.f16 [%rd1], %h1; @%p1 red.global.add.noftz.f16 [%rd1+2], %h1;`,
      [0x67d067d0],
    ],
    [
      'of 16 bits by compare-and-swap',
      `L: ld.volatile.global.u16 %h1, [%rd1+2]; add.u16 %h2, %h1, 1;
atom.global.cas.b16 %h3, [%rd1+2], %h1, %h2; setp.ne.u16 %p1, %h3, %h1; @%p1 bra L;`,
      [(all * 0x10000) >>> 0],
    ],
    [
      'of 128 bits by compare-and-swap',
      `.reg .b128 %q<4>; L: ld.global.v2.u64 {%rd2, %rd3}, [%rd1];
add.u64 %rd4, %rd2, 1; add.u64 %rd5, %rd3, 3; mov.b128 %q1, {%rd2, %rd3}; mov.b128 %q2, {%rd4, %rd5};
atom.global.cas.b128 %q3, [%rd1], %q1, %q2; mov.b128 {%rd6, %rd7}, %q3;
setp.ne.u64 %p1, %rd6, %rd2; @%p1 bra L; setp.ne.u64 %p1, %rd7, %rd3; @%p1 bra L;`,
      [all, 0, 3 * all, 0],
    ],
    [
      'the most of all',
      `mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, ${threads}, %r2;
red.global.max.u32 [%rd1], %r1;`,
      [all - 1],
    ],
  ])('%s', async (_, body, wanted) => {
    const words = await output({ body: `${address}\n${body}` }, 16, launch);
    expect(words.slice(0, wanted.length)).toEqual(wanted);
  });

  test('a lock that every thread takes guards plain loads and stores', async () => {
    const body = `${address}
L: atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;
ld.global.u32 %r2, [%rd1+4]; add.u32 %r2, %r2, 1; st.global.u32 [%rd1+4], %r2; st.release.gpu.global.u32 [%rd1], 0;`;
    expect(await output({ body }, 8, { ...launch, block: 8 })).toEqual([0, blocks * 8]);
  });

  test('a barrier for the whole grid opens even with more blocks than workers', async () => {
    const body = `${own}
membar.gl; atom.global.add.u32 %r4, [%rd1+400], 1; L: ld.acquire.gpu.global.u32 %r4, [%rd1+400]; setp.lt.u32 %p1, %r4, 100;
@%p1 bra L; st.global.u32 [%rd2], %r4;`;
    for (const workers of everyCount) {
      const words = await output({ body }, 404, { grid: 50, block: 2, workers });
      expect(words).toEqual(Array.from({ length: 101 }, () => 100));
    }
  });
});

describe('faults', () => {
  const body = `${own}
setp.lt.u32 %p1, %r2, 37; @%p1 bra good;
st.global.u32 [%rd2+4096], %r1;
good: mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 2000; @%p2 bra L;`;

  test('the fault of the lowest block is reported', async () => {
    const [first, ...others] = await Promise.all(
      everyCount.map((workers) => faultOf({ body }, { grid: 500, block: 32, workers })),
    );
    expect(first).toMatchObject({ code: 'PTX6001', block: [37, 0, 0], thread: [0, 0, 0], line: 9 });
    for (const other of others) expect(other).toEqual(first);
  });

  test('blocks that wait for one that faulted are stopped', async () => {
    const waiting = `${own} setp.eq.u32 %p1, %r2, 9; @%p1 trap;
L: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;`;
    for (const workers of everyCount) {
      expect(await faultOf({ body: waiting }, { grid: 10, workers })).toMatchObject({
        code: 'PTX6031',
        block: [9, 0, 0],
      });
    }
  });

  test('an unchecked atomic operation on a misaligned address is a fault', async () => {
    const unaligned = 'ld.param.u64 %rd1, [out]; red.global.add.u32 [%rd1+2], 1;';
    expect(await faultOf({ body: unaligned }, { workers: 1, unchecked: true })).toMatchObject({ code: 'PTX6034' });
    expect(await faultOf({ body: unaligned }, { workers: 1 })).toMatchObject({ code: 'PTX6002' });
  });

  test('all workers share one budget', async () => {
    const counting = `${own} mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 100; @%p2 bra L;`;
    const { result } = await outcome({ body: counting }, 4, { grid: 50, block: 8, workers: 2 });
    const { instructions } = result.stats;
    for (const workers of everyCount) {
      const within = await outcome({ body: counting }, 4, { grid: 50, block: 8, workers, budget: instructions });
      expect(within.result).toMatchObject({ ok: true, stats: { instructions } });
      const over = await faultOf({ body: counting }, { grid: 50, block: 8, workers, budget: instructions - 1 });
      expect(over.code).toBe('PTX6020');
    }
  });
});

describe('a kernel that never ends', () => {
  const body = 'L: bra L;';

  test('is stopped by a signal of the caller, even one that was aborted before the launch', async () => {
    const soon = new AbortController();
    setTimeout(() => soon.abort(), 200);
    expect(await faultOf({ body }, { grid: 4, workers: 2, signal: soon.signal })).toMatchObject({ code: 'PTX6022' });
    expect(await faultOf({ body }, { workers: 1, signal: AbortSignal.abort() })).toMatchObject({ code: 'PTX6022' });
  });

  test('is stopped by its time limit, and later launches are unaffected', async () => {
    expect(await faultOf({ body }, { grid: 4, workers: 2, timeout: 0.2 })).toMatchObject({ code: 'PTX6021' });
    expect(await output({ body: `${own} st.global.u32 [%rd2], %r1;` }, 16, { grid: 4, workers: 2 })).toEqual([
      0, 1, 2, 3,
    ]);
  });
});

test('kernels that print run on the calling thread, with blocks in the order of their index', async () => {
  const source = readFileSync(join(root, 'examples/kernels/calls_sm80.ptx'), 'utf8');
  const printed = await Promise.all(
    everyCount.map(async (workers) => {
      const device = await Device.create({ simd: true, workers });
      return (
        await device
          .load(source)
          .kernel('print')
          .launch({ grid: 9, block: 2, args: [0.5] })
      ).printed;
    }),
  );
  expect(printed[0]).toContain('block 8 thread');
  expect(printed[1]).toBe(printed[0]);
  expect(printed[2]).toBe(printed[0]);
});

test.each([-1, 1.5, 65])('%d workers are refused', async (workers) => {
  await expect(Device.create({ simd: true, workers })).rejects.toMatchObject({ code: 'bad-option' });
  await expect(output({ body: '' }, 4, { workers })).rejects.toMatchObject({ code: 'bad-option' });
});

test('idle threads do not keep a process alive', async () => {
  const file = join(root, 'examples/kernels/bench_vecadd.ptx');
  const args = ['--arg', 'f32[]:1,2', '--arg', 'f32[]:3,4', '--arg', 'zeros:f32[2]', '--arg', '2'];
  const { code, stdout } = await spawned(['run', file, '--block', '2', '--workers', '2', ...args]);
  expect([code, stdout]).toEqual([0, 'arg 2: 4 6\n']);
});
