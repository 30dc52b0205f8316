/** The pieces of a conversion: each reads some elements of a tensor and returns the bytes to write. */
import { convert } from '../arrays/convert.ts';
import { largestMagnitude, quantize, type QuantizeOptions } from '../arrays/quantized/quantize.ts';
import { type Layout, layoutOf } from '../arrays/quantized/quantized-array.ts';
import type { SourceArray } from '../arrays/elements/source-values.ts';
import { bytesOf } from '../arrays/storage.ts';
import { elementAt } from '../base/element-at.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import type { ConversionPlan } from './conversion-plan.ts';
import { outputsOf, type TensorWork } from './tensor-work.ts';
import { ElementReader, storedBits } from './element-reader.ts';
import { encodeBlocks } from './encode-blocks.ts';
import { blockRows } from './gguf/block-rows.ts';
import { isBlockLayout } from './gguf/blocks.ts';
import { type NonFinite, nonFiniteIn } from './non-finite.ts';
import { areWithin, type Elements, type OutOfRange, outOfRangeIn } from './out-of-range.ts';
import { scaledValues } from './scales.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';

export interface NamedNonFinite extends NonFinite {
  readonly name: string;
}

/** Number of elements in a piece. Pieces are larger only if rows have more elements than this. */
const pieceElements = 2 ** 20;
/**
 * Number of elements in a piece that is read from blocks. This number is smaller than `pieceElements`, because not only
 * the blocks but also the decoded f32 values must fit into the cache.
 */
const blockPieceElements = 2 ** 18;
/** Number of bytes in a piece of a tensor that is copied. */
const pieceBytes = 2 ** 23;

/** Data to be written. */
export interface Part {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A part of the work on a tensor: it reads some elements and returns the bytes to write. */
export interface Piece {
  /** Number of bytes that the piece reads from the source. */
  readonly size: number;
  /** Number of bytes that the piece writes. */
  readonly outSize: number;
  readonly load: () => Promise<() => readonly Part[]>;
}

export interface NamedOutOfRange extends OutOfRange {
  readonly name: string;
  readonly to: FormatName;
}

/** For the tensors that are converted, counts NaNs, infinities and values that are out of range. */
export class ValueCounts {
  private readonly counts = new Map<string, NonFinite>();
  private readonly beyond = new Map<string, NamedOutOfRange>();

  add({ name }: TensorEntry, source: SourceArray | Uint8Array, format: FormatName): void {
    const found = nonFiniteIn(source, format);
    if (found === null) return;
    const { nans, infinities } = this.counts.get(name) ?? { nans: 0, infinities: 0 };
    this.counts.set(name, { nans: nans + found.nans, infinities: infinities + found.infinities });
  }

  addConverted({ name }: TensorEntry, source: SourceArray | Uint8Array, from: FormatName, out: Elements): void {
    const found = outOfRangeIn({ data: source, format: from }, out);
    if (found === null) return;
    const { clipped, infinities, nans } = this.beyond.get(name) ?? { clipped: 0, infinities: 0, nans: 0 };
    this.beyond.set(name, {
      name,
      to: out.format,
      clipped: clipped + found.clipped,
      infinities: infinities + found.infinities,
      nans: nans + found.nans,
    });
  }

  found(): FoundValues {
    const nonFinite = [...this.counts].map(([name, counts]) => ({ name, ...counts }));
    return { nonFinite, outOfRange: [...this.beyond.values()] };
  }
}

/** Tensors whose values should be reported to the user. */
export interface FoundValues {
  /** Tensors whose values include NaNs or infinities. */
  readonly nonFinite: readonly NamedNonFinite[];
  /** Tensors without scales that have finite values beyond the range of the new format. */
  readonly outOfRange: readonly NamedOutOfRange[];
}

/** The data that the pieces of all tensors share. */
export interface Conversion {
  readonly file: TensorFile;
  readonly odd: ValueCounts;
  /**
   * Maps the names of tensors to their largest magnitudes; tensors whose largest magnitude is not known yet are not in
   * the map.
   */
  readonly maxima: ReadonlyMap<string, number>;
  readonly signal: AbortSignal | undefined;
}

/**
 * The pieces of a tensor, in order. Scales are read by this function; the elements of a piece are read only when the
 * piece is loaded.
 */
export async function piecesOf(
  plan: ConversionPlan,
  work: TensorWork,
  conversion: Conversion,
): Promise<readonly Piece[]> {
  const { file } = conversion;
  const reader = await readerOf(file, work);
  switch (work.kind) {
    case 'copy':
      return copyPieces(reader, work.entry, work.out);
    case 'convert':
      return convertPieces(plan, reader, work, conversion);
    case 'blocks':
      return blockPieces(reader, work, conversion);
    case 'quantize':
      return quantizePieces(plan, reader, work, conversion);
  }
}

async function readerOf(file: TensorFile, { entry, beside }: TensorWork): Promise<ElementReader> {
  return new ElementReader(file, entry, beside === null ? null : await scaledValues(file, entry, beside));
}

function hasOneScale({ granularity, rows }: Layout): boolean {
  return granularity === 'tensor' || (granularity === 'row' && rows === 1);
}

/** Whether the largest magnitude of the whole tensor must be known before any piece of the tensor can be converted. */
export function needsLargest(work: TensorWork): boolean {
  if (work.kind !== 'quantize') return false;
  const { scheme, entry, granularity, second } = work;
  return second !== null || hasOneScale(layoutOf(scheme, entry.elements, entry.shape, granularity));
}

/** Returns the largest magnitude of a tensor, for the option `maxima` of `convertPieces`. */
export async function largestOf(file: TensorFile, work: TensorWork, signal?: AbortSignal): Promise<number> {
  return amaxOf(await readerOf(file, work), work.entry.elements, signal);
}

/** Divides `total` elements into consecutive ranges of the given size. The last range may be shorter. */
function rangesOf(total: number, size: number): readonly (readonly [first: number, count: number])[] {
  return Array.from(
    { length: Math.ceil(total / size) },
    (_, i) => [i * size, Math.min(size, total - i * size)] as const,
  );
}

function copyPieces(reader: ElementReader, { byteLength }: TensorEntry, out: TensorEntry): readonly Piece[] {
  return rangesOf(byteLength, pieceBytes).map(([first, count]) => ({
    size: count,
    outSize: count,
    load: async () => {
      const bytes = await reader.bytes(first, first + count);
      return () => [{ offset: out.offset + first, bytes }];
    },
  }));
}

function sizeOf({ byteLength, elements }: TensorEntry, count: number): number {
  return elements === 0 ? 0 : (byteLength / elements) * count;
}

function convertPieces(
  { choice }: ConversionPlan,
  reader: ElementReader,
  { entry, from, to, out }: TensorWork & { kind: 'convert' },
  { odd }: Conversion,
): readonly Piece[] {
  const isSame = from === to;
  const { rounding, seed, saturate, semantics } = choice;
  const options = isSame ? {} : defined({ rounding, saturate, semantics, seed });
  const packing = formats[to].width < 8 ? ({ packing: out.packing === 'dense' ? 'low-first' : 'bytes' } as const) : {};
  const bits = storedBits(out);
  const most = isBlockLayout(entry.packing) ? blockPieceElements : pieceElements;
  const rooms = [0, 1].map(() => new Uint8Array(Math.ceil((Math.min(most, entry.elements) * bits) / 8)));
  return rangesOf(entry.elements, most).map(([first, count], i) => ({
    size: sizeOf(entry, count),
    outSize: Math.ceil((count * bits) / 8),
    load: async () => {
      const source = await reader.elements(first, count);
      return () => {
        const areFine = !isSame && areWithin({ data: source, format: from }, to);
        if (!areFine) odd.add(entry, source, from);
        // If the target format is f32, the decoded values can be written without conversion.
        if (isSame && source instanceof Float32Array)
          return [{ offset: out.offset + (first * bits) / 8, bytes: bytesOf(source) }];
        const bytes = elementAt(rooms, i % 2).subarray(0, Math.ceil((count * bits) / 8));
        const part = seed === undefined || isSame ? {} : { firstElement: first };
        convert(source, { ...options, ...part, from, to, ...reader.packing, ...packing, count, out: bytes });
        if (!isSame && !areFine) odd.addConverted(entry, source, from, { data: bytes, format: to });
        return [{ offset: out.offset + (first * bits) / 8, bytes }];
      };
    },
  }));
}

/** Returns a copy of the options without those that are undefined. */
function defined<T extends object>(options: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function blockPieces(
  reader: ElementReader,
  { entry, layout, out }: TensorWork & { kind: 'blocks' },
  { odd }: Conversion,
): readonly Piece[] {
  const { elements, bytes: blockBytes } = blockRows[layout];
  return rangesOf(entry.elements, pieceElements).map(([first, count]) => ({
    size: sizeOf(entry, count),
    outSize: (count / elements) * blockBytes,
    load: async () => {
      const values = await reader.values(first, count);
      return () => {
        odd.add(entry, values.source, values.from);
        return [{ offset: out.offset + (first / elements) * blockBytes, bytes: encodeBlocks(layout, values) }];
      };
    },
  }));
}

type QuantizeWork = TensorWork & { readonly kind: 'quantize' };

/** How a tensor is divided into pieces, and where the results of each piece are written. */
interface QuantizedPieces {
  readonly isOne: boolean;
  /** Whether each piece is treated as a single long row. */
  readonly isFlat: boolean;
  /** Number of elements in a piece. */
  readonly unit: number;
  readonly codeBits: number;
  readonly scaleBytes: number;
  /** Given the index of the first element of a piece, returns the index of the first scale of that piece. */
  readonly scaleAt: (first: number) => number;
}

function quantizedPieces({ entry, scheme, scales, packing, granularity }: QuantizeWork): QuantizedPieces {
  const { elements, shape } = entry;
  const layout = layoutOf(scheme, elements, shape, granularity);
  const { columns, tileRows, tileColumns, scaleColumns } = layout;
  const isOne = hasOneScale(layout);
  // If no tile extends beyond the end of a row, the tensor may be treated as one long row. Otherwise, a piece must
  // consist of complete rows of tiles, and its codes must fill whole bytes.
  const isFlat = isOne || (scheme.block !== null && (layout.rows === 1 || columns % tileColumns === 0));
  const unitRows = tileRows > 1 ? tileRows : byteRows;
  const rows = Math.max(1, Math.floor(pieceElements / Math.max(columns, 1) / unitRows)) * unitRows;
  const scaleBytes = formats[scheme.scale].width / 8;
  const scaleAt = (first: number): number => {
    if (first === elements) return scales.byteLength / scaleBytes;
    return isFlat ? first / tileColumns : (first / columns / tileRows) * scaleColumns;
  };
  return {
    isOne,
    isFlat,
    unit: isFlat ? pieceElements : Math.max(1, rows * columns),
    codeBits: packing === 'dense' ? formats[scheme.element].width : 8,
    scaleBytes,
    scaleAt: isOne ? (first) => (first === 0 ? 0 : 1) : scaleAt,
  };
}

function quantizePieces(
  { choice }: ConversionPlan,
  reader: ElementReader,
  work: QuantizeWork,
  { odd, maxima, signal }: Conversion,
): readonly Piece[] {
  const { entry, scheme, out, scales, second, packing, granularity } = work;
  const { elements, shape } = entry;
  if (elements === 0) return scalesOfEmpty(work);
  const { isOne, isFlat, unit, codeBits, scaleBytes, scaleAt } = quantizedPieces(work);
  const columns = shape.at(-1) ?? 1;
  const { rounding, seed, scaleRule } = choice;
  const options: QuantizeOptions = {
    to: scheme.name,
    granularity: isOne ? 'tensor' : granularity,
    scaleRule,
    packing: formats[scheme.element].width >= 8 ? undefined : packing === 'dense' ? 'low-first' : 'bytes',
    rounding: rounding === 'rs' ? 'rs' : undefined,
    seed,
  };
  const findLargest = needsLargest(work) ? largestOnce(reader, entry, maxima, signal) : null;
  return rangesOf(elements, unit).map(([first, count]) => ({
    size: sizeOf(entry, count),
    outSize:
      Math.ceil((count * codeBits) / 8) +
      (scaleAt(first + count) - scaleAt(first)) * scaleBytes +
      (first === 0 ? (second?.entry.byteLength ?? 0) : 0),
    load: async () => {
      const amax = await findLargest?.();
      const { source, from } = await reader.values(first, count);
      return () => {
        odd.add(entry, source, from);
        const part = quantize(source, {
          ...options,
          amax,
          from,
          shape: isFlat ? [count] : [count / columns, columns],
          firstElement: seed === undefined ? undefined : first,
        });
        const bytes = bytesOf(part.scales);
        const parts = [{ offset: out.offset + (first * codeBits) / 8, bytes: part.codes }];
        if (!isOne || first === 0) parts.push({ offset: scales.offset + scaleAt(first) * scaleBytes, bytes });
        if (second !== null && first === 0) {
          const { entry: place, rule } = second;
          const stored = rule === 'divide' ? 1 / part.tensorScale : part.tensorScale;
          parts.push({ offset: place.offset, bytes: bytesOf(Float32Array.of(stored)) });
        }
        return parts;
      };
    },
  }));
}

/**
 * A tensor without elements may still have a scale for the whole tensor. As in a tensor of zeros, this scale is 1, and
 * so is its reciprocal.
 */
function scalesOfEmpty(work: QuantizeWork): readonly Piece[] {
  const parts = outputsOf(work)
    .filter(({ byteLength }) => byteLength > 0)
    .map(({ offset, elements }) => ({ offset, bytes: bytesOf(new Float32Array(elements).fill(1)) }));
  const outSize = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return parts.length === 0 ? [] : [{ size: 0, outSize, load: () => Promise.resolve(() => parts) }];
}

/**
 * Returns a function that returns the largest magnitude of a tensor. The first call computes the magnitude unless
 * `maxima` contains it.
 */
function largestOnce(
  reader: ElementReader,
  { name, elements }: TensorEntry,
  maxima: ReadonlyMap<string, number>,
  signal: AbortSignal | undefined,
): () => Promise<number> {
  let finding: Promise<number> | null = null;
  return () => {
    const known = maxima.get(name);
    finding ??= known === undefined ? amaxOf(reader, elements, signal) : Promise.resolve(known);
    return finding;
  };
}

/** The codes of this many rows always fill whole bytes, however long the rows are. */
const byteRows = 8;

async function amaxOf(reader: ElementReader, elements: number, signal: AbortSignal | undefined): Promise<number> {
  let most = 0;
  for (const [first, count] of rangesOf(elements, pieceElements)) {
    signal?.throwIfAborted();
    const { source, from } = await reader.values(first, count);
    most = Math.max(most, largestMagnitude(source, { from }));
  }
  return most;
}
