/**
 * Sizes that files announce. Computes sizes; every product is checked, so that nothing overflows or appears smaller
 * than it is.
 */
import { shown } from '../base/rules.ts';
import { quote, TensorFileError } from './tensor-error.ts';

/** Maximum number of extents, more than any library writes; numpy allows 64. */
const mostExtents = 64;

/**
 * The number of elements of a shape. Throws `bad-shape` if an extent is not a size, or the product is not a safe
 * integer.
 */
export function elementsOf(shape: readonly number[], name: string): number {
  if (shape.length > mostExtents) throw badShape(name, `it has ${shape.length} extents`);
  for (const extent of shape)
    if (!Number.isSafeInteger(extent) || extent < 0) throw badShape(name, `${shown(extent)} is not an extent`);
  const elements = shape.includes(0) ? 0 : shape.reduce((product, extent) => product * extent, 1);
  // Products of safe integers are exact as long as they are safe integers themselves, and they only grow.
  if (!Number.isSafeInteger(elements)) throw badShape(name, 'it has more elements than can be counted');
  return elements;
}

/**
 * Number of bytes for `elements` elements if every `blockElements` take `blockBytes`. Throws `bad-shape` if they do not
 * fill whole blocks.
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
