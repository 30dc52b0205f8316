/** Tests kernels, compiled by nvcc, that use cuda::barrier and cuda::pipeline to wait for asynchronous copies. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ways } from '../device/run.ts';

const steps = 11;

interface Case {
  readonly kernel: string;
  readonly targets: readonly string[];
  /**
   * `reads` is the number of words that each step reads, and `writes` the number of words that the whole kernel writes.
   */
  readonly reads: number;
  readonly writes: number;
  /** The word that the kernel must write at index `i`. */
  readonly expected: (words: Int32Array, i: number) => number;
}

function overSteps(first: number, next: (sum: number, step: number) => number): number {
  let sum = first;
  for (let step = 0; step < steps; step++) sum = next(sum, step);
  return sum;
}

/** The operations that `bulk` performs, one for each component of its vectors. */
const components: readonly ((sum: number, value: number, step: number) => number)[] = [
  (sum, value) => (sum + value) | 0,
  (sum, value) => Math.max(sum, value),
  (sum, value, step) => (sum + Math.imul(value, step)) | 0,
  (sum, value) => sum ^ value,
];

const cases: readonly Case[] = [
  {
    kernel: 'double_buffer',
    targets: ['sm_80', 'sm_90'],
    reads: 64,
    writes: 64,
    expected: (words, i) =>
      overSteps(0, (sum, step) => (Math.imul(sum, 3) + (words[step * 64 + ((i + 1) % 64)] ?? 0)) | 0),
  },
  {
    kernel: 'two_roles',
    targets: ['sm_80', 'sm_90'],
    reads: 32,
    writes: 32,
    expected: (words, i) =>
      overSteps(0, (sum, step) => (Math.imul(sum, 7) + (words[step * 32 + ((i + 5) % 32)] ?? 0)) | 0),
  },
  {
    kernel: 'bulk',
    targets: ['sm_90'],
    reads: 128,
    writes: 128,
    expected: (words, i) =>
      overSteps(0, (sum, step) => {
        const vector = step * 32 + ((Math.floor(i / 4) + step) % 32);
        return components[i % 4]?.(sum, words[4 * vector + (i % 4)] ?? 0, step) ?? 0;
      }),
  },
];

const rows = cases.flatMap((one) => one.targets.map((target) => ({ ...one, target })));

describe.each(Object.entries(ways))('with %s', (_way, options) => {
  test.each(rows)('$kernel for $target', async ({ kernel, target, reads, writes, expected }) => {
    const words = Int32Array.from({ length: reads * steps }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >> 12);
    const device = await Device.create();
    const source = readFileSync(new URL(`./barriers/barriers.${target}.ptx`, import.meta.url), 'utf8');
    const [input, output] = [device.alloc(words), device.alloc(4 * writes)];
    const result = await device
      .load(source)
      .kernel(kernel)
      .launch({ block: 64, args: [input, output, steps], ...options });
    expect(result.ok ? null : result.fault).toBeNull();
    expect([...new Int32Array(output.read().buffer)]).toEqual(
      Array.from({ length: writes }, (_, i) => expected(words, i)),
    );
  });
});
