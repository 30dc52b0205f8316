/** Runs a conversion plan piece by piece, so that only a few pieces of a file are in memory, regardless of its size. */
import { requireArgument, requireOptions } from '../base/require.ts';
import { callback, type Rule, type RulesFor, shaped, signal as signalRule } from '../base/rules.ts';
import { elementAt, lastOf } from '../base/element-at.ts';
import type { ByteSink, ByteSource } from './bytes.ts';
import { modelOf } from './checkpoints/model-tensors.ts';
import {
  type FoundValues,
  type NamedNonFinite,
  type NamedOutOfRange,
  type Piece,
  piecesOf,
  ValueCounts,
} from './conversion-pieces.ts';
import { type ConversionPlan, planRule } from './conversion-plan.ts';
import { type LostValues, requireValues } from './lost-values.ts';
import type { TensorFile } from './tensor-file.ts';

/**
 * The progress of a conversion: the position of the first piece that has not been written. All earlier pieces have been
 * written.
 */
export interface Position {
  /** Index of the tensor in the plan's list `work`. */
  readonly work: number;
  /** Index of the piece within that tensor. */
  readonly piece: number;
}

export function isPosition(value: unknown): value is Position {
  if (typeof value !== 'object' || value === null) return false;
  return 'work' in value && typeof value.work === 'number' && 'piece' in value && typeof value.piece === 'number';
}

export interface ConvertFileOptions {
  /** The position at which to continue an earlier, interrupted run. Default: the beginning. */
  readonly from?: Position;
  /**
   * Called when everything before a position has been written. `bytesRead` is the number of bytes that have been read
   * from the source since the previous call.
   */
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

/** Describes tensors that may not have been converted as intended, although the file is complete. */
export interface ConversionReport {
  /**
   * Tensors whose values include NaNs or infinities. Elements that were converted by an earlier, interrupted run are
   * not counted.
   */
  readonly nonFinite: readonly NamedNonFinite[];
  /**
   * Tensors without scales in which some finite values were too large for the new float format. These values became the
   * format's largest number, infinite or NaN. Elements that were converted by an earlier, interrupted run are not
   * counted.
   */
  readonly outOfRange: readonly NamedOutOfRange[];
  /** Tensors that were converted without scales and in which many values became 0 or NaN, or lost their sign. */
  readonly lost: readonly LostValues[];
}

/**
 * Writes the whole file: its header, its tensors, and any data that its layout requires after the tensors.
 *
 * @throws the errors of the source and the sink, PtxlabError `values-lost` if most values would become 0 because scales
 *   are missing
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
  const lost = await requireValues(plan, file);
  if (from.work === 0 && from.piece === 0) await into.write(0, plan.layout.header);
  const found = await convertPieces(plan, file, into, {
    from,
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  });
  await plan.layout.finish?.(into);
  await onProgress?.({ work: plan.work.length, piece: 0 }, 0);
  return { ...found, lost };
}

/**
 * The number of bytes that each piece of each tensor reads and writes. Computing these numbers requires reading the
 * scales, but no other data.
 */
export async function pieceSizes(
  plan: ConversionPlan,
  file: TensorFile,
): Promise<readonly (readonly Pick<Piece, 'size' | 'outSize'>[])[]> {
  const { file: view } = modelOf(file);
  const conversion = { file: view, odd: new ValueCounts(), maxima: new Map<string, number>(), signal: undefined };
  const sizes: (readonly Pick<Piece, 'size' | 'outSize'>[])[] = [];
  for (const work of plan.work) {
    const pieces = await piecesOf(plan, work, conversion);
    sizes.push(pieces.map(({ size, outSize }) => ({ size, outSize })));
  }
  return sizes;
}

export interface ConvertPiecesOptions extends ConvertFileOptions {
  /** The end of the range, exclusive: the piece at this position is not converted. Default: the end of the file. */
  readonly to?: Position;
  /**
   * The largest magnitudes of tensors, by name. If a scale depends on the largest magnitude of a tensor and this map
   * does not contain the tensor, the magnitude is computed from the tensor's elements.
   */
  readonly maxima?: ReadonlyMap<string, number>;
}

/**
 * Converts a range of pieces. Writes only the results of these pieces; the header of the file is not written.
 *
 * @returns the tensors in which the range contains NaNs, infinities or values that are out of range
 */
export async function convertPieces(
  plan: ConversionPlan,
  file: TensorFile,
  into: ByteSink,
  options: ConvertPiecesOptions,
): Promise<FoundValues> {
  const { from = { work: 0, piece: 0 }, to, maxima = new Map(), onProgress, signal } = options;
  const { file: view } = modelOf(file);
  const odd = new ValueCounts();
  const last = to === undefined ? plan.work.length - 1 : to.work - Number(to.piece === 0);
  for (let work = from.work; work <= last; work++) {
    const all = await piecesOf(plan, elementAt(plan.work, work), { file: view, odd, maxima, signal });
    await writePieces(to?.work === work ? all.slice(0, to.piece) : all, into, {
      first: work === from.work ? from.piece : 0,
      signal,
      written: (piece, bytes) => onProgress?.({ work, piece }, bytes),
    });
  }
  return odd.found();
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
    // The promise is awaited later, and a rejection is handled at that point. Catching the rejection here, too, keeps
    // it from being reported as unhandled in the meantime.
    loading?.catch(() => undefined);
    return loading;
  };
  let next = load(first);
  let writing: Promise<unknown> = Promise.resolve();
  for (let i = first; i < pieces.length; i++) {
    signal?.throwIfAborted();
    const work = await next;
    if (work === null) throw new Error(`there is no piece ${i}`);
    // The next piece is read into the buffer of the previous piece, so the previous piece must have been written
    // completely.
    await writing;
    next = load(i + 1);
    const parts = work();
    writing = Promise.all(parts.map(({ offset, bytes }) => into.write(offset, bytes)));
    writing.catch(() => undefined);
    // Reports that the previous piece has been written, while the current piece is still being written.
    if (i > first) await written(i, elementAt(pieces, i - 1).size);
  }
  await writing;
  if (pieces.length > first) await written(pieces.length, lastOf(pieces).size);
}
