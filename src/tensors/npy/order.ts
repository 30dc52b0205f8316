/** Reorders arrays that are in Fortran order (the first index varies fastest). This is done in memory. */
import { type ByteSource, memorySource, readBytes } from '../bytes.ts';
import { TensorFileError } from '../tensor-error.ts';

/** The largest array that is reordered, in bytes. Reordering takes twice as much memory. */
const largest = 2 ** 30;

/** Whether an array of this shape is stored differently in Fortran order than in C order. */
export function differsInOrder(shape: readonly number[]): boolean {
  return shape.filter((extent) => extent !== 1).length > 1;
}

/**
 * Returns the elements in C order, in which the last index varies fastest. `size` is the size of one element in bytes.
 */
export function inCOrder(data: Uint8Array, shape: readonly number[], size: number): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(data.byteLength);
  const axes = shape.map((extent, axis) => {
    const stride = shape.slice(0, axis).reduce((product, one) => product * one, size);
    return { extent, stride, index: 0 };
  });
  axes.reverse();
  let from = 0;
  for (let to = 0; to < made.length; to += size) {
    for (let i = 0; i < size; i++) made[to + i] = data[from + i] ?? 0;
    for (const axis of axes) {
      from += axis.stride;
      if (++axis.index < axis.extent) break;
      from -= axis.stride * axis.extent;
      axis.index = 0;
    }
  }
  return made;
}

/** @throws TensorFileError `unsupported` if the array is too large to be reordered */
export function requireReorderable(bytes: number): void {
  if (bytes > largest)
    throw new TensorFileError(
      'unsupported',
      `the array is in Fortran order, and larger than the ${largest} bytes that can be reordered; save it in C order`,
    );
}

/**
 * Returns the elements of an array that is in Fortran order, rearranged to C order. The array is read when it is first
 * needed.
 */
export function reorderedSource(source: ByteSource, shape: readonly number[], size: number): ByteSource {
  let reordered: Promise<ByteSource> | null = null;
  const reorder = async (): Promise<ByteSource> =>
    memorySource(inCOrder(await readBytes(source, 0, source.size), shape, size));
  return {
    size: source.size,
    async read(offset, into) {
      reordered ??= reorder();
      await (await reordered).read(offset, into);
    },
  };
}
