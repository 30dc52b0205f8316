/**
 * Products of matrices in tensor memory and shared memory, and the exact results. The matrices, their metadata and
 * their scale factors are laid out according to the formulas of the ISA and of CUTLASS.
 */
import { readNumber } from '../../src/numbers.ts';
import { laneBytes, tensorAllocation, tensorMemoryBytes } from '../../src/isa/tensor-memory.ts';
import { shapesOf } from '../../src/isa/forms/tensor/product-shapes.ts';
import type { TensorProduct } from '../../src/isa/tensor-product.ts';
import type { DotArithmetic, FactorFormat } from '../../src/numerics/dot-arithmetic.ts';
import { multiplyInTensor } from '../../src/machine/tensor-memory/product.ts';
import { accessOf, type BlockMemory } from './block-memory.ts';

export type Format = Exclude<FactorFormat, 'bf16' | 'e5m2' | 'e2m3' | 'e3m2'> | 's8' | 'packed fp4';

/**
 * For each format: the width of an element in memory, the width of its value, and the code in the instruction
 * descriptor.
 */
const formats: Readonly<Record<Format, readonly [bits: TensorProduct['bits'], width: number, code: number]>> = {
  tf32: [32, 32, 2],
  f16: [16, 16, 0],
  e4m3: [8, 8, 0],
  e2m1: [8, 4, 5],
  s8: [8, 8, 1],
  'packed fp4': [4, 4, 1],
};

export interface Job {
  readonly format: Format;
  readonly rows: 32 | 64 | 128;
  readonly n: number;
  readonly blocks?: 1 | 2;
  readonly aInTensor?: boolean;
  readonly sparse?: boolean;
  readonly stationary?: boolean;
  readonly selector?: number;
  readonly zeroColumns?: bigint;
  /** Additional bits of the instruction descriptor. */
  readonly flags?: number;
  readonly laneOfD?: number;
  /** The number of columns of B in shared memory. Default: as many columns as the product may read. */
  readonly columnsOfB?: number;
  /**
   * If `pairs` is given, B has a 128-byte swizzle that moves units of 32 bytes, and its lines lie along K or across K.
   */
  readonly pairs?: 'along' | 'across';
}

const sums: DotArithmetic = { chunk: 64, kept: 25, zeroExponent: -150, end: 'f32', order: 'direct' };

function productOf({ format, blocks = 1, aInTensor = false, sparse = false, stationary = false }: Job): TensorProduct {
  const [bits, , code] = formats[format];
  const isPacked = format === 'packed fp4';
  const kind = format === 's8' ? 'integer' : isPacked ? 'scaled' : 'plain';
  const shape = { blocks, aInTensor, sparse, stationary, shapes: shapesOf(kind, { blocks, sparse, stationary }) };
  if (format === 's8') return { ...shape, kind: 'integer', factors: { [code]: 's8' }, bits: 8 };
  const factors = { [code]: isPacked ? 'e2m1' : format } as const;
  const scaling = isPacked ? ({ count: 2, formats: { 1: 'ue8m0' }, groups: true } as const) : null;
  return { ...shape, kind: 'float', factors, bits, sums: { 1: sums }, scaling };
}

/** The number of stored elements in each row of A. */
const lengthOf = (format: Format): number => 256 / formats[format][0];
const [addressOfA, addressOfB] = [0, 16384];
const [columnOfD, columnOfA, columnOfScales, columnOfMetadata] = [0, 256, 264, 280];

function codeOf(format: Format, value: number): number {
  if (format === 's8') return value & 0xff;
  const named = format === 'tf32' ? 'f32' : format === 'packed fp4' ? 'e2m1' : format;
  return Number(readNumber(String(value), named).bits);
}

/**
 * Returns a function that writes elements of a matrix into shared memory. The matrix has no swizzle, and its lines lie
 * along K.
 */
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

/**
 * Returns the function that writes elements of B if `pairs` is given. There are no gaps between the 128-byte lines. A
 * tile has 8 lines, or 4 if the lines lie across K. Bits 5 and 6 of an address are XORed with bits 7 and 8.
 */
function putPairs(shared: Uint8Array, format: Format, way: 'along' | 'across'): Put {
  const [bits] = formats[format];
  return (line, k, value) => {
    const [outer, inner] = way === 'along' ? [line, k] : [k, line];
    const linear = addressOfB + 128 * outer + (inner * bits) / 8;
    putBits(shared, 8 * (linear ^ (((linear >> 7) & 3) << 5)), bits, codeOf(format, value));
  };
}

type Put = (line: number, k: number, value: number) => void;

function putBits(bytes: Uint8Array, at: number, width: number, code: number): void {
  for (let i = 0; i < width; i++) {
    const [byte, low] = [(at + i) >> 3, (at + i) & 7];
    bytes[byte] = ((bytes[byte] ?? 0) & ~(1 << low)) | (((code >>> i) & 1) << low);
  }
}

/**
 * The lanes that contain a row of one block. Each lane contains a part of the columns of D (layouts A to G of the ISA).
 */
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

/** The metadata of a chunk of a row, which consists of two indices. */
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

/** The base-2 logarithms of the scale factors for a row of A and for a column of B. */
const scaleOfRow = (row: number): number => row % 3;
const scaleOfColumn = (column: number): number => (column * 5) % 4;

/**
 * The factors of line i are in lane i % 32 and column i / 32. With two blocks of 64 rows, the factors of the second
 * half of B begin in lane 64.
 */
function putScales(tensor: Uint8Array, { rows, n, blocks = 1 }: Job): void {
  const put = (line: number, lane: number, column: number, power: number): void => {
    const at = (lane + (line % 32)) * laneBytes + 4 * (column + Math.floor(line / 32));
    tensor.fill(127 + power, at, at + 2);
  };
  for (let row = 0; row < rows; row++) put(row, 0, columnOfScales, scaleOfRow(row));
  const half = blocks === 2 && rows === 64 ? n / 2 : n;
  for (let column = 0; column < n; column++)
    put(column % half, column < half ? 0 : 64, columnOfScales + 8, scaleOfColumn(column));
}

function blockOf(job: Job, block: number): BlockMemory {
  const { format, rows, n, blocks = 1, aInTensor = false, sparse = false, zeroColumns = 0n } = job;
  const [bits, width] = formats[format];
  const length = lengthOf(format);
  // If `columnsOfB` is given, shared memory ends after the columns of B, so that nothing after them can be read.
  const end = job.columnsOfB === undefined ? 2 ** 16 : addressOfB + 256 * Math.ceil(job.columnsOfB / 8);
  const [shared, tensor] = [new Uint8Array(end), new Uint8Array(tensorMemoryBytes)];
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
  const putB =
    job.pairs !== undefined ? putPairs(shared, format, job.pairs) : putShared(shared, addressOfB, format, ofB);
  const columns = job.columnsOfB ?? (zeroColumns === 0n ? n / blocks : n + 32);
  for (let column = 0; column < columns; column++)
    for (let k = 0; k < ofB; k++) putB(column, k, valueOfB(block * columns + column, k));
  if (sparse) putMetadata(tensor, job, block);
  if (format === 'packed fp4') putScales(tensor, job);
  return { shared, tensor };
}

const descriptorOf = (address: number, format: Format, length: number): bigint => {
  const stride = 128 * ((length * formats[format][0]) / 128);
  return BigInt(address >> 4) | (BigInt(128 >> 4) << 16n) | (BigInt(stride >> 4) << 32n);
};

/** The descriptor of B if `pairs` is given. The descriptor contains the swizzle mode and the distance between tiles. */
const pairsDescriptor = (way: 'along' | 'across'): bigint =>
  BigInt(addressOfB >> 4) | (BigInt((way === 'along' ? 1024 : 512) >> 4) << 32n) | (1n << 61n);

/** Computes the product, and returns the rows of D in all blocks. */
export function multiply(job: Job): readonly (readonly number[])[] {
  const { format, rows, n, blocks = 1, aInTensor = false, sparse = false, selector = 0, zeroColumns = 0n } = job;
  const { flags = 0, laneOfD = 0 } = job;
  const all = Array.from({ length: blocks }, (_, block) => blockOf(job, block));
  const code = formats[format][2];
  const isPacked = format === 'packed fp4';
  const types = isPacked ? 1 << 23 : (format === 's8' ? 2 : 1) << 4;
  const greatestShift = zeroColumns === 0n ? 0 : 3;
  const shape = ((n / 8) << 17) | (((blocks * rows) / 16) << 24) | (greatestShift << 30);
  const length = lengthOf(format);
  const call = {
    product: productOf(job),
    d: BigInt(laneOfD * 2 ** 16 + columnOfD),
    a: aInTensor ? BigInt(columnOfA) : descriptorOf(addressOfA, format, length),
    b:
      job.pairs !== undefined
        ? pairsDescriptor(job.pairs)
        : descriptorOf(addressOfB, format, sparse ? 2 * length : length),
    instruction:
      types |
      shape |
      (code << 7) |
      (code << 10) |
      (sparse ? 4 : 0) |
      selector |
      flags |
      (job.pairs === 'across' ? 1 << 16 : 0),
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

/** @param source returns the column of B that a column of D uses; null if zeros are used instead */
export function expected(
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
      return format === 'packed fp4' ? sum * 2 ** (scaleOfRow(row) + scaleOfColumn(column)) : sum;
    });
  });
}
