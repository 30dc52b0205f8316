/**
 * Compares the results of two blocks that multiply together with the results of single blocks, each of which has all
 * columns of B in its own shared memory.
 */
import { describe, expect, test } from 'vitest';
import { linearCongruential } from '../../../test/linear-congruential.ts';
import { accessOf, type BlockMemory } from '../../../test/matrix/block-memory.ts';
import { laneBytes, tensorAllocation, tensorMemoryBytes } from '../../isa/tensor-memory.ts';
import type { DotArithmetic } from '../../numerics/dot-arithmetic.ts';
import type { TensorProduct } from '../../isa/tensor-product.ts';
import { tileRows } from '../../jit/matrix/tile-rows.ts';
import type { ProductCall } from './product-call.ts';
import { multiplyInTensor } from './product.ts';

type Alone<T> = T extends unknown ? Omit<T, 'blocks' | 'aInTensor' | 'sparse' | 'stationary' | 'shapes'> : never;

const sums: DotArithmetic = { chunk: 16, kept: 25, zeroExponent: -150, end: 'f32', order: 'direct' };
const halves: Alone<TensorProduct> = {
  kind: 'float',
  factors: { 0: 'f16' },
  bits: 16,
  sums: { 1: sums },
  scaling: null,
};
const bytes: Alone<TensorProduct> = { kind: 'integer', factors: { 0: 'u8' }, bits: 8 };
const scaled: Alone<TensorProduct> = {
  kind: 'float',
  factors: { 0: 'e4m3' },
  bits: 8,
  sums: { 1: { ...sums, chunk: 32 } },
  scaling: { count: 1, formats: { 1: 'ue8m0' }, groups: false },
};

const grouped: Alone<TensorProduct> = {
  kind: 'float',
  factors: { 1: 'e2m1' },
  bits: 4,
  sums: { 1: { ...sums, chunk: 4, kept: 35 } },
  scaling: { count: 4, formats: { 1: 'ue8m0' }, groups: true },
};

const dense = { sparse: false, stationary: false, shapes: { m: [64, 128, 256], n: [32] } } as const;

const n = 32;
/** A group of 8 lines takes up 256 bytes: two chunks of 16 bytes along K for each line. */
const bytesOf = (lines: number): number => 32 * lines;
const [addressOfA, addressOfB] = [0, 8192];
const [columnOfD, columnOfA, columnOfScales] = [0, 40, 64];

/** The descriptor of a matrix without a swizzle. */
const descriptorOf = (address: number): bigint =>
  BigInt(address >> 4) | (BigInt(128 >> 4) << 16n) | (BigInt(256 >> 4) << 32n);

const word = linearCongruential(1);
const byte = (): number => word() >>> 24;

function block(): BlockMemory {
  const shared = Uint8Array.from({ length: 2 ** 14 }, byte);
  const tensor = Uint8Array.from({ length: tensorMemoryBytes }, byte);
  // The scale factors are near 1, and all columns of tensor memory are allocated.
  for (let lane = 0; lane < 32; lane++)
    for (let at = 0; at < 32; at++) tensor[lane * laneBytes + 4 * columnOfScales + at] = 120 + (byte() & 15);
  tensor.set([0xff, 0xff, 0, 0], tensorAllocation);
  return { shared, tensor };
}

function callOf(product: TensorProduct, m: number): ProductCall {
  const isInteger = product.kind === 'integer';
  const types = isInteger ? 2 << 4 : 1 << 4;
  const scaleFormat = product.kind === 'float' && product.scaling !== null ? (1 << 23) - (1 << 4) : 0;
  const factors = product.bits === 4 ? (1 << 7) | (1 << 10) : 0;
  return {
    product,
    d: BigInt(columnOfD),
    a: product.aInTensor ? BigInt(columnOfA) : descriptorOf(addressOfA),
    b: descriptorOf(addressOfB),
    instruction: (types + scaleFormat) | factors | ((n / 8) << 17) | ((m / 16) << 24),
    adds: true,
    scale: 0,
    scales: [BigInt(columnOfScales), BigInt(columnOfScales + 4)],
    metadata: 0n,
    zeroColumns: 0n,
    unchanged: [],
  };
}

/** The words of a row of D, which may be spread over several lanes. */
function rowOf({ tensor }: BlockMemory, lanes: readonly number[]): readonly number[] {
  const words = n / lanes.length;
  return lanes.flatMap((lane) => [
    ...new Uint32Array(tensor.slice(lane * laneBytes, lane * laneBytes + 4 * words).buffer),
  ]);
}

describe.each([
  ['halves', halves, 128, false],
  ['halves, 64 rows in each block', halves, 64, false],
  ['halves, A in tensor memory', halves, 128, true],
  ['integers', bytes, 128, false],
  ['numbers with scale factors', scaled, 128, false],
  ['groups with scale factors', grouped, 128, false],
] as const)('%s', (_, alone, rows, aInTensor) => {
  test('each block gets the rows of its part of A, and all columns', () => {
    const blocks = [block(), block()];
    const expected = blocks.map((own) => {
      const copy = { shared: own.shared.slice(), tensor: own.tensor.slice() };
      blocks.forEach(({ shared }, rank) => {
        const half = shared.subarray(addressOfB, addressOfB + bytesOf(n / 2));
        copy.shared.set(half, addressOfB + rank * half.length);
      });
      // With 64 rows, a block that multiplies alone stores its sums in different lanes than two blocks do.
      if (rows === 64) moveRows(own, copy);
      multiplyInTensor(callOf({ ...alone, ...dense, aInTensor, blocks: 1 }, rows), [accessOf(copy)]);
      return Array.from({ length: rows }, (__, row) =>
        rowOf(copy, [rows === 128 ? row : 32 * (row >> 4) + (row & 15)]),
      );
    });
    multiplyInTensor(callOf({ ...alone, ...dense, aInTensor, blocks: 2 }, 2 * rows), blocks.map(accessOf));
    const found = blocks.map((own) =>
      Array.from({ length: rows }, (__, row) => rowOf(own, rows === 128 ? [row] : [row, row + 64])),
    );
    expect(found).toEqual(expected);
  });

  test('the code for whole rows gives the same results', () => {
    const one = block();
    const other = { shared: one.shared, tensor: one.tensor.slice() };
    const call = callOf({ ...alone, ...dense, aInTensor, blocks: 1 }, rows);
    multiplyInTensor(call, [accessOf(one)]);
    multiplyInTensor(call, [accessOf(other)], tileRows);
    expect(Buffer.compare(one.tensor, other.tensor)).toBe(0);
  });
});

/** Copies rows from the lanes in which two blocks store them to the lanes in which a single block stores them. */
function moveRows(from: BlockMemory, to: BlockMemory): void {
  for (let row = 0; row < 64; row++) {
    const words = rowOf(from, [row, row + 64]);
    to.tensor.set(new Uint8Array(Uint32Array.from(words).buffer), (32 * (row >> 4) + (row & 15)) * laneBytes);
  }
}

test('lanes remain unchanged in either block', () => {
  const blocks = [block(), block()];
  const before = blocks.map(({ tensor }) => tensor.slice());
  const unchanged = [0, 0xffff_ffff, 0, 0, 1, 0, 0, 0x8000_0000];
  const call = callOf({ ...halves, ...dense, aInTensor: false, blocks: 2 }, 256);
  multiplyInTensor({ ...call, adds: false, unchanged }, blocks.map(accessOf));
  const kept = blocks.map(({ tensor }, rank) =>
    Array.from({ length: 128 }, (_, lane) => lane).filter((lane) => {
      const place = [lane * laneBytes, lane * laneBytes + 4 * n] as const;
      return tensor.subarray(...place).every((one, i) => one === before[rank]?.[place[0] + i]);
    }),
  );
  expect(kept).toEqual([Array.from({ length: 32 }, (_, i) => 32 + i), [0, 127]]);
});

test.each([
  [48, 32],
  [256, 24],
  [512, 32],
])('%i rows and %i columns are not a product of two blocks', (m, columns) => {
  const call = callOf({ ...halves, ...dense, aInTensor: false, blocks: 2 }, m);
  const instruction = (call.instruction & ~(63 << 17)) | ((columns / 8) << 17);
  const memories = [block(), block()].map(accessOf);
  expect(() => multiplyInTensor({ ...call, instruction }, memories)).toThrow('there is no product with');
});
