/** Reads the elements of a stored tensor as numbers, a range at a time. */
import { elementDecoder } from '../arrays/elements/element-values.ts';
import { elementAt } from '../base/element-at.ts';
import { formats, type FormatName } from '../numerics/formats.ts';
import { packedDecoder } from '../arrays/quantized/packed-decoder.ts';
import type { ByteSource } from './bytes.ts';
import { blockRows } from './gguf/block-rows.ts';
import { quote, TensorFileError } from './tensor-error.ts';
import type { BlockLayout, TensorEntry, TensorFile } from './tensor-file.ts';

/**
 * A function that decodes elements that have already been read, without any further access to the file. The result is
 * valid only until elements are decoded again.
 */
export type Loaded<T> = () => T;

/** Provides access to the elements of a tensor. `T` is the type of the arrays in which elements are returned. */
export interface Loader<T> {
  readonly elements: number;
  /**
   * Reads `count` elements, starting at index `from`. `from` must be a multiple of `loadUnit`. `count` must also be a
   * multiple of `loadUnit`, unless the range extends to the end of the tensor. At any time, at most two results may be
   * waiting to be decoded.
   */
  load(from: number, count: number): Promise<Loaded<T>>;
}

export interface TensorValues extends Loader<Float32Array | Float64Array> {
  /** The format of the stored elements, before scales are applied. */
  readonly format: FormatName;
  /**
   * Whether the values are products of elements and scales. The spacing between adjacent products differs from the
   * spacing in `format`.
   */
  readonly isScaled: boolean;
}

/**
 * An element whose index is a multiple of this number is always at the beginning of a byte and of a block, no matter
 * how elements are packed.
 */
export const loadUnit = 256;

/**
 * Number of elements in a chunk. Chunks are large enough for reading to be efficient, and small enough to fit into the
 * processor's cache.
 */
const chunkElements = 2 ** 18;

/** Whether ptxlab can decode the elements of a tensor. */
export function isReadable({ format, packing }: TensorEntry): boolean {
  return format !== 'opaque' && packing !== 'opaque';
}

/** How to handle scales that are not finite: return NaN, or throw TensorFileError `bad-scale`. */
export type ScaleRule = 'keep' | 'refuse';

/**
 * Reads the stored elements of a tensor. The elements of a GGUF block are multiplied by the scales that the block
 * contains.
 */
export function tensorValues(file: TensorFile, entry: TensorEntry, rule: ScaleRule = 'keep'): TensorValues {
  const { format, packing, elements, name } = entry;
  if (format === 'opaque' || packing === 'opaque')
    throw new TensorFileError('unsupported', `${name}: elements of type ${entry.dtype} cannot be read as numbers`);
  const bytes = rotating(file.data(entry));
  if (packing === 'whole' || packing === 'dense') return plainValues(bytes, entry, format);
  return {
    elements,
    format,
    isScaled: true,
    load: blockLoader(bytes, packing, rule === 'keep' ? null : name),
  };
}

/** Reads elements as codes. Null unless each element occupies one or two bytes. */
export function tensorCodes(file: TensorFile, entry: TensorEntry): Loader<Uint8Array | Uint16Array> | null {
  const { format, packing, elements } = entry;
  if (format === 'opaque' || packing !== 'whole' || formats[format].width > 16) return null;
  const read = rotating(file.data(entry));
  const isWide = formats[format].width > 8;
  return {
    elements,
    async load(from, count) {
      const bytes = await read(isWide ? 2 * from : from, isWide ? 2 * count : count);
      // The bytes begin at the start of their buffer, so 16-bit elements are aligned.
      return () => (isWide ? new Uint16Array(bytes.buffer, 0, count) : bytes);
    },
  };
}

function plainValues(bytes: ByteReader, { packing, elements }: TensorEntry, format: FormatName): TensorValues {
  const decoder = elementDecoder(format, packing === 'dense');
  const bytesOf = (count: number): number => {
    const whole = Math.floor(count / decoder.group);
    const rest = (count % decoder.group) * (decoder.groupBytes / decoder.group);
    return whole * decoder.groupBytes + Math.ceil(rest);
  };
  return {
    elements,
    format,
    isScaled: false,
    async load(from, count) {
      const read = await bytes(bytesOf(from), bytesOf(count));
      return () => decoder.values(read, count);
    },
  };
}

/** Throws the error for a bad scale. */
export function refuseScale(name: string): never {
  throw new TensorFileError('bad-scale', `${quote(name)} has a scale that is NaN or infinite`);
}

/** @param strict the name of the tensor if scales that are not finite must be rejected, otherwise null */
function blockLoader(bytes: ByteReader, layout: BlockLayout, strict: string | null): TensorValues['load'] {
  const block = blockRows[layout];
  const decoder = packedDecoder(block);
  const { elements, bytes: size } = block;
  let room = new Float32Array(0);
  return async (from, count) => {
    const blocks = Math.ceil(count / elements);
    const read = await bytes((from / elements) * size, blocks * size);
    return () => {
      if (room.length < blocks * elements) room = new Float32Array(blocks * elements);
      const areFinite = decoder.decode(read, room.subarray(0, blocks * elements));
      if (!areFinite && strict !== null) refuseScale(strict);
      return room.subarray(0, count);
    };
  };
}

type ByteReader = (offset: number, length: number) => Promise<Uint8Array>;

/** Reads into two buffers alternately. */
function rotating(source: ByteSource): ByteReader {
  const buffers = [new Uint8Array(0), new Uint8Array(0)];
  let turn = 0;
  return async (offset, length) => {
    turn = 1 - turn;
    if (elementAt(buffers, turn).length < length) buffers[turn] = new Uint8Array(length);
    const into = elementAt(buffers, turn).subarray(0, length);
    await source.read(offset, into);
    return into;
  };
}

/**
 * Reads tensors with the same number of elements chunk by chunk, and passes each group of corresponding chunks to
 * `take`. While `take` processes one group, the next group is read. The arrays that are passed to `take` are valid only
 * until it returns. Stops if `signal` is aborted.
 */
export async function forEachChunk<T>(
  tensors: readonly Loader<T>[],
  take: (...chunks: NoInfer<T>[]) => void,
  signal?: AbortSignal,
): Promise<void> {
  const elements = tensors[0]?.elements ?? 0;
  const load = (from: number): Promise<readonly Loaded<T>[]> => {
    const count = Math.min(chunkElements, elements - from);
    return Promise.all(tensors.map((tensor) => tensor.load(from, count)));
  };
  if (elements === 0) return;
  let next = load(0);
  for (let from = 0; from < elements; from += chunkElements) {
    const loaded = await next;
    if (signal?.aborted === true) return;
    if (from + chunkElements < elements) {
      next = load(from + chunkElements);
      // The promise is awaited later, and a rejection is handled at that point. Catching the rejection here, too, keeps
      // it from being reported as unhandled in the meantime.
      next.catch(() => undefined);
    }
    take(...loaded.map((decode) => decode()));
  }
}
