/**
 * Computes the sizes of tensors from the numbers in a file. Every product is checked, so that an overflow cannot make a
 * size appear smaller than it is.
 */
import { shown } from '../base/rules.ts';
import { quote, TensorFileError } from './tensor-error.ts';

/**
 * Maximum number of dimensions of a tensor. numpy has the same limit, and in practice, no library writes tensors with
 * that many dimensions.
 */
const mostExtents = 64;

/**
 * The number of elements in a tensor of the given shape. Throws `bad-shape` if an extent is negative or fractional, or
 * if the product is not a safe integer.
 */
export function elementsOf(shape: readonly number[], name: string): number {
  if (shape.length > mostExtents) throw badShape(name, `it has ${shape.length} extents`);
  for (const extent of shape)
    if (!Number.isSafeInteger(extent) || extent < 0) throw badShape(name, `${shown(extent)} is not an extent`);
  const elements = shape.includes(0) ? 0 : shape.reduce((product, extent) => product * extent, 1);
  // None of the intermediate products is larger than the result. If the result is a safe integer, all intermediate
  // products are therefore safe integers, too, and the result is exact.
  if (!Number.isSafeInteger(elements)) throw badShape(name, 'it has more elements than can be counted');
  return elements;
}

/**
 * The number of bytes that `elements` elements take up if each block of `blockElements` elements takes up `blockBytes`
 * bytes. Throws `bad-shape` if the elements do not fill whole blocks.
 */
export function bytesOf(elements: number, blockElements: number, blockBytes: number, name: string): number {
  if (elements % blockElements !== 0)
    throw badShape(name, `${elements} elements do not fill whole blocks of ${blockElements}`);
  const bytes = (elements / blockElements) * blockBytes;
  if (!Number.isSafeInteger(bytes)) throw badShape(name, 'it has more bytes than can be counted');
  return bytes;
}

function badShape(name: string, why: string): TensorFileError {
  return new TensorFileError('bad-shape', `the shape of ${quote(name)} is impossible: ${why}`);
}
