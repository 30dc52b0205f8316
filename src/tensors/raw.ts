/** Files without a header; the caller specifies their format and shape. */
import { formats, isFormatName } from '../numerics/formats.ts';
import { type ByteSource, sliceSource } from './bytes.ts';
import { bytesOf, elementsOf } from './sizes.ts';
import { quote, TensorFileError } from './tensor-error.ts';
import type { FileLayout, TensorEntry, TensorFile, TensorPlan } from './tensor-file.ts';

export interface RawPlan extends TensorPlan {
  /** How elements narrower than 8 bits are packed. Default: `dense`. */
  readonly packing?: 'whole' | 'dense';
}

/**
 * Opens all of `source` as one tensor; `dtype` is the name of a format. Throws `truncated` if the source is too short,
 * and `bad-offsets` if it is too long.
 */
export function openRaw(source: ByteSource, plan: RawPlan): TensorFile {
  const entry = entryOf(plan);
  if (entry.byteLength !== source.size)
    throw new TensorFileError(
      source.size < entry.byteLength ? 'truncated' : 'bad-offsets',
      `the shape needs ${entry.byteLength} bytes, but the file has ${source.size}`,
    );
  return { container: 'raw', tensors: [entry], metadata: {}, data: () => sliceSource(source, 0, entry.byteLength) };
}

export function layoutRaw(plan: RawPlan): FileLayout {
  const entry = entryOf(plan);
  return {
    container: 'raw',
    size: entry.byteLength,
    header: new Uint8Array(0),
    tensors: [entry],
    finish: null,
    files: null,
  };
}

function entryOf({ name, dtype, shape, packing = 'dense' }: RawPlan): TensorEntry {
  if (!isFormatName(dtype)) throw new TensorFileError('unknown-dtype', `${quote(dtype)} is not a number format`);
  const { name: format, width } = formats[dtype];
  const elements = elementsOf(shape, name);
  const dense = width < 8 && packing === 'dense';
  const byteLength = dense ? denseBytes(elements, width, name) : bytesOf(elements, 1, Math.ceil(width / 8), name);
  return {
    name,
    dtype,
    format,
    shape,
    elements,
    packing: dense ? 'dense' : 'whole',
    offset: 0,
    byteLength,
    shard: null,
  };
}

/**
 * The number of bytes that densely packed elements take up. Four 2-bit or two 4-bit elements fill one byte, and four
 * 6-bit elements fill three bytes.
 */
function denseBytes(elements: number, width: number, name: string): number {
  return width === 6 ? bytesOf(elements, 4, 3, name) : bytesOf(elements, 8 / width, 1, name);
}
