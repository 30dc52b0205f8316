/**
 * Quantizes with stochastic rounding: scales are computed as usual, then each element is multiplied by its factor, and
 * `convert` rounds the product.
 */
import { PtxlabError } from '../../base/error.ts';
import { singleAt } from '../../base/typed-reads.ts';
import { formats } from '../../numerics/formats.ts';
import { amaxOf, type BlockEncoder, chunkElements } from './block-encoder.ts';
import { codeBits } from '../elements/code-writer.ts';
import { arrayConversion } from '../convert.ts';
import { converterOf } from '../converters.ts';
import { piecesOf } from '../pieces.ts';
import { PlainConverter } from '../elements/plain-converter.ts';
import type { Layout, QuantizedArray } from './quantized-array.ts';
import { type MxRule, type TensorScale, tensorScale } from './scale-rules.ts';
import { scalesFor, scaleTaker } from './short-rows.ts';
import { singlesOf, type SourceArray, type SourceFormat } from '../elements/source-values.ts';
import { bytesOf } from '../storage.ts';
import type { Range } from '../../jit/arrays/array-converter.ts';

export interface RandomOptions {
  readonly from: SourceFormat;
  readonly rounding?: 'rn' | 'rs' | undefined;
  readonly seed?: number | bigint | undefined;
  readonly firstElement?: number | undefined;
  readonly scaleRule?: MxRule | undefined;
  /**
   * The largest magnitude (amax) of the whole array, if the source is only a part of it. If this is null, the largest
   * magnitude of the source is used.
   */
  readonly amax: number | null;
  readonly engine?: 'plain' | undefined;
}

export type Frame = Pick<QuantizedArray, 'scheme' | 'layout' | 'packing' | 'codes'>;

/**
 * Quantizes the source. The codes are written to `frame.codes`, and the result consists of `frame` and the computed
 * scales. Throws the same errors as `convert` does for the rounding mode `rs`.
 */
export function quantizeRandomly(
  source: SourceArray,
  frame: Frame,
  options: RandomOptions,
  encoder: BlockEncoder,
): QuantizedArray {
  const tensor = frame.scheme.scale === 'e4m3' ? tensorScale(options.amax ?? amaxOf(encoder, source)) : null;
  const maxima = allMaxima(source, frame.layout, encoder);
  if (options.amax !== null && frame.layout.granularity === 'tensor') maxima.fill(options.amax);
  const { scales, factors } = scalesAndFactors(frame, maxima, tensor, options.scaleRule);
  const convertChunk = chunkConverter(frame, options);
  const [room, products] = [new Float32Array(chunkElements), new Float32Array(chunkElements)];
  let start = 0;
  let filled = 0;
  const flush = (): void => {
    convertChunk(products.subarray(0, filled), start);
    start += filled;
    filled = 0;
  };
  for (const { at, count, block, firstScale } of piecesOf(frame.layout)) {
    const values = singlesOf(source.subarray(at, at + count), options.from, room);
    for (let i = 0; i < count; ) {
      const end = Math.min(count, (Math.floor(i / block) + 1) * block, i + chunkElements - filled);
      scaleInto(products, filled, values, { first: i, end }, singleAt(factors, firstScale + Math.floor(i / block)));
      filled += end - i;
      i = end;
      if (filled === chunkElements) flush();
    }
  }
  flush();
  return { ...frame, scales, tensorScale: tensor?.decode ?? 1 };
}

/** Each product is rounded to f32. */
function scaleInto(
  products: Float32Array,
  at: number,
  values: Float32Array,
  { first, end }: Range,
  factor: number,
): void {
  for (let i = first; i < end; i++) products[at + i - first] = singleAt(values, i) * factor;
}

/** The largest magnitude of each tile. */
function allMaxima(source: SourceArray, layout: Layout, encoder: BlockEncoder): Float32Array {
  const all = new Float32Array(layout.scaleRows * layout.scaleColumns);
  for (const { at, count, block, firstScale } of piecesOf(layout)) {
    encoder.maxima(source.subarray(at, at + count), block).forEach((most, i) => {
      all[firstScale + i] = Math.max(singleAt(all, firstScale + i), most);
    });
  }
  return all;
}

function scalesAndFactors(
  { scheme }: Frame,
  maxima: Float32Array,
  tensor: TensorScale | null,
  rule: MxRule | undefined,
): { readonly scales: Uint8Array | Float32Array; readonly factors: Float32Array } {
  const scales = scalesFor(scheme, maxima.length);
  const take = scaleTaker(scheme, scales, tensor, rule);
  return { scales, factors: maxima.map((amax, i) => take(i, amax)) };
}

/**
 * Returns a function that converts products to codes and stores them. Its argument `start` is the index of the source
 * element to which the first product belongs.
 */
function chunkConverter(
  { scheme, packing, codes }: Frame,
  { seed, firstElement = 0, engine }: RandomOptions,
): (products: Float32Array, start: number) => void {
  if (!Number.isSafeInteger(firstElement) || firstElement < 0 || firstElement % 4 !== 0) {
    throw new PtxlabError('bad-first-element', `${firstElement} is not a multiple of 4`);
  }
  const { element } = scheme;
  const shape = formats[element].width < 8 ? { packing } : {};
  const asked = seed === undefined ? {} : { seed };
  const { plan, random } = arrayConversion(new Float32Array(0), { to: element, rounding: 'rs', ...asked, ...shape });
  const bits = codeBits(scheme, packing);
  return (products, start) => {
    const part = codes.subarray((start * bits) / 8, Math.ceil(((start + products.length) * bits) / 8));
    const converter = engine === 'plain' ? new PlainConverter(plan) : converterOf(plan, products, part);
    const shared = random?.kind === 'seed' ? { ...random, first: firstElement + start } : random;
    converter.run(bytesOf(products), part, products.length, shared);
  };
}
