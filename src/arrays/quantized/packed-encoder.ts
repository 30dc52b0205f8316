/**
 * Selects an encoder of packed blocks: WebAssembly if allowed, otherwise plain JavaScript; the results are the same.
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { canCompile } from '../../jit/simd/can-compile.ts';
import type { BlockEncoding, PackedBlock } from '../../numerics/packed-blocks.ts';
import { FastPackedEncoder } from './fast-packed-encoder.ts';
import { type PackedEncoder, PlainPackedEncoder } from './plain-packed-encoder.ts';

const encoders = new BoundedCache<PackedBlock, PackedEncoder>(64);

/**
 * Returns the encoder for a kind of block. The encoding is null if callers supply the codes. The cache has only one
 * encoder for each kind of block, so all calls for the same kind of block must pass the same encoding.
 */
export function packedEncoder(block: PackedBlock, encoding: BlockEncoding | null): PackedEncoder {
  return encoders.of(block, () =>
    canCompile() ? new FastPackedEncoder(block, encoding) : new PlainPackedEncoder(block, encoding),
  );
}
