/** How far a quantized array is from what it was made of. */
import { chunkElements } from './block-encoder.ts';
import { largestOf } from './block-formats.ts';
import { decodePiece, piecesOf, scalesFrom } from './dequantize.ts';
import type { QuantizedArray } from './quantized-array.ts';
import { singlesOf, type SourceArray, type SourceFormat } from './source-values.ts';

/** Errors are of finite elements alone, computed in f64 in the order of the elements. */
export interface QuantizationStatistics {
  readonly count: number;
  readonly nan: number;
  readonly infinite: number;
  /** The largest finite magnitude. */
  readonly amax: number;
  /** Elements that became the largest code and were more than that code means. */
  readonly clipped: number;
  /** Elements that are not zero and became one. */
  readonly underflowed: number;
  readonly maxAbsoluteError: number;
  /** Of elements that are not zero. */
  readonly maxRelativeError: number;
  readonly meanSquaredError: number;
  /** 10 log10 of the sum of squares over the sum of squared errors; infinite where all is exact, NaN where all is zero. */
  readonly sqnr: number;
}

class Sums {
  nan = 0;
  infinite = 0;
  amax = 0;
  clipped = 0;
  underflowed = 0;
  absolute = 0;
  relative = 0;
  squares = 0;
  errors = 0;

  /** `end`: what the largest code means. */
  add(value: number, result: number, end: number): void {
    const magnitude = Math.abs(value);
    if (Number.isNaN(value)) {
      this.nan++;
      return;
    }
    if (magnitude > end && Math.abs(result) >= end) this.clipped++;
    if (magnitude === Number.POSITIVE_INFINITY) {
      this.infinite++;
      return;
    }
    if (result === 0 && magnitude > 0) this.underflowed++;
    const error = Math.abs(value - result);
    this.amax = Math.max(this.amax, magnitude);
    this.absolute = Math.max(this.absolute, error);
    if (magnitude > 0) this.relative = Math.max(this.relative, error / magnitude);
    this.squares += value * value;
    this.errors += error * error;
  }
}

/** Reads the array back and compares it with its source. */
export function quantizationStatistics(
  source: SourceArray,
  from: SourceFormat,
  quantized: QuantizedArray,
): QuantizationStatistics {
  const largest = largestOf(quantized.scheme.element);
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
      const most = Math.fround(largest * (factors[Math.floor(i / block)] as number));
      for (const end = Math.min(i + block, count); i < end; i++) sums.add(values[i] as number, read[i] as number, most);
    }
  }
  const finite = source.length - sums.nan - sums.infinite;
  return {
    count: source.length,
    nan: sums.nan,
    infinite: sums.infinite,
    amax: sums.amax,
    clipped: sums.clipped,
    underflowed: sums.underflowed,
    maxAbsoluteError: sums.absolute,
    maxRelativeError: sums.relative,
    meanSquaredError: finite === 0 ? 0 : sums.errors / finite,
    sqnr:
      sums.errors === 0 && sums.squares > 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10(sums.squares / sums.errors),
  };
}
