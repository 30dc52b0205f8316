/** Reads a tensor with its last two axes swapped. At any time, only one matrix of the tensor is in memory. */
import { elementAt } from '../base/element-at.ts';
import { doubleAt } from '../base/typed-reads.ts';
import { loadUnit, type TensorValues } from './tensor-values.ts';

/** @param shape the shape after the swap, which must have at least two axes */
export function swappedValues(values: TensorValues, shape: readonly number[]): TensorValues {
  const [rows, columns] = [elementAt(shape, shape.length - 2), elementAt(shape, shape.length - 1)];
  const size = rows * columns;
  let kept: { readonly index: number; readonly matrix: Float64Array } | null = null;
  const matrixAt = async (index: number): Promise<Float64Array> => {
    if (kept?.index !== index) kept = { index, matrix: swap(await partOf(values, index * size, size), rows, columns) };
    return kept.matrix;
  };
  return {
    ...values,
    async load(from, count) {
      const out = new Float64Array(count);
      for (let at = from; at < from + count; ) {
        const index = Math.floor(at / size);
        const end = Math.min(from + count, (index + 1) * size);
        const matrix = await matrixAt(index);
        out.set(matrix.subarray(at - index * size, end - index * size), at - from);
        at = end;
      }
      return () => out;
    },
  };
}

/** Reads elements starting at any index, not only at multiples of `loadUnit`. */
async function partOf(values: TensorValues, first: number, count: number): Promise<Float64Array> {
  const start = first - (first % loadUnit);
  const end = Math.min(Math.ceil((first + count) / loadUnit) * loadUnit, values.elements);
  const loaded = (await values.load(start, end - start))();
  return Float64Array.from(loaded.subarray(first - start, first - start + count));
}

/** Transposes a matrix that is stored as `columns` x `rows`; the result is `rows` x `columns`. */
function swap(stored: Float64Array, rows: number, columns: number): Float64Array {
  const out = new Float64Array(stored.length);
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) out[row * columns + column] = doubleAt(stored, column * rows + row);
  }
  return out;
}
