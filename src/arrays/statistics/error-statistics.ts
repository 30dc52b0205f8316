/** Measures how much a quantized array differs from its source. */
import { singleAt } from '../../base/typed-reads.ts';
import { chunkElements } from '../quantized/block-encoder.ts';
import { largestOf, reachOf } from '../quantized/block-formats.ts';
import { decodePiece, scalesFrom } from '../quantized/dequantize.ts';
import { piecesOf } from '../pieces.ts';
import type { QuantizedArray } from '../quantized/quantized-array.ts';
import { singlesOf, type SourceArray, type SourceFormat } from '../elements/source-values.ts';

/** The error statistics are computed only from finite elements, in f64, in the order of the elements. */
export interface QuantizationStatistics {
  readonly count: number;
  readonly nan: number;
  readonly infinite: number;
  /** The largest finite magnitude. */
  readonly amax: number;
  /** Number of elements that were too large for the format and therefore became the largest code. */
  readonly clipped: number;
  /** Number of nonzero elements that read back as zero. */
  readonly underflowed: number;
  readonly maxAbsoluteError: number;
  /** The largest relative error of a nonzero element. */
  readonly maxRelativeError: number;
  readonly meanSquaredError: number;
  /**
   * The signal-to-noise ratio in dB: 10 log10 of (sum of squares / sum of squared errors); infinite if all elements are
   * represented exactly, NaN if all are zero.
   */
  readonly sqnr: number;
}

/**
 * The range of values that codes with a given scale can represent: `end` is the value of the largest code, and values
 * above `edge` are out of range.
 */
interface Reach {
  readonly end: number;
  readonly edge: number;
}

class Sums {
  nan = 0;
  infinite = 0;
  /** Number of infinities that were clipped. */
  clippedInfinities = 0;
  amax = 0;
  clipped = 0;
  underflowed = 0;
  absolute = 0;
  relative = 0;
  squares = 0;
  errors = 0;

  /**
   * Adds the elements from `from` up to, but not including, `to`. These elements share a scale. `end` is the value of
   * the largest code, and values above `edge` are out of range. The totals are kept in local variables, because
   * updating the fields for each element would be many times slower.
   */
  addAll(values: Float32Array, results: Float32Array, from: number, to: number, { end, edge }: Reach): void {
    const slack = (edge - end) / 2;
    let { amax, clipped, underflowed, absolute, relative, squares, errors } = this;
    for (let i = from; i < to; i++) {
      const value = singleAt(values, i);
      const result = singleAt(results, i);
      const magnitude = Math.abs(value);
      // `magnitude < Infinity` is false for NaNs as well as for infinities.
      if (!(magnitude < Number.POSITIVE_INFINITY)) {
        this.addOther(magnitude, result, end);
        continue;
      }
      const error = Math.abs(value - result);
      // Integer formats have one more negative code than positive codes. A value near this additional code is beyond
      // `edge`, but its error is small, so it is not counted as clipped.
      if (magnitude > edge && Math.abs(result) >= end && error > slack) clipped++;
      if (result === 0 && magnitude > 0) underflowed++;
      if (magnitude > amax) amax = magnitude;
      if (error > absolute) absolute = error;
      if (error > relative * magnitude) relative = error / magnitude;
      squares += value * value;
      errors += error * error;
    }
    this.amax = amax;
    this.clipped = clipped;
    this.underflowed = underflowed;
    this.absolute = absolute;
    this.relative = relative;
    this.squares = squares;
    this.errors = errors;
  }

  private addOther(magnitude: number, result: number, end: number): void {
    if (Number.isNaN(magnitude)) {
      this.nan++;
      return;
    }
    this.infinite++;
    if (end < magnitude && Math.abs(result) >= end) this.clippedInfinities++;
  }
}

/** Decodes a quantized array and compares the values with the source. */
export function quantizationStatistics(
  source: SourceArray,
  from: SourceFormat,
  quantized: QuantizedArray,
): QuantizationStatistics {
  const { element } = quantized.scheme;
  const [largest, reach] = [largestOf(element), reachOf(element)];
  const [room, results] = [new Float32Array(chunkElements), new Float32Array(chunkElements)];
  const scales = new Float32Array(chunkElements / 16);
  const sums = new Sums();
  for (const piece of piecesOf(quantized.layout)) {
    const { at, count, block, firstScale } = piece;
    const read = results.subarray(0, count);
    decodePiece(quantized, piece, read);
    const values = singlesOf(source.subarray(at, at + count), from, room);
    const factors = scales.subarray(0, Math.ceil(count / block));
    scalesFrom(quantized, firstScale, factors);
    for (let i = 0; i < count; ) {
      const factor = singleAt(factors, Math.floor(i / block));
      const edge = factor === 0 ? Number.POSITIVE_INFINITY : reach * factor;
      const next = Math.min(i + block, count);
      sums.addAll(values, read, i, next, { end: Math.fround(largest * factor), edge });
      i = next;
    }
  }
  const finite = source.length - sums.nan - sums.infinite;
  return {
    count: source.length,
    nan: sums.nan,
    infinite: sums.infinite,
    amax: sums.amax,
    clipped: sums.clipped + sums.clippedInfinities,
    underflowed: sums.underflowed,
    maxAbsoluteError: sums.absolute,
    maxRelativeError: sums.relative,
    meanSquaredError: finite === 0 ? 0 : sums.errors / finite,
    sqnr:
      sums.errors === 0 && sums.squares > 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10(sums.squares / sums.errors),
  };
}
