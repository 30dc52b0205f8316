/** Matrices of small integers, packed into words in the layouts that other tools use. */
import { dice, type Made } from './made-checkpoints.ts';
import type { StoredTensor } from './safetensors-bytes.ts';

/** Packs numbers of a few bits each into a word. The first number is in the lowest bits. */
function packed(codes: readonly number[], bits: number): number {
  return codes.reduce((word, code, i) => (word | ((code & (2 ** bits - 1)) << (bits * i))) >>> 0, 0);
}

export function words(shape: readonly number[], list: readonly number[]): StoredTensor {
  return { dtype: 'I32', shape, bytes: new Uint8Array(Uint32Array.from(list).buffer) };
}

/** f16 scales starting at 2^-6, as bits and as values. */
function halves(count: number): readonly [bytes: Uint8Array, values: readonly number[]] {
  const bits = Uint16Array.from({ length: count }, (_, i) => 0x2400 + 37 * i);
  return [
    new Uint8Array(bits.buffer),
    Array.from(bits, (half) => 2 ** ((half >> 10) - 15) * (1 + (half & 0x3ff) / 1024)),
  ];
}

export interface Integers {
  readonly bits: 2 | 4 | 8;
  readonly shape: readonly [rows: number, columns: number];
  /** Columns in a group. */
  readonly group: number;
  readonly hasZeros: boolean;
  /** Whether the columns are reordered. If the columns are reordered, the columns of a group are not consecutive. */
  readonly isReordered?: boolean;
}

interface Quantized {
  /** Unsigned codes, indexed as [row][column]; zero points, indexed as [row][group]; and the group of each column. */
  readonly codes: readonly (readonly number[])[];
  readonly zeros: readonly (readonly number[])[];
  readonly groupOf: readonly number[];
  readonly groups: number;
}

function integers({ bits, shape: [rows, columns], group, hasZeros, isReordered = false }: Integers): Quantized {
  const random = dice(rows * 17 + columns);
  const groups = Math.ceil(columns / group);
  const any = (): number => Math.floor(random() * 2 ** bits);
  return {
    codes: Array.from({ length: rows }, () => Array.from({ length: columns }, any)),
    zeros: Array.from({ length: rows }, () =>
      Array.from({ length: groups }, () => (hasZeros ? any() : 2 ** (bits - 1))),
    ),
    groupOf: Array.from({ length: columns }, (_, i) => Math.floor((isReordered ? (i * 7) % columns : i) / group)),
    groups,
  };
}

function valuesOfIntegers(
  { codes, zeros, groupOf }: Quantized,
  scaleOf: (row: number, group: number) => number,
): readonly number[] {
  return codes.flatMap((row, r) =>
    row.map((code, c) => {
      const group = groupOf[c] ?? 0;
      return (code - (zeros[r]?.[group] ?? 0)) * scaleOf(r, group);
    }),
  );
}

/** Divides a list into consecutive parts; the last part is padded with zeros. */
function partsOf(list: readonly number[], size: number): readonly (readonly number[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    Array.from({ length: size }, (_other, j) => list[i * size + j] ?? 0),
  );
}

/** Returns the columns of a matrix that is given as a list of rows. */
function turned(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return Array.from({ length: matrix[0]?.length ?? 0 }, (_, column) => matrix.map((row) => row[column] ?? 0));
}

/**
 * The layout of compressed-tensors: signed codes with 2^(bits - 1) added, packed along rows. Zero points are stored in
 * the same way, but packed along columns.
 */
export function packQuantized(name: string, made: Integers): Made {
  const { bits, shape, hasZeros, isReordered = false } = made;
  const [rows, columns] = shape;
  const all = integers(made);
  const { groups } = all;
  const perWord = 32 / bits;
  const [scaleBytes, scales] = halves(rows * groups);
  const wordsPerRow = Math.ceil(columns / perWord);
  const zeroColumns = turned(all.zeros).map((column) => partsOf(column, perWord).map((part) => packed(part, bits)));
  const zeros = { [`${name}_zero_point`]: words([Math.ceil(rows / perWord), groups], turned(zeroColumns).flat()) };
  return {
    tensors: {
      [`${name}_packed`]: words(
        [rows, wordsPerRow],
        all.codes.flatMap((row) => partsOf(row, perWord).map((part) => packed(part, bits))),
      ),
      [`${name}_scale`]: { dtype: 'F16', shape: [rows, groups], bytes: scaleBytes },
      ...(hasZeros ? zeros : {}),
      [`${name}_shape`]: {
        dtype: 'I64',
        shape: [2],
        bytes: new Uint8Array(BigInt64Array.of(BigInt(rows), BigInt(columns)).buffer),
      },
      ...(isReordered ? { [`${name}_g_idx`]: words([columns], all.groupOf) } : {}),
    },
    shape,
    values: valuesOfIntegers(all, (row, group) => scales[row * groups + group] ?? 0),
  };
}

/**
 * The layout of GPTQ: matrices have the shape [in, out], codes are packed along the inputs, and zero points are packed
 * along the outputs. The first version of the format subtracts 1 from each zero point (`lessOne`).
 */
export function gptq(module: string, made: Integers, lessOne: 0 | 1, hasIndex: boolean): Made {
  const { bits, shape } = made;
  const [rows, columns] = shape;
  const all = integers(made);
  const { groups } = all;
  const perWord = 32 / bits;
  const [scaleBytes, scales] = halves(rows * groups);
  const inputs = all.codes.map((row) => partsOf(row, perWord).map((part) => packed(part, bits)));
  const zeros = turned(all.zeros).flatMap((group) =>
    partsOf(group, perWord).map((part) =>
      packed(
        part.map((zero) => zero - lessOne),
        bits,
      ),
    ),
  );
  return {
    tensors: {
      [`${module}.qweight`]: words([columns / perWord, rows], turned(inputs).flat()),
      [`${module}.qzeros`]: words([groups, rows / perWord], zeros),
      [`${module}.scales`]: { dtype: 'F16', shape: [groups, rows], bytes: scaleBytes },
      ...(hasIndex ? { [`${module}.g_idx`]: words([columns], all.groupOf) } : {}),
    },
    shape,
    values: valuesOfIntegers(all, (row, group) => scales[group * rows + row] ?? 0),
  };
}

/**
 * The layout of AWQ: matrices have the shape [in, out]. Codes and zero points are packed along the outputs, and the
 * eight elements of a word are stored in the order 0, 2, 4, 6, 1, 3, 5, 7.
 */
export function awq(module: string, made: Integers): Made {
  const [rows, columns] = made.shape;
  const all = integers(made);
  const { groups } = all;
  const [scaleBytes, scales] = halves(rows * groups);
  const inOrder = (part: readonly number[]): readonly number[] => [0, 2, 4, 6, 1, 3, 5, 7].map((i) => part[i] ?? 0);
  const pack = (line: readonly number[]): readonly number[] => partsOf(line, 8).map((part) => packed(inOrder(part), 4));
  return {
    tensors: {
      [`${module}.qweight`]: words([columns, rows / 8], turned(all.codes).flatMap(pack)),
      [`${module}.qzeros`]: words([groups, rows / 8], turned(all.zeros).flatMap(pack)),
      [`${module}.scales`]: { dtype: 'F16', shape: [groups, rows], bytes: scaleBytes },
    },
    shape: made.shape,
    values: valuesOfIntegers(all, (row, group) => scales[group * rows + row] ?? 0),
  };
}
