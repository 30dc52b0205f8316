/**
 * Selects a decoder of packed blocks. The decoder uses WebAssembly if this is allowed, and otherwise plain JavaScript;
 * the results are the same.
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { canCompile } from '../../jit/simd/can-compile.ts';
import type { PackedBlock } from '../../numerics/packed-blocks.ts';
import { FastPackedDecoder } from './fast-packed-decoder.ts';
import { type PackedDecoder, PlainPackedDecoder } from './plain-packed-decoder.ts';

const decoders = new BoundedCache<PackedBlock, PackedDecoder>(64);

/** Returns the decoder for a kind of block. Decoders are cached. */
export function packedDecoder(block: PackedBlock): PackedDecoder {
  return decoders.of(block, () => (canCompile() ? new FastPackedDecoder(block) : new PlainPackedDecoder(block)));
}
