/**
 * Encodes and packs blocks with WebAssembly. The data is copied to a small WebAssembly memory in chunks that fit into
 * the cache.
 */
import { compileModule } from '../../jit/compile-module.ts';
import { exportedFunction } from '../../jit/exported-function.ts';
import { packingKernel } from '../../jit/arrays/packing-kernel.ts';
import { packingMemory } from '../../jit/arrays/packing-memory.ts';
import type { BlockEncoding, PackedBlock } from '../../numerics/packed-blocks.ts';
import { convert } from '../convert.ts';
import type { SourceArray, SourceFormat } from '../elements/source-values.ts';
import type { BlockContents, PackedEncoder } from './plain-packed-encoder.ts';

interface KernelExports {
  readonly pack: (blocks: number) => void;
  /** Null if the caller supplies the codes, in which case nothing has to be encoded. */
  readonly encode: ((blocks: number) => void) | null;
}

/** The factors of all blocks in a chunk. */
interface Factors {
  readonly perBlock: number;
  readonly values: Float32Array;
  readonly patterns: Uint16Array;
}

export class FastPackedEncoder implements PackedEncoder {
  private readonly block: PackedBlock;
  private readonly kernel: KernelExports;
  private readonly values: Float32Array;
  private readonly codes: Uint8Array;
  private readonly scales: Factors;
  private readonly offsets: Factors | null;
  private readonly blocks: Uint8Array;

  constructor(block: PackedBlock, encoding: BlockEncoding | null) {
    const memory = new WebAssembly.Memory({ initial: packingMemory.pages });
    const module = compileModule(packingKernel(block, encoding));
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.kernel = {
      pack: exportedFunction(exports, 'pack'),
      encode: encoding === null ? null : exportedFunction(exports, 'encode'),
    };
    this.block = block;
    const { buffer } = memory;
    const { elements, mostFactors, values, codes, scales, offsets, scalePatterns, offsetPatterns, blocks } =
      packingMemory;
    const factors = (share: number, at: number, patternsAt: number): Factors => ({
      perBlock: block.elements / share,
      values: new Float32Array(buffer, at, mostFactors),
      patterns: new Uint16Array(buffer, patternsAt, mostFactors),
    });
    this.values = new Float32Array(buffer, values, elements);
    this.codes = new Uint8Array(buffer, codes, elements);
    this.scales = factors(block.scale.factor.share, scales, scalePatterns);
    this.offsets = block.offset === null ? null : factors(block.offset.factor.share, offsets, offsetPatterns);
    this.blocks = new Uint8Array(buffer, blocks);
  }

  pack({ codes, scales, offsets }: BlockContents, out: Uint8Array): void {
    const take = (
      { perBlock, patterns }: Factors,
      from: BlockContents['scales'],
      first: number,
      blocks: number,
    ): void => patterns.set(from.subarray(first * perBlock, (first + blocks) * perBlock));
    this.inChunks(codes.length, out, (first, blocks) => {
      const { elements } = this.block;
      this.codes.set(codes.subarray(first * elements, (first + blocks) * elements));
      take(this.scales, scales, first, blocks);
      if (this.offsets !== null && offsets !== null) take(this.offsets, offsets, first, blocks);
    });
  }

  encode(source: SourceArray, from: SourceFormat, out: Uint8Array): void {
    const { encode } = this.kernel;
    if (encode === null) throw new Error('this encoder takes its codes from the caller and cannot compute them');
    const { elements } = this.block;
    this.inChunks(source.length, out, (first, blocks) => {
      const part = source.subarray(first * elements, (first + blocks) * elements);
      if (part instanceof Float32Array) this.values.set(part);
      else convert(part, { from, to: 'f32', out: this.values });
      encode(blocks);
      for (const factors of [this.scales, this.offsets])
        if (factors !== null)
          convert(factors.values, { to: 'f16', saturate: true, out: factors.patterns, count: blocks });
    });
  }

  /** For each chunk of blocks, calls `prepare` to provide the codes and factors, and then packs the blocks. */
  private inChunks(elements: number, out: Uint8Array, prepare: (first: number, blocks: number) => void): void {
    const { bytes } = this.block;
    const most = packingMemory.elements / this.block.elements;
    const total = Math.floor(elements / this.block.elements);
    for (let first = 0; first < total; first += most) {
      const blocks = Math.min(most, total - first);
      prepare(first, blocks);
      this.kernel.pack(blocks);
      out.set(this.blocks.subarray(0, blocks * bytes), first * bytes);
    }
  }
}
