/**
 * Selects encoders and decoders. They use WebAssembly if it is allowed, and plain JavaScript otherwise; the results are
 * the same.
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { canCompile } from '../../jit/simd/can-compile.ts';
import type { FormatName } from '../../numerics/formats.ts';
import type { BlockEncoder, EncoderPlan } from '../quantized/block-encoder.ts';
import { FastDecoder } from './fast-decoder.ts';
import { FastEncoder } from './fast-encoder.ts';
import { type BlockDecoder, PlainDecoder } from './plain-decoder.ts';
import { PlainEncoder } from './plain-encoder.ts';

const encoders = new BoundedCache<string, BlockEncoder>(256);
const decoders = new BoundedCache<string, BlockDecoder>(256);

/** Returns the encoder for a plan. Encoders are cached. If `plain` is true, the encoder does not use WebAssembly. */
export function blockEncoder(plan: EncoderPlan, plain: boolean): BlockEncoder {
  return encoders.of(JSON.stringify([plan, plain]), () =>
    plain || !canCompile() ? new PlainEncoder(plan) : new FastEncoder(plan),
  );
}

/**
 * Returns the decoder for the codes of an element format. Decoders are cached. If `plain` is true, the decoder does not
 * use WebAssembly.
 */
export function blockDecoder(element: FormatName, dense: boolean, plain: boolean): BlockDecoder {
  return decoders.of(`${element} ${dense} ${plain}`, () =>
    plain || !canCompile() ? new PlainDecoder(element, dense) : new FastDecoder(element, dense),
  );
}
