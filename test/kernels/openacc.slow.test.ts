/**
 * OpenACC loops, compiled by GCC 12 with and without optimization. GCC lets only one thread run the sequential parts of
 * the code. The other threads skip these parts, and then receive the computed values through shuffles or shared memory.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Device, type DeviceBuffer, type Extent } from '../../src/device.ts';
import { ways } from '../device/run.ts';

const n = 2000;
const side = 16;
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

const a = Float32Array.from(range(n), (i) => ((i * 37) % 101) / 4);
const b = Float32Array.from(range(n), (i) => i % 7);
const left = Float64Array.from(range(side * side), (at) => Math.floor(at / side) - (at % side));
const right = Float64Array.from(range(side * side), (at) => (Math.floor(at / side) * (at % side)) % 9);
const product = Float64Array.from(range(side * side), (at) => {
  const [row, column] = [Math.floor(at / side), at % side];
  return range(side).reduce((sum, k) => sum + (left[row * side + k] ?? 0) * (right[k * side + column] ?? 0), 0);
});

function mixed(i: number): number {
  const own = range(8).map((k) => (i >> k) ^ k);
  return range(8).reduce((sum, k) => sum + (own[(i + k) & 7] ?? 0) * (k + 1), 0);
}

type Numbers = Float32Array | Float64Array | Int32Array | BigInt64Array;

interface Loop {
  readonly name: string;
  /** The number at the end of the kernel's name, as in `loops$_omp_fn$0`. */
  readonly kernel: number;
  readonly grid: Extent;
  readonly block: Extent;
  /**
   * The values of each variable before and after the launch. The variables are in the order in which GCC passes their
   * addresses.
   */
  readonly variables: readonly { readonly before: Numbers; readonly after: Numbers }[];
}

const kept = (value: Numbers): Loop['variables'][number] => ({ before: value, after: value });

const loops: readonly Loop[] = [
  {
    name: 'gangs, workers and vectors share a loop',
    kernel: 0,
    grid: 3,
    block: [32, 4],
    variables: [kept(a), kept(b), { before: new Float32Array(n), after: a.map((value, i) => value * 2 + (b[i] ?? 0)) }],
  },
  {
    name: 'workers add up a sum',
    kernel: 1,
    grid: 1,
    block: [32, 4],
    variables: [
      { before: Float32Array.of(0), after: Float32Array.of(a.reduce((sum, value) => sum + value, 0)) },
      kept(a),
    ],
  },
  {
    name: 'gangs reduce five variables',
    kernel: 2,
    grid: 4,
    block: [32, 4],
    variables: [
      kept(Int32Array.of(1)),
      { before: Int32Array.of(0), after: Int32Array.of(range(n).reduce((x, i) => x ^ Math.imul(i, 2654435761), 0)) },
      { before: BigInt64Array.of(0n), after: BigInt64Array.of(BigInt(range(n).reduce((sum, i) => sum + i * i, 0))) },
      { before: Int32Array.of(-1), after: Int32Array.of(25) },
      { before: Int32Array.of(0), after: Int32Array.of(a.filter((value) => value > 10).length) },
      kept(a),
    ],
  },
  {
    name: 'three nested levels multiply matrices',
    kernel: 3,
    grid: 8,
    block: [32, 2],
    variables: [{ before: new Float64Array(side * side), after: product }, kept(right), kept(left)],
  },
  {
    name: 'atomics count',
    kernel: 4,
    grid: 3,
    block: 32,
    variables: [
      kept(b),
      {
        before: new Int32Array(16),
        after: Int32Array.from(range(16), (bin) => b.filter((value) => value === bin).length),
      },
    ],
  },
  {
    name: 'a collapsed loop adds up a matrix',
    kernel: 5,
    grid: 4,
    block: 64,
    variables: [
      { before: Float64Array.of(0), after: Float64Array.of(product.reduce((sum, value) => sum + value, 0)) },
      kept(product),
    ],
  },
  {
    name: 'each thread has an array of its own',
    kernel: 6,
    grid: 1,
    block: 32,
    variables: [{ before: new Int32Array(n), after: Int32Array.from(range(n), mixed) }],
  },
];

describe.each(['O0', 'O2'])('-%s', (level) => {
  const source = readFileSync(new URL(`openacc/loops.${level}.ptx`, import.meta.url), 'utf8');

  describe.each(Object.entries({ ...ways, unchecked: { unchecked: true } }))('%s', (_, way) => {
    test.each(loops)('$name', async ({ kernel, grid, block, variables }) => {
      const device = await Device.create({ memory: 1 << 24 });
      const buffers = variables.map(({ before }): DeviceBuffer => device.alloc(before));
      const addresses = device.alloc(BigUint64Array.from(buffers, ({ address }) => address));
      const launched = device.load(source).kernel(`loops$_omp_fn$${kernel}`);
      const result = await launched.launch({ grid, block, args: [addresses], ...way });
      expect(result).toMatchObject({ ok: true });
      expect(buffers.map((buffer) => buffer.read())).toEqual(
        variables.map(({ after }) => new Uint8Array(after.buffer, after.byteOffset, after.byteLength)),
      );
    });
  });
});
