/** Selects an encoder of packed blocks: WebAssembly if allowed, otherwise plain JavaScript; the results are the same. */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { canCompile } from '../../jit/simd/can-compile.ts';
import type { BlockEncoding, PackedBlock } from '../../numerics/packed-blocks.ts';
import { FastPackedEncoder } from './fast-packed-encoder.ts';
import { type PackedEncoder, PlainPackedEncoder } from './plain-packed-encoder.ts';

const encoders = new BoundedCache<PackedBlock, PackedEncoder>(64);

/**
 * The encoder for a kind of block, made once. The encoding must be the same in every call for the same kind of block;
 * it is null if callers supply the codes.
 */
export function packedEncoder(block: PackedBlock, encoding: BlockEncoding | null): PackedEncoder {
  return encoders.of(block, () =>
    canCompile() ? new FastPackedEncoder(block, encoding) : new PlainPackedEncoder(block, encoding),
  );
}
