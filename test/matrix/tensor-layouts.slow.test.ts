/**
 * Tests products with a sparse A and products that keep B for later products, with each layout of A, D and the
 * metadata. The matrices consist of small integers, so every sum is exact.
 */
import { describe, expect, test } from 'vitest';
import { expected, type Format, type Job, multiply } from './tensor-job.ts';

const all: readonly Format[] = ['tf32', 'f16', 'e4m3', 'e2m1', 's8', 'packed fp4'];
const unscaled = all.filter((format) => format !== 'packed fp4');

describe.each([false, true])('a sparse A, in tensor memory: %s', (aInTensor) => {
  test.each(all)('%s, 128 rows', (format) => {
    const job: Job = { format, rows: 128, n: 32, sparse: true, aInTensor };
    expect(multiply(job)).toEqual(expected(job));
  });
  test.each(unscaled)('%s, 64 rows', (format) => {
    const job: Job = { format, rows: 64, n: 16, sparse: true, aInTensor };
    expect(multiply(job)).toEqual(expected(job));
  });
  test.each([64, 128] as const)('f16, %i rows in each of two blocks', (rows) => {
    const job: Job = { format: 'f16', rows, n: 32, blocks: 2, sparse: true, aInTensor };
    expect(multiply(job)).toEqual(expected(job));
  });
});

test.each([8, 24] as const)('128 rows and %i columns', (n) => {
  for (const format of all) expect(multiply({ format, rows: 128, n })).toEqual(expected({ format, rows: 128, n }));
});

test('scale factors of products of two blocks, 64 rows in each', () => {
  const job: Job = { format: 'packed fp4', rows: 64, n: 96, blocks: 2 };
  expect(multiply(job)).toEqual(expected(job));
});

test.each([
  ['tf32', 'across'],
  ['tf32', 'along'],
  ['f16', 'along'],
  ['e4m3', 'along'],
] as const)('%s %s K, with a swizzle in which 32 bytes stay together', (format, pairs) => {
  const job: Job = { format, rows: 128, n: 32, pairs };
  expect(multiply(job)).toEqual(expected(job));
});

test('a shift reads only the columns that are used', () => {
  const job: Job = { format: 'f16', rows: 64, n: 64, stationary: true, zeroColumns: 3n << 56n };
  expect(multiply({ ...job, columnsOfB: 67 })).toEqual(expected(job, (column) => column + 3));
});

test.each(['tf32', 'f16'] as const)('%s: the metadata is in the column that the descriptor selects', (format) => {
  for (const selector of [1, 2, 3]) {
    const job: Job = { format, rows: 128, n: 16, sparse: true, selector };
    expect(multiply(job)).toEqual(expected(job));
  }
});

describe.each([32, 64, 128] as const)('B is kept, %i rows', (rows) => {
  test.each(unscaled)('%s', (format) => {
    for (const aInTensor of [false, true]) {
      const job: Job = { format, rows, n: 64, stationary: true, aInTensor };
      expect(multiply(job)).toEqual(expected(job));
    }
  });
  test.each(unscaled)('%s, a sparse A', (format) => {
    for (const aInTensor of [false, true]) {
      const job: Job = { format, rows, n: 64, stationary: true, sparse: true, aInTensor };
      expect(multiply(job)).toEqual(expected(job));
    }
  });
});

/**
 * The fields of a zero-column mask descriptor. For fields that exist once per part, the values for all parts are
 * listed, starting with part 0.
 */
interface Mask {
  readonly start: readonly number[];
  readonly startsWithZeros: readonly number[];
  readonly zeros: number;
  readonly used: number;
  readonly shift: number;
}

function maskOf({ start, startsWithZeros, zeros, used, shift }: Mask): bigint {
  const fields = (values: readonly number[], low: number, width: number): bigint =>
    values.reduce((word, value, i) => word | (BigInt(value) << BigInt(low + width * i)), 0n);
  const spans = (1n << 39n) | fields([zeros - 1, used - 1, shift], 40, 8);
  return spans | fields(start, 0, 8) | fields(startsWithZeros, 32, 1);
}

/** The examples of the ISA (section 9.7.16.4.3). A 1 stands for a column of zeros; the first column comes first. */
const masks: readonly (readonly [name: string, rows: 32 | 64 | 128, mask: Mask, patterns: readonly string[]])[] = [
  ['one pattern', 128, { start: [0], startsWithZeros: [0], zeros: 3, used: 4, shift: 0 }, ['00001110000111']],
  [
    'two patterns',
    64,
    { start: [0, 0], startsWithZeros: [1, 0], zeros: 3, used: 4, shift: 0 },
    ['11100001110000', '00001110000111'],
  ],
  [
    'four patterns and a shift',
    32,
    { start: [0, 1, 2, 1], startsWithZeros: [1, 1, 0, 0], zeros: 3, used: 4, shift: 2 },
    ['11100001110000', '11000011100001', '00111000011100', '00011100001110'],
  ],
];

test.each(masks)('columns of zeros: %s', (_, rows, mask, patterns) => {
  const job: Job = { format: 'f16', rows, n: 64, stationary: true, zeroColumns: maskOf(mask) };
  const width = 64 / patterns.length;
  const compared = Math.min(width, 14);
  const source = (column: number): number | null =>
    patterns[Math.floor(column / width)]?.[column % width] === '1' ? null : column + mask.shift;
  const shown = (rowsOfD: readonly (readonly number[])[]) =>
    rowsOfD.map((row) => row.filter((_value, column) => column % width < compared));
  expect(shown(multiply(job))).toEqual(shown(expected(job, source)));
});

test.each([
  ['32 rows without .ws', { format: 'f16', rows: 32, n: 64 }, 'no product with 32 rows'],
  ['32 columns with .ws', { format: 'f16', rows: 64, n: 32, stationary: true }, 'N can be 64, 128 or 256'],
  [
    '256 columns with .ws and a sparse A',
    { format: 'f16', rows: 64, n: 256, stationary: true, sparse: true },
    'N can be 64 or 128',
  ],
  ['40 columns of integers', { format: 's8', rows: 64, n: 40 }, 'N can be 8, 16, …, 32, 48, …, 256'],
  [
    'bytes that lie beyond the lanes',
    { format: 'f16', rows: 64, n: 32, laneOfD: 32 },
    'do not fit into the lanes from lane 32 on',
  ],
  [
    'metadata in another lane than D',
    { format: 'f16', rows: 64, n: 32, sparse: true, laneOfD: 16 },
    'does not begin in the same lane',
  ],
  [
    'a shift of more than 16 columns with 32 rows',
    { format: 'f16', rows: 32, n: 64, stationary: true, zeroColumns: 17n << 56n },
    'but can be shifted by at most 16',
  ],
  ['a descriptor that negates integers', { format: 's8', rows: 64, n: 32, flags: 1 << 13 }, 'negates a factor'],
  ['a descriptor that saturates floats', { format: 'f16', rows: 64, n: 32, flags: 1 << 3 }, 'saturates'],
  ['a descriptor that transposes fp4', { format: 'e2m1', rows: 64, n: 32, flags: 1 << 16 }, 'fewer than 8 bits'],
  [
    'a descriptor that transposes A in tensor memory',
    { format: 'f16', rows: 64, n: 32, aInTensor: true, flags: 1 << 15 },
    'transposes A in tensor memory',
  ],
  [
    'a descriptor that transposes tf32 without a swizzle',
    { format: 'tf32', rows: 64, n: 32, flags: 1 << 16 },
    'need the 128-byte swizzle',
  ],
  [
    'f16 across K with a swizzle in which 32 bytes stay together',
    { format: 'f16', rows: 64, n: 32, pairs: 'across' },
    'must have 32 bits',
  ],
  ['24 columns of transposed bytes', { format: 'e4m3', rows: 64, n: 24, flags: 1 << 16 }, 'N must be a multiple of 16'],
  [
    'a descriptor that selects byte 1 of the scale factors',
    { format: 'packed fp4', rows: 128, n: 32, flags: 1 << 29 },
    'selects byte 1',
  ],
  [
    'a selector for bytes',
    { format: 'e4m3', rows: 128, n: 32, sparse: true, selector: 1 },
    'must be 0 for 8-bit elements, not 1',
  ],
  [
    '64 rows of A in tensor memory in each of two blocks',
    { format: 'f16', rows: 64, n: 32, blocks: 2, aInTensor: true },
    'must be in shared memory',
  ],
] as const)('%s: a fault', (_, job, message) => {
  expect(() => multiply(job)).toThrow(message);
});
