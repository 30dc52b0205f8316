/**
 * .npy files of any size. When a file is opened, only its header is read. The header determines the position of the
 * data.
 */
import type { Result } from '../../base/result.ts';
import { type ByteSource, readBytes, sliceSource } from '../bytes.ts';
import { littleEndianSource } from './byte-order.ts';
import { bigEndianSize, npyDtype } from './dtypes.ts';
import { npyHeader, npyHeaderRange, parseNpyHeader } from './header.ts';
import { differsInOrder, reorderedSource, requireReorderable } from './order.ts';
import { bytesOf, elementsOf } from '../sizes.ts';
import { TensorFileError } from '../tensor-error.ts';
import type { FileLayout, TensorEntry, TensorFile, TensorPlan } from '../tensor-file.ts';

/**
 * The header of a plain array takes up about a hundred bytes; numpy rejects headers of more than 10,000 bytes in
 * untrusted files.
 */
const longestHeader = 1_000_000;

/**
 * Opens an .npy file. `name` becomes the name of the array; `assumed` is the format to assume for elements that have no
 * type code in numpy.
 */
export async function openNpy(source: ByteSource, name: string, assumed?: string): Promise<TensorFile> {
  const { entry, elements } = await readNpyArray(source, name, assumed);
  const data = elements(source);
  return { container: 'npy', tensors: [entry], metadata: {}, data: () => data };
}

/** The single tensor of an .npy file. */
export interface OpenedArray {
  readonly entry: TensorEntry;
  /**
   * Given the file, returns the elements, in C order and little-endian. If the array is in Fortran order, its elements
   * are kept in memory once they have been read.
   */
  readonly elements: (file: ByteSource) => ByteSource;
}

/** Throws TensorFileError if the file is longer or shorter than its header specifies. */
export async function readNpyArray(source: ByteSource, name: string, assumed?: string): Promise<OpenedArray> {
  const range = npyHeaderRange(await readBytes(source, 0, Math.min(12, source.size)));
  if (!range.ok) throw notNpy(range, source.size);
  const { begin, end } = range.value;
  if (end > source.size) throw new TensorFileError('truncated', 'the header is cut off');
  if (end > longestHeader)
    throw new TensorFileError('header-too-large', `the header claims to be ${end - begin} bytes long`);
  const header = parseNpyHeader(new TextDecoder('latin1').decode(await readBytes(source, begin, end - begin)));
  if (!header.ok) throw new TensorFileError('bad-header', header.error);
  const { descr, fortran, shape } = header.value;
  const numberSize = bigEndianSize(descr);
  const dtype = numberSize === null ? descr : descr.replace('>', '<');
  const entry = entryOf({ name, dtype, shape }, end, assumed);
  requireWhole(entry, source.size);
  const stored = (file: ByteSource): ByteSource => {
    const data = sliceSource(file, entry.offset, entry.byteLength);
    return numberSize === null ? data : littleEndianSource(data, numberSize);
  };
  if (!fortran || !differsInOrder(shape)) return { entry, elements: stored };
  requireReorderable(entry.byteLength);
  const { bytes } = npyDtype(descr, assumed);
  return { entry, elements: (file) => reorderedSource(stored(file), shape, bytes) };
}

/** Lays out the file: version 1.0, data aligned to 64 bytes. The name is not stored. */
export function layoutNpy(plan: TensorPlan): FileLayout {
  const header = npyHeader({ descr: plan.dtype, shape: plan.shape });
  const entry = entryOf(plan, header.length);
  return {
    container: 'npy',
    size: header.length + entry.byteLength,
    header,
    tensors: [entry],
    finish: null,
    files: null,
  };
}

function entryOf({ name, dtype, shape }: TensorPlan, offset: number, assumed?: string): TensorEntry {
  const { format, bytes } = npyDtype(dtype, assumed);
  const elements = elementsOf(shape, name);
  const packing = format === 'opaque' ? 'opaque' : 'whole';
  const byteLength = bytesOf(elements, 1, bytes, name);
  return { name, dtype, format, shape, elements, packing, offset, byteLength, shard: null };
}

function requireWhole({ offset, byteLength }: TensorEntry, size: number): void {
  const there = size - offset;
  if (there < byteLength)
    throw new TensorFileError('truncated', `the data is cut off: ${there} of ${byteLength} bytes`);
  if (there > byteLength)
    throw new TensorFileError('bad-offsets', `${there - byteLength} bytes follow the ${byteLength} bytes of the array`);
}

function notNpy(range: Extract<Result<unknown, string>, { ok: false }>, size: number): TensorFileError {
  if (range.error === 'the header is cut off' || size < 10)
    return new TensorFileError('truncated', 'the header is cut off');
  return new TensorFileError(range.error === 'not a .npy file' ? 'not-this-container' : 'unsupported', range.error);
}
