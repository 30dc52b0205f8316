/** Runs a conversion plan piece by piece, so that only a few pieces of a file are in memory, regardless of its size. */
import { convert } from '../arrays/convert.ts';
import { largestMagnitude, quantize, type QuantizeOptions } from '../arrays/quantized/quantize.ts';
import { layoutOf } from '../arrays/quantized/quantized-array.ts';
import type { SourceArray } from '../arrays/elements/source-values.ts';
import { bytesOf } from '../arrays/storage.ts';
import { requireArgument, requireOptions } from '../base/require.ts';
import { callback, type Rule, type RulesFor, shaped, signal as signalRule } from '../base/rules.ts';
import { elementAt, lastOf } from '../base/element-at.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import type { ByteSink, ByteSource } from './bytes.ts';
import { modelOf } from './checkpoints/model-tensors.ts';
import { type ConversionPlan, planRule, type TensorWork } from './conversion-plan.ts';
import { ElementReader, storedBits } from './element-reader.ts';
import { encodeBlocks } from './encode-blocks.ts';
import { blockRows } from './gguf/block-rows.ts';
import { isBlockLayout } from './gguf/blocks.ts';
import { type LostValues, requireValues } from './lost-values.ts';
import { type NonFinite, nonFiniteIn } from './non-finite.ts';
import { scaledValues } from './scales.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';

/** The progress of a conversion: all pieces before this one are written. */
export interface Position {
  /** Index of the tensor in the plan's work. */
  readonly work: number;
  /** Index of the piece of that tensor. */
  readonly piece: number;
}

export function isPosition(value: unknown): value is Position {
  if (typeof value !== 'object' || value === null) return false;
  return 'work' in value && typeof value.work === 'number' && 'piece' in value && typeof value.piece === 'number';
}

export interface ConvertFileOptions {
  /** The position that an earlier run reached. Default: the beginning. */
  readonly from?: Position;
  /** Called when everything before a position has been written, with the number of source bytes read for it. */
  readonly onProgress?: (position: Position, bytesRead: number) => void | Promise<void>;
  /** Stops the conversion, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const position: Rule<Position> = { takes: 'an object with two numbers, work and piece', accepts: isPosition };

const rules: RulesFor<ConvertFileOptions> = { from: position, onProgress: callback(), signal: signalRule };

const placeRule = shaped<ByteSource & ByteSink>('an object with the functions read and write', {
  read: callback(),
  write: callback(),
});

/** What the caller should look at although the file is complete. */
export interface ConversionReport {
  /** Tensors whose values include NaN or infinities; elements that an earlier run converted are not counted. */
  readonly nonFinite: readonly (NonFinite & { readonly name: string })[];
  /** Tensors in which many values became 0 because they have no scales. */
  readonly lost: readonly LostValues[];
}

/** Number of elements in a piece, unless rows are longer. */
const pieceElements = 2 ** 20;
/**
 * Number of elements in a piece of blocks; their f32 values take more room than the blocks, and still fit in the cache.
 */
const blockPieceElements = 2 ** 18;
/** Number of bytes in a piece of a tensor that is copied. */
const pieceBytes = 2 ** 23;

/** Data to be written. */
interface Part {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** One part of a tensor's work: reads, then writes the result. */
interface Piece {
  /** Number of bytes in the source. */
  readonly size: number;
  readonly load: () => Promise<() => readonly Part[]>;
}

/**
 * Writes the whole file: header, tensors, and the final part.
 *
 * @throws errors of its source and sink, PtxlabError `values-lost` if most values would become 0 because scales are
 *   missing
 */
export async function convertFile(
  plan: ConversionPlan,
  file: TensorFile,
  into: ByteSource & ByteSink,
  options: ConvertFileOptions = {},
): Promise<ConversionReport> {
  requireArgument('the plan', plan, planRule);
  requireArgument('the new file', into, placeRule);
  requireOptions(options, rules, 'convertFile');
  const { from = { work: 0, piece: 0 }, onProgress, signal } = options;
  const { file: view } = modelOf(file);
  const lost = await requireValues(plan, file);
  const odd = new NonFiniteCounts();
  if (from.work === 0 && from.piece === 0) await into.write(0, plan.layout.header);
  for (let work = from.work; work < plan.work.length; work++) {
    const pieces = await piecesOf(plan, elementAt(plan.work, work), { file: view, odd, signal });
    await writePieces(pieces, into, {
      first: work === from.work ? from.piece : 0,
      signal,
      written: (piece, bytes) => onProgress?.({ work, piece }, bytes),
    });
  }
  await plan.layout.finish?.(into);
  await onProgress?.({ work: plan.work.length, piece: 0 }, 0);
  return { nonFinite: odd.list(), lost };
}

/** NaN and infinities of the tensors that were converted. */
class NonFiniteCounts {
  private readonly counts = new Map<string, NonFinite>();

  add({ name }: TensorEntry, source: SourceArray | Uint8Array, format: FormatName): void {
    const found = nonFiniteIn(source, format);
    if (found === null) return;
    const { nans, infinities } = this.counts.get(name) ?? { nans: 0, infinities: 0 };
    this.counts.set(name, { nans: nans + found.nans, infinities: infinities + found.infinities });
  }

  list(): ConversionReport['nonFinite'] {
    return [...this.counts].map(([name, counts]) => ({ name, ...counts }));
  }
}

/** The data that the pieces of all tensors share. */
interface Conversion {
  readonly file: TensorFile;
  readonly odd: NonFiniteCounts;
  readonly signal: AbortSignal | undefined;
}

interface Writing {
  readonly first: number;
  readonly signal: AbortSignal | undefined;
  readonly written: (pieces: number, bytes: number) => void | Promise<void>;
}

/** While a piece is converted, the next one is read and the previous one is written. */
async function writePieces(
  pieces: readonly Piece[],
  into: ByteSink,
  { first, signal, written }: Writing,
): Promise<void> {
  const load = (i: number): ReturnType<Piece['load']> | null => {
    const loading = pieces[i]?.load() ?? null;
    // The code that awaits this promise handles a failure; until then it must not count as unhandled.
    loading?.catch(() => undefined);
    return loading;
  };
  let next = load(first);
  let writing: Promise<unknown> = Promise.resolve();
  for (let i = first; i < pieces.length; i++) {
    signal?.throwIfAborted();
    const work = await next;
    if (work === null) throw new Error(`there is no piece ${i}`);
    // The buffer of the previous piece may still be in use for writing, and the next piece is read into it.
    await writing;
    next = load(i + 1);
    const parts = work();
    writing = Promise.all(parts.map(({ offset, bytes }) => into.write(offset, bytes)));
    writing.catch(() => undefined);
    // The write of this piece is still in progress.
    if (i > first) await written(i, elementAt(pieces, i - 1).size);
  }
  await writing;
  if (pieces.length > first) await written(pieces.length, lastOf(pieces).size);
}

async function piecesOf(plan: ConversionPlan, work: TensorWork, conversion: Conversion): Promise<readonly Piece[]> {
  const { file } = conversion;
  const scaled = work.beside === null ? null : await scaledValues(file, work.entry, work.beside);
  const reader = new ElementReader(file, work.entry, scaled);
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

/** Consecutive ranges of this size; the last may be shorter. */
function rangesOf(total: number, size: number): readonly (readonly [first: number, count: number])[] {
  return Array.from(
    { length: Math.ceil(total / size) },
    (_, i) => [i * size, Math.min(size, total - i * size)] as const,
  );
}

function copyPieces(reader: ElementReader, { byteLength }: TensorEntry, out: TensorEntry): readonly Piece[] {
  return rangesOf(byteLength, pieceBytes).map(([first, count]) => ({
    size: count,
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
    load: async () => {
      const source = await reader.elements(first, count);
      return () => {
        odd.add(entry, source, from);
        // Values of blocks are f32 already.
        if (isSame && source instanceof Float32Array)
          return [{ offset: out.offset + (first * bits) / 8, bytes: bytesOf(source) }];
        const bytes = elementAt(rooms, i % 2).subarray(0, Math.ceil((count * bits) / 8));
        const part = seed === undefined || isSame ? {} : { firstElement: first };
        convert(source, { ...options, ...part, from, to, ...reader.packing, ...packing, count, out: bytes });
        return [{ offset: out.offset + (first * bits) / 8, bytes }];
      };
    },
  }));
}

/** The options that are defined. */
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
    load: async () => {
      const values = await reader.values(first, count);
      return () => {
        odd.add(entry, values.source, values.from);
        return [{ offset: out.offset + (first / elements) * blockBytes, bytes: encodeBlocks(layout, values) }];
      };
    },
  }));
}

async function quantizePieces(
  { choice }: ConversionPlan,
  reader: ElementReader,
  { entry, scheme, out, scales, second, packing, granularity }: TensorWork & { kind: 'quantize' },
  { odd, signal }: Conversion,
): Promise<readonly Piece[]> {
  const { elements, shape } = entry;
  const layout = layoutOf(scheme, elements, shape, granularity);
  const { columns, tileRows, tileColumns, scaleColumns } = layout;
  const isRow = layout.rows === 1;
  const isOne = layout.granularity === 'tensor' || (layout.granularity === 'row' && isRow);
  const amax = isOne || second !== null ? await amaxOf(reader, elements, signal) : undefined;
  // Tiles that contain whole rows may be treated as one row; otherwise a piece consists of whole rows of tiles, and
  // whole bytes.
  const isFlat = isOne || (scheme.block !== null && (isRow || columns % tileColumns === 0));
  const unitRows = tileRows > 1 ? tileRows : byteRows;
  const rows = Math.max(1, Math.floor(pieceElements / Math.max(columns, 1) / unitRows)) * unitRows;
  const unit = isFlat ? pieceElements : Math.max(1, rows * columns);
  const { width } = formats[scheme.element];
  const bits = packing === 'dense' ? width : 8;
  const { rounding, seed, scaleRule } = choice;
  const options: QuantizeOptions = {
    to: scheme.name,
    granularity: isOne ? 'tensor' : granularity,
    scaleRule,
    amax,
    packing: width >= 8 ? undefined : packing === 'dense' ? 'low-first' : 'bytes',
    rounding: rounding === 'rs' ? 'rs' : undefined,
    seed,
  };
  return rangesOf(elements, unit).map(([first, count]) => ({
    size: sizeOf(entry, count),
    load: async () => {
      const { source, from } = await reader.values(first, count);
      return () => {
        odd.add(entry, source, from);
        const part = quantize(source, {
          ...options,
          from,
          shape: isFlat ? [count] : [count / columns, columns],
          firstElement: seed === undefined ? undefined : first,
        });
        const bytes = bytesOf(part.scales);
        const scaleBytes = part.scales.BYTES_PER_ELEMENT;
        const before = isFlat ? first / tileColumns : (first / columns / tileRows) * scaleColumns;
        const parts = [{ offset: out.offset + (first * bits) / 8, bytes: part.codes }];
        if (!isOne || first === 0) parts.push({ offset: scales.offset + (isOne ? 0 : before) * scaleBytes, bytes });
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

/** The codes of this many rows fill whole bytes. */
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
