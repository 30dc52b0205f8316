/**
 * Tests kernels, compiled by nvcc, whose blocks work together in clusters. Also tests the barrier of a cluster,
 * faulting accesses to the shared memory of other blocks, and launches that are rejected.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Device, type Kernel, type LaunchOptions } from '../../src/device.ts';
import { filled } from '../filled.ts';
import { faultOf, output, ways } from '../device/run.ts';

const allWays: Readonly<Record<string, LaunchOptions>> = {
  ...ways,
  'jit without checks': { simd: true, unchecked: true },
  'two workers': { simd: true, workers: 2 },
};

type Expected = (i: number) => number;

interface Case {
  readonly kernel: string;
  readonly options: LaunchOptions;
  /** Number of words that the kernel writes. */
  readonly count: number;
  readonly expected: Expected;
}

const splitting: Expected = (i) => {
  const [block, thread] = [Math.floor(i / 64), i % 64];
  if (thread >= 40) return 7;
  const [x, y] = [block % 4, Math.floor(block / 4)];
  const rank = (x % 2) + 2 * (y % 2);
  const next = (rank + 1) % 4;
  const [corner, row] = [x - (x % 2) + (next % 2), y - (y % 2) + Math.floor(next / 2)];
  const other = 64 * (4 * row + corner);
  let value = thread;
  for (let k = 0; k < 50 * (rank + 1); k++) value = (Math.imul(value, 1664525) + 1013904223) >>> 0;
  const first = (other * 10 + (x % 2) + 2 * (y % 2) + 4 * 2 + 16 * 2 + 1_000_000 * next) ^ (value & 0x80000000);
  const added = [0, 1, 3, 6, 10][thread];
  return (first + (added === undefined ? 0 : other + added)) >>> 0;
};

const cases: readonly Case[] = [
  {
    kernel: 'gather',
    options: { grid: 8, block: 64 },
    count: 512,
    expected: (i) => {
      const [block, thread] = [Math.floor(i / 64), i % 64];
      let sum = 0;
      for (let rank = 0; rank < 4; rank++) sum += (block - (block % 4) + rank) * 1000 + ((thread + rank) % 64);
      return sum + 7 * (block % 4) + 100_000 * ((block % 4) * 64 + thread);
    },
  },
  { kernel: 'apart', options: { grid: [4, 4], block: 64 }, count: 1024, expected: splitting },
  {
    kernel: 'ring',
    options: { grid: 8, block: 32 },
    count: 512,
    expected: (i) => {
      const [block, thread] = [Math.floor(i / 64), Math.floor((i % 64) / 2)];
      const before = (block + 3) % 4;
      if (i % 2 === 1) return (31 * 32) / 2 + 32 * before;
      return before * 100 + thread + 10 * before + 1000 * thread + 100_000 * (block % 4);
    },
  },
  {
    kernel: 'push',
    options: { grid: 4, block: 64 },
    count: 256,
    expected: (i) => ((Math.floor(i / 64) % 2) ^ 1) * 1000 + 63 - (i % 64) + 200_000,
  },
];

async function kernelOf(build: string, name: string): Promise<{ readonly device: Device; readonly kernel: Kernel }> {
  const device = await Device.create();
  const source = readFileSync(new URL(`clusters/clusters.${build}.ptx`, import.meta.url), 'utf8');
  return { device, kernel: device.load(source).kernel(name) };
}

describe.each(Object.keys(allWays))('on %s', (way) => {
  describe.each(['sm_90', 'sm_90.debug'])('built for %s', (build) => {
    test.each(cases)('$kernel', async ({ kernel: name, options, count, expected }) => {
      const { device, kernel } = await kernelOf(build, name);
      const out = device.alloc(4 * count);
      const result = await kernel.launch({ ...allWays[way], ...options, args: [out] });
      expect(result).toMatchObject({ ok: true });
      expect(out.read('u32')).toEqual(filled(new Uint32Array(count), expected));
    });

    test.each([1, 2, 8])('a histogram in clusters of %i', async (cluster) => {
      const { device, kernel } = await kernelOf(build, 'histogram');
      const bytes = filled(new Uint8Array(5000), (i) => (Math.imul(i, 2654435761) >>> 13) & 255);
      const bins = device.alloc(1024);
      const perBlock = 256 / cluster;
      const args = [device.alloc(bytes), bytes.length, bins, perBlock];
      const shape = { grid: 16, block: 96, cluster, sharedBytes: 4 * perBlock };
      expect(await kernel.launch({ ...allWays[way], ...shape, args })).toMatchObject({ ok: true });
      const expected = new Uint32Array(256);
      for (const byte of bytes) expected[byte] = (expected[byte] ?? 0) + 1;
      expect(bins.read('u32')).toEqual(expected);
    });
  });

  test('the same number of instructions is counted on each engine', async () => {
    const { device, kernel } = await kernelOf('sm_90', 'gather');
    const result = await kernel.launch({ ...allWays[way], grid: 8, block: 64, args: [device.alloc(2048)] });
    expect(result.stats.instructions).toBe(47_104);
  });
});

describe.each(Object.keys(ways))('the barrier of a cluster on %s', (way) => {
  const options = { ...ways[way], grid: 2, cluster: 2, block: 2 };
  /** In the second block, a thread counts to 3000 before it stores the number that all blocks read. */
  const slowly = `
    mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x;
    setp.eq.u32 %p1, %r2, 1; ARRIVE
    @%p1 exit;
    setp.eq.u32 %p2, %r1, 1; @!%p2 bra go;
    mov.u32 %r5, 0; spin: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3000; @%p1 bra spin;
    st.shared.u32 [number], %r5;
    go: barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
    mov.u32 %r3, number; mapa.shared::cluster.u32 %r4, %r3, 1; ld.shared::cluster.u32 %r6, [%r4];
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r6;
    barrier.cluster.arrive; barrier.cluster.wait;`;

  test.each([
    ['exit without arriving', ''],
    ['arrive and exit', '@%p1 barrier.cluster.arrive;'],
    ['arrive without ordering accesses and exit', '@%p1 barrier.cluster.arrive.relaxed;'],
  ])('does not wait for threads that %s, and counts no thread twice', async (_, arrive) => {
    const body = slowly.replace('ARRIVE', arrive);
    const words = await output({ body, module: '.shared .b32 number;', target: 'sm_90' }, 8, options);
    expect(words).toEqual([3000, 3000]);
  });
});

describe.each(Object.keys(ways))('faults on %s', (way) => {
  const module = '.shared .align 16 .b8 bytes[64];';
  const mapped = (
    rank: number,
    code: string,
  ): string => `mov.u32 %r1, bytes; mapa.shared::cluster.u32 %r2, %r1, ${rank};
${code}`;

  test.each([
    ['past the end of the memory of another block', '[%r2+64]', 'shared memory'],
    ['at an address that is not aligned', '[%r2+2]', 'aligned'],
  ])('%s', async (_, address, words) => {
    const body = mapped(1, `ld.shared::cluster.u32 %r3, ${address}; barrier.cluster.arrive; barrier.cluster.wait;`);
    const found = await faultOf({ module, body, target: 'sm_90' }, { ...ways[way], grid: 2, cluster: 2 });
    expect(found.message).toContain(words);
  });

  test('in a block that has exited', async () => {
    const body = mapped(
      1,
      `mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p1, %r4, 1; @%p1 exit;
       mov.u32 %r5, 0; again: ld.param.u64 %rd1, [out]; ld.volatile.global.u32 %r6, [%rd1];
       add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 5000; @%p2 bra again;
       st.shared::cluster.u32 [%r2], %r5;`,
    );
    const found = await faultOf({ module, body, target: 'sm_90' }, { ...ways[way], grid: 2, cluster: 2 });
    expect(found).toMatchObject({
      code: 'PTX6001',
      message: expect.stringContaining('rank 1 in the cluster has exited'),
    });
  });

  test('a block of rank 2 in a cluster of two', async () => {
    const body = mapped(2, 'ld.shared::cluster.u32 %r3, [%r2];');
    const found = await faultOf({ module, body, target: 'sm_90' }, { ...ways[way], grid: 2, cluster: 2 });
    expect(found.code).toBe('PTX6001');
  });
});

describe('a launch is refused', () => {
  test.each<readonly [string, LaunchOptions, string]>([
    ['a grid that is not a multiple', { grid: 3, cluster: 2 }, 'a grid of 3 x 1 x 1 blocks cannot be divided'],
    ['too many blocks', { grid: 32, cluster: [4, 8] }, 'a cluster has 32 blocks; the limit is 16'],
    ['no blocks', { cluster: 0 }, 'cluster.x is 0'],
  ])('%s', async (_, options, words) => {
    await expect(output({ body: '' }, 16, options)).rejects.toThrow(words);
  });

  test('clusters other than those that the kernel requires', async () => {
    const { device, kernel } = await kernelOf('sm_90', 'gather');
    const launch = kernel.launch({ grid: 8, block: 64, cluster: 2, args: [device.alloc(2048)] });
    await expect(launch).rejects.toThrow("kernel 'gather' requires clusters of 4 x 1 x 1 blocks");
  });
});
