/**
 * Products with a sparse A and products that keep B, with A, D and the metadata in each of their layouts. The matrices
 * consist of small integers, so every sum is exact.
 */
import { describe, expect, test } from 'vitest';
import { readNumber } from '../../numbers.ts';
import { laneBytes, tensorAllocation, tensorMemoryBytes } from '../../isa/tensor-memory.ts';
import type { TensorProduct } from '../../isa/tensor-product.ts';
import type { DotArithmetic, FactorFormat } from '../../numerics/dot-arithmetic.ts';

import type { TensorAccess } from './access.ts';
import { multiplyInTensor } from './product.ts';

type Format = Exclude<FactorFormat, 'bf16' | 'e5m2' | 'e2m3' | 'e3m2'> | 's8' | 'packed fp4';

/** For each format: the bits of an element in memory, those of its value, and the code in the instruction descriptor. */
const formats: Readonly<Record<Format, readonly [bits: TensorProduct['bits'], width: number, code: number]>> = {
  tf32: [32, 32, 2],
  f16: [16, 16, 0],
  e4m3: [8, 8, 0],
  e2m1: [8, 4, 5],
  s8: [8, 8, 1],
  'packed fp4': [4, 4, 1],
};

interface Job {
  readonly format: Format;
  readonly rows: 32 | 64 | 128;
  readonly n: number;
  readonly blocks?: 1 | 2;
  readonly aInTensor?: boolean;
  readonly sparse?: boolean;
  readonly stationary?: boolean;
  readonly selector?: number;
  readonly zeroColumns?: bigint;
}

const sums: DotArithmetic = { chunk: 64, kept: 25, zeroExponent: -150, end: 'f32', order: 'direct' };

function productOf({ format, blocks = 1, aInTensor = false, sparse = false, stationary = false }: Job): TensorProduct {
  const shape = { blocks, aInTensor, sparse, stationary };
  const [bits, , code] = formats[format];
  if (format === 's8') return { ...shape, kind: 'integer', factors: { [code]: 's8' }, bits: 8 };
  const isPacked = format === 'packed fp4';
  const factors = { [code]: isPacked ? 'e2m1' : format } as const;
  const scaling = isPacked ? ({ count: 2, formats: { 1: 'ue8m0' }, groups: true } as const) : null;
  return { ...shape, kind: 'float', factors, bits, sums: { 1: sums }, scaling };
}

/** The stored elements of a row of A. */
const lengthOf = (format: Format): number => 256 / formats[format][0];
const [addressOfA, addressOfB] = [0, 16384];
const [columnOfD, columnOfA, columnOfScales, columnOfMetadata] = [0, 256, 264, 280];

function codeOf(format: Format, value: number): number {
  if (format === 's8') return value & 0xff;
  const named = format === 'tf32' ? 'f32' : format === 'packed fp4' ? 'e2m1' : format;
  return Number(readNumber(String(value), named).bits);
}

/** Puts an element into a matrix in shared memory without a swizzle, whose lines lie along K. */
function putShared(shared: Uint8Array, start: number, format: Format, length: number): Put {
  const [bits, width] = formats[format];
  const perChunk = 128 / bits;
  const chunks = length / perChunk;
  return (line, k, value) => {
    const chunk = start + (line & 7) * 16 + (line >> 3) * 128 * chunks + Math.floor(k / perChunk) * 128;
    // Elements with fewer than 8 bits are packed at the start of a chunk.
    putBits(shared, 8 * chunk + (k % perChunk) * (width < 8 ? width : bits), width, codeOf(format, value));
  };
}

type Put = (line: number, k: number, value: number) => void;

function putBits(bytes: Uint8Array, at: number, width: number, code: number): void {
  for (let i = 0; i < width; i++) {
    const [byte, low] = [(at + i) >> 3, (at + i) & 7];
    bytes[byte] = ((bytes[byte] ?? 0) & ~(1 << low)) | (((code >>> i) & 1) << low);
  }
}

/** The lanes that hold a row of one block, each with a part of the columns of D (layouts A to G of the ISA). */
function lanesOf({ rows, blocks = 1, sparse = false, stationary = false }: Job, row: number): readonly number[] {
  if (rows === 128) return [row];
  if (stationary || (blocks === 2 && !sparse)) return Array.from({ length: 128 / rows }, (_, i) => row + i * rows);
  return [32 * Math.floor(row / 16) + (row % 16)];
}

const pick = <T>(values: readonly T[], ...seed: readonly number[]): T => {
  const mixed = seed.reduce((sum, one) => Math.imul(sum ^ (one + 1), 0x9e3779b1) ^ (sum >>> 13), 7);
  const found = values[(mixed >>> 9) % values.length];
  if (found === undefined) throw new Error('there are no values');
  return found;
};

const valueOfA = (block: number, row: number, at: number): number => pick([-2, -1, 0, 1, 2], block, row, at, 1);
const valueOfB = (column: number, k: number): number => pick([-2, -1, 0, 1, 2], column, k, 2);

/** The indices in the metadata of a chunk of a row. */
function indicesOf(format: Format, block: number, row: number, chunk: number): number {
  const values = format === 'tf32' ? [0b0100, 0b1110] : [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110];
  return pick(values, block, row, chunk, 3);
}

/** The column of A to which a stored element belongs. */
function columnOf(format: Format, block: number, row: number, at: number): number {
  if (format === 'tf32') return 2 * at + (indicesOf(format, block, row, at) === 0b1110 ? 1 : 0);
  const unit = format === 'packed fp4' ? 2 : 1;
  const [chunk, within] = [Math.floor(at / (2 * unit)), at % (2 * unit)];
  const index = (indicesOf(format, block, row, chunk) >>> (2 * Math.floor(within / unit))) & 3;
  return unit * (4 * chunk + index) + (within % unit);
}

/** Writes the metadata into all lanes that hold a row. */
function putMetadata(tensor: Uint8Array, job: Job, block: number): void {
  const { format, rows, selector = 0 } = job;
  const isWide = formats[format][0] >= 16;
  const chunks = isWide ? 8 : 16;
  const bit = (lane: number, column: number): number => 8 * (lane * laneBytes + 4 * (columnOfMetadata + column));
  for (let row = 0; row < rows; row++) {
    for (let chunk = 0; chunk < chunks; chunk++) {
      const indices = indicesOf(format, block, row, chunk);
      const upper = Math.floor(row / 8) % 2;
      // Lanes i and i + 8 hold the first and the second half of the columns of rows i and i + 8.
      const inRow = isWide ? row - 8 * upper + (chunk < 4 ? 0 : 8) : row;
      const low = isWide ? 16 * upper + 4 * (chunk % 4) : 4 * (chunk % 8);
      const column = isWide ? selector : Math.floor(chunk / 8);
      for (const lane of lanesOf(job, inRow)) putBits(tensor, bit(lane, column) + low, 4, indices);
    }
  }
}

interface Block {
  readonly shared: Uint8Array;
  readonly tensor: Uint8Array;
}

function blockOf(job: Job, block: number): Block {
  const { format, rows, n, blocks = 1, aInTensor = false, sparse = false, zeroColumns = 0n } = job;
  const [bits, width] = formats[format];
  const length = lengthOf(format);
  const [shared, tensor] = [new Uint8Array(2 ** 16), new Uint8Array(tensorMemoryBytes)];
  tensor.set([0xff, 0xff, 0, 0], tensorAllocation);
  const put: Put = aInTensor
    ? (row, k, value) => {
        // An fp4 number is in bits 2 to 5 of its byte.
        const low = bits === 8 && width === 4 ? 2 : 0;
        for (const lane of lanesOf(job, row))
          putBits(tensor, 8 * (lane * laneBytes + 4 * columnOfA) + k * bits + low, width, codeOf(format, value));
      }
    : putShared(shared, addressOfA, format, length);
  for (let row = 0; row < rows; row++) for (let k = 0; k < length; k++) put(row, k, valueOfA(block, row, k));
  const ofB = sparse ? 2 * length : length;
  const putB = putShared(shared, addressOfB, format, ofB);
  const columns = zeroColumns === 0n ? n / blocks : n + 32;
  for (let column = 0; column < columns; column++)
    for (let k = 0; k < ofB; k++) putB(column, k, valueOfB(block * columns + column, k));
  if (sparse) putMetadata(tensor, job, block);
  // All scale factors are 1.
  for (let lane = 0; lane < 32; lane++)
    tensor.fill(127, lane * laneBytes + 4 * columnOfScales, lane * laneBytes + 4 * columnOfScales + 64);
  return { shared, tensor };
}

const accessOf = ({ shared, tensor }: Block): TensorAccess => ({
  chunk: (address) => shared.subarray(address, address + 16),
  read: (offset, size) => tensor.subarray(offset, offset + size),
  write: (offset, size) => tensor.subarray(offset, offset + size),
});

const descriptorOf = (address: number, format: Format, length: number): bigint => {
  const stride = 128 * ((length * formats[format][0]) / 128);
  return BigInt(address >> 4) | (BigInt(128 >> 4) << 16n) | (BigInt(stride >> 4) << 32n);
};

/** Multiplies, and returns the rows of D of all blocks. */
function multiply(job: Job): readonly (readonly number[])[] {
  const { format, rows, n, blocks = 1, aInTensor = false, sparse = false, selector = 0, zeroColumns = 0n } = job;
  const all = Array.from({ length: blocks }, (_, block) => blockOf(job, block));
  const code = formats[format][2];
  const isPacked = format === 'packed fp4';
  const types = isPacked ? 1 << 23 : (format === 's8' ? 2 : 1) << 4;
  const greatestShift = zeroColumns === 0n ? 0 : 3;
  const shape = ((n / 8) << 17) | (((blocks * rows) / 16) << 24) | (greatestShift << 30);
  const length = lengthOf(format);
  const call = {
    product: productOf(job),
    d: BigInt(columnOfD),
    a: aInTensor ? BigInt(columnOfA) : descriptorOf(addressOfA, format, length),
    b: descriptorOf(addressOfB, format, sparse ? 2 * length : length),
    instruction: types | shape | (code << 7) | (code << 10) | (sparse ? 4 : 0) | selector,
    adds: false,
    scale: 0,
    scales: [BigInt(columnOfScales), BigInt(columnOfScales + 8)],
    metadata: sparse ? BigInt(columnOfMetadata) : 0n,
    zeroColumns,
    unchanged: [],
  };
  multiplyInTensor(call, all.map(accessOf));
  return all.flatMap(({ tensor }) =>
    Array.from({ length: rows }, (_, row) => {
      const lanes = lanesOf(job, row);
      return lanes.flatMap((lane) => {
        const own = tensor.slice(lane * laneBytes, lane * laneBytes + (4 * n) / lanes.length).buffer;
        return [...(format === 's8' ? new Int32Array(own) : new Float32Array(own))];
      });
    }),
  );
}

/** @param source the column of B that a column of D uses; null if zeros take its place */
function expected(
  { format, rows, n, blocks = 1, sparse = false }: Job,
  source: (column: number) => number | null = (column) => column,
): readonly (readonly number[])[] {
  const length = lengthOf(format);
  return Array.from({ length: blocks * rows }, (_, line) => {
    const [block, row] = [Math.floor(line / rows), line % rows];
    return Array.from({ length: n }, (__, column) => {
      const from = source(column);
      if (from === null) return 0;
      let sum = 0;
      for (let at = 0; at < length; at++)
        sum += valueOfA(block, row, at) * valueOfB(from, sparse ? columnOf(format, block, row, at) : at);
      return sum;
    });
  });
}

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

/** The fields of a zero-column mask descriptor; those of the parts begin with part 0. */
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
  ['32 columns with .ws', { format: 'f16', rows: 64, n: 32, stationary: true }, 'no product with 64 rows'],
  [
    'a selector for bytes',
    { format: 'e4m3', rows: 128, n: 32, sparse: true, selector: 1 },
    'no metadata with the selector 1',
  ],
  [
    '64 rows of A in tensor memory in each of two blocks',
    { format: 'f16', rows: 64, n: 32, blocks: 2, aInTensor: true },
    'must be in shared memory',
  ],
] as const)('%s: a fault', (_, job, message) => {
  expect(() => multiply(job)).toThrow(message);
});
