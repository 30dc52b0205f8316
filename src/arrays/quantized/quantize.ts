/** Quantizes arrays of values to narrow codes and scales. */
import { PtxlabError } from '../../base/error.ts';
import { requireOptions } from '../../base/require.ts';
import { anything, flag, oneOf, type RulesFor, shown } from '../../base/rules.ts';
import { singleAt } from '../../base/typed-reads.ts';
import { amaxOf, type BlockEncoder, type EncoderPlan } from './block-encoder.ts';
import { type Scheme, schemeNamed, type SchemeSpelling } from './block-formats.ts';
import { CodeWriter, codeBits } from '../elements/code-writer.ts';
import { blockEncoder } from '../elements/encoders.ts';
import { type QuantizationStatistics, quantizationStatistics } from '../statistics/error-statistics.ts';
import { codePacking, type Granularity, granularities, layoutOf, type QuantizedArray } from './quantized-array.ts';
import { type Frame, quantizeRandomly, type RandomOptions } from './quantize-randomly.ts';
import { encodeShortRows, hasShortRows, scalesFor, scaleTaker } from './short-rows.ts';
import { type MxRule, mxRules, plainFactor, tensorScale } from './scale-rules.ts';
import { type GivenArray, type SourceArray, sourceOf } from '../elements/source-values.ts';
import type { FormatSpelling } from '../spellings.ts';
import { type Packing, packingRule } from '../storage.ts';

export interface QuantizeOptions {
  /**
   * A scheme: mxfp8_e4m3 (mxfp8), mxfp8_e5m2, mxfp6_e2m3 (mxfp6), mxfp6_e3m2, mxfp4, nvfp4, or an element format with
   * f32 scales: e4m3, e5m2, s8, s4, s2.
   */
  readonly to: SchemeSpelling;
  /**
   * The format of the elements if the source is a Uint16Array: f16 or bf16, in any spelling. A Float32Array is always
   * f32, and a Float16Array is always f16.
   */
  readonly from?: FormatSpelling | undefined;
  /** The shape of the array; by default, a single row. Blocks run along the last axis and never extend past its end. */
  readonly shape?: readonly number[] | undefined;
  /** Which elements share an f32 scale. Default: `tensor`. */
  readonly granularity?: Granularity | undefined;
  /** How ue8m0 scales are computed. Default: `floor`, as in OCP MX 1.0. */
  readonly scaleRule?: MxRule | undefined;
  /**
   * If the source is only a part of an array: the largest magnitude of the whole array, as computed by
   * `largestMagnitude`. It determines the scale that all parts must share: the tensor scale of NVFP4 or, with
   * granularity `tensor`, the single f32 scale. Default: the largest magnitude of the source.
   */
  readonly amax?: number | undefined;
  /**
   * How codes are stored. The default is the same as in PTX: `low-first` for fp4, int4 and int2, and `bytes` for fp6.
   * `high-first` is not supported.
   */
  readonly packing?: Packing | undefined;
  /**
   * Whether to decode the result and report how much it differs from the source. Default: false, because this takes
   * longer than quantizing.
   */
  readonly statistics?: boolean | undefined;
  /**
   * The rounding mode; `rn` by default. `rs` rounds stochastically and requires `seed`. It is available only for
   * schemes with float elements.
   */
  readonly rounding?: 'rn' | 'rs' | undefined;
  /**
   * For `rs`: the seed of the random bits, which depend only on the seed and on an element's index, as in `convert`.
   */
  readonly seed?: number | bigint | undefined;
  /**
   * For `rs`: the index of the source's first element in the larger array to which the source belongs. The index must
   * be a multiple of 4. Default 0.
   */
  readonly firstElement?: number | undefined;
  /** `plain` never uses WebAssembly; the results are the same. */
  readonly engine?: 'plain' | undefined;
}

/** Options with the rule `anything()` are checked when they are used, and errors in them have more specific codes. */
const rules: RulesFor<QuantizeOptions> = {
  to: anything(),
  from: anything(),
  shape: anything(),
  granularity: oneOf(...granularities),
  scaleRule: oneOf(...mxRules),
  amax: anything(),
  packing: packingRule,
  statistics: flag,
  rounding: oneOf('rn', 'rs'),
  seed: anything(),
  firstElement: anything(),
  engine: oneOf('plain'),
};

type MagnitudeOptions = Pick<QuantizeOptions, 'from' | 'engine'>;

const magnitudeRules: RulesFor<MagnitudeOptions> = { from: rules.from, engine: rules.engine };

export interface Quantized extends QuantizedArray {
  /** The error statistics; null unless the caller requested them. */
  readonly statistics: QuantizationStatistics | null;
}

/**
 * Quantizes values in exactly the following steps:
 *
 * 1. The amax of a tile is its largest magnitude. NaNs are ignored, but infinities are not; if a tile contains only
 * NaNs, its amax is 0.
 * 2. The scale and the factor are computed from amax as in `scale-rules.ts` (`mxScale`, `nvfp4Scale`, `plainFactor`).
 * For NVFP4, the amax of the whole array is computed first. All f32 operations round to nearest even.
 * 3. An element is multiplied by the factor in f32. With ue8m0 scales, the factor is a power of two, so the product is
 * exact unless the value is so small that it becomes zero anyway.
 * 4. The product is rounded once, either to nearest even or stochastically, and saturated. The result is that of
 * `cvt.rn.satfinite` or, for integers, of `cvt.rni.sat`. An infinity becomes the finite code that has the same sign and
 * the largest magnitude. NaN becomes 0x7f in e4m3 and e5m2, the largest positive code in float formats without NaN, and
 * 0 in integers. Zeros keep their sign.
 *
 * The source is not modified.
 *
 * @throws PtxlabError `unknown-scheme`, `bad-shape`, `bad-source`, `bad-amax`, `bad-packing`, `bad-option`, and the
 *   errors that `requireFormat` throws; with `rs` also `bad-first-element` and the errors that `convert` throws
 */
export function quantize(given: GivenArray, options: QuantizeOptions): Quantized {
  checkOptions(options);
  const scheme = schemeNamed(options.to);
  const { source, from } = sourceOf(given, options.from);
  const layout = layoutOf(scheme, source.length, options.shape, options.granularity);
  const packing = codePacking(scheme, options.packing);
  const encoderOf = (dense: boolean): BlockEncoder =>
    blockEncoder({ from, ...encoding(scheme, options.scaleRule), dense }, options.engine === 'plain');
  const writer = new CodeWriter(scheme, layout, packing, encoderOf);
  const codes = new Uint8Array(Math.ceil((source.length * codeBits(scheme, packing)) / 8));
  const amax = sharedMagnitude(options.amax);
  const frame = { scheme, layout, packing, codes };
  const quantized = quantizedArray(source, frame, { ...options, from, amax }, writer);
  const statistics = options.statistics === true ? quantizationStatistics(source, from, quantized) : null;
  return { ...quantized, statistics };
}

function quantizedArray(source: SourceArray, frame: Frame, options: RandomOptions, writer: CodeWriter): QuantizedArray {
  if (options.rounding === 'rs') return quantizeRandomly(source, frame, options, writer.encoder);
  // The plain engine processes one row at a time, as the specification does.
  if (options.engine !== 'plain' && hasShortRows(frame.scheme, frame.layout))
    return quantizeShortRows(source, frame, options, writer.encoder);
  return { ...frame, ...encodeAll(source, writer, frame.codes, options.amax) };
}

function quantizeShortRows(
  source: SourceArray,
  frame: Frame,
  { from, amax, scaleRule }: RandomOptions,
  encoder: BlockEncoder,
): QuantizedArray {
  const { scheme, layout, packing, codes } = frame;
  const tensor = scheme.scale === 'e4m3' ? tensorScale(amax ?? amaxOf(encoder, source)) : null;
  const scales = scalesFor(scheme, layout.scaleRows * layout.scaleColumns);
  const dense = packing === 'low-first';
  const products = blockEncoder({ from: 'f32', element: scheme.element, block: null, rule: null, dense }, false);
  const take = scaleTaker(scheme, scales, tensor, scaleRule);
  encodeShortRows({ source, from }, layout, take, { codes, bits: codeBits(scheme, packing), encoder: products });
  return { ...frame, scales, tensorScale: tensor?.decode ?? 1 };
}

function checkOptions(options: QuantizeOptions): void {
  requireOptions(options, rules, 'quantize');
  if (options.rounding === 'rs' && options.seed === undefined) {
    throw new PtxlabError('no-random-bits', "rounding 'rs' needs a `seed`");
  }
  if (options.rounding !== 'rs' && (options.seed !== undefined || options.firstElement !== undefined)) {
    throw new PtxlabError('no-random-bits', "`seed` and `firstElement` are only for rounding 'rs'");
  }
}

function encoding(
  { element, block, scale }: Scheme,
  rule: MxRule = 'floor',
): Pick<EncoderPlan, 'element' | 'block' | 'rule'> {
  return { element, block, rule: scale === 'ue8m0' ? rule : null };
}

/** The amax that the caller has specified, as an f32; null if the caller has not specified one. */
function sharedMagnitude(amax: number | undefined): number | null {
  if (amax === undefined) return null;
  if (typeof amax === 'number' && amax >= 0) return Math.fround(amax);
  throw new PtxlabError('bad-amax', `${shown(amax)} is not a valid amax`);
}

/**
 * The largest magnitude of an array. NaNs are ignored; if the array contains nothing but NaNs, the result is 0. Throws
 * the same errors as `quantize`.
 */
export function largestMagnitude(given: GivenArray, options: MagnitudeOptions = {}): number {
  requireOptions(options, magnitudeRules, 'largestMagnitude');
  const { source, from } = sourceOf(given, options.from);
  const plan = { from, ...encoding(schemeNamed('e4m3')), dense: false };
  return amaxOf(blockEncoder(plan, options.engine === 'plain'), source);
}

type Scales = Pick<QuantizedArray, 'scales' | 'tensorScale'>;

function encodeAll(source: SourceArray, writer: CodeWriter, codes: Uint8Array, amax: number | null): Scales {
  return (writer.scheme.block === null ? withPlainScales : inBlocks)(source, writer, codes, amax);
}

function inBlocks(source: SourceArray, writer: CodeWriter, codes: Uint8Array, amax: number | null): Scales {
  const { scheme, layout } = writer;
  const { rows, columns, tileColumns, scaleColumns } = layout;
  const scales = new Uint8Array(layout.scaleRows * scaleColumns);
  const tensor = scheme.scale === 'e4m3' ? tensorScale(amax ?? amaxOf(writer.encoder, source)) : null;
  // If rows consist of whole blocks, all rows can be encoded as if they were one long row.
  const isOne = columns % tileColumns === 0;
  const [runs, length] = isOne ? [1, source.length] : [rows, columns];
  for (let run = 0; run < runs; run++) {
    const runScales = scales.subarray(run * scaleColumns, isOne ? scales.length : (run + 1) * scaleColumns);
    writer.write(codes, run * length, length, (encoder, part) => {
      encoder.encodeBlocks(source.subarray(run * length, (run + 1) * length), part, runScales, tensor);
    });
  }
  return { scales, tensorScale: tensor?.decode ?? 1 };
}

/** Computes the f32 scales and the codes, one row of tiles at a time. */
function withPlainScales(source: SourceArray, writer: CodeWriter, codes: Uint8Array, shared: number | null): Scales {
  const { rows, columns, tileRows, tileColumns, scaleRows, scaleColumns } = writer.layout;
  const scales = new Float32Array(scaleRows * scaleColumns);
  // An array without elements may have any number of rows.
  if (source.length === 0) return { scales, tensorScale: 1 };
  const given = shared !== null && writer.layout.granularity === 'tensor' ? [Float32Array.of(shared)] : null;
  for (let scaleRow = 0; scaleRow < scaleRows; scaleRow++) {
    const top = scaleRow * tileRows;
    const bottom = Math.min(top + tileRows, rows);
    // If tiles are as wide as the array, all rows of a tile are contiguous in memory and can be processed as one row.
    const isWhole = tileColumns >= columns;
    const length = isWhole ? (bottom - top) * columns : columns;
    const block = isWhole ? Math.max(length, 1) : tileColumns;
    const runs = Array.from({ length: isWhole ? 1 : bottom - top }, (_, i) => top * columns + i * length);
    const maxima = given ?? runs.map((at) => writer.encoder.maxima(source.subarray(at, at + length), block));
    const factors = Float32Array.from({ length: scaleColumns }, (_, i) => {
      const amax = maxima.reduce((most, of) => Math.max(most, singleAt(of, i)), 0);
      return plainFactor(writer.scheme.element, amax);
    });
    factors.forEach((factor, i) => {
      scales[scaleRow * scaleColumns + i] = 1 / factor;
    });
    for (const at of runs) {
      writer.write(codes, at, length, (encoder, part) => {
        encoder.encodeScaled(source.subarray(at, at + length), block, factors, part);
      });
    }
  }
  return { scales, tensorScale: 1 };
}
