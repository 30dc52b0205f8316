/**
 * Decodes packed blocks to numbers with WebAssembly. The data is copied to a small WebAssembly memory in chunks that
 * fit into the cache.
 */
import { compileModule } from '../../jit/compile-module.ts';
import { packedBlockKernel, packedMemory } from '../../jit/arrays/packed-block-kernel.ts';
import { tablesOf } from '../../jit/arrays/packed-codes.ts';
import type { PackedBlock } from '../../numerics/packed-blocks.ts';
import { BlockFactors } from './block-factors.ts';
import { canonicalizeNans } from './canonical-nans.ts';
import type { PackedDecoder } from './plain-packed-decoder.ts';
import { exportedFunction } from '../../jit/exported-function.ts';

interface KernelExports {
  readonly decode: (blocks: number) => void;
}

export class FastPackedDecoder implements PackedDecoder {
  private readonly block: PackedBlock;
  private readonly kernel: KernelExports;
  private readonly blocks: Uint8Array;
  private readonly values: Float32Array;
  private readonly factors: readonly { readonly reader: BlockFactors; readonly room: Float32Array }[];

  constructor(block: PackedBlock) {
    const memory = new WebAssembly.Memory({ initial: packedMemory.pages });
    const module = compileModule(packedBlockKernel(block));
    this.block = block;
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.kernel = { decode: exportedFunction(exports, 'decode') };
    new Uint8Array(memory.buffer, packedMemory.tables).set(tablesOf(block));
    this.blocks = new Uint8Array(memory.buffer, packedMemory.blocks, packedMemory.elements * 2);
    this.values = new Float32Array(memory.buffer, packedMemory.values, packedMemory.elements);
    const scales = [
      [block.scale, packedMemory.factors],
      [block.offset, packedMemory.offsets],
    ] as const;
    this.factors = scales.flatMap(([scale, at]) => {
      if (scale === null) return [];
      const reader = new BlockFactors(scale, block.elements, block.bytes);
      return [{ reader, room: new Float32Array(memory.buffer, at, packedMemory.mostFactors) }];
    });
  }

  decode(bytes: Uint8Array, out: Float32Array): boolean {
    const { elements, bytes: size } = this.block;
    const most = packedMemory.elements / elements;
    const total = out.length / elements;
    let areFinite = true;
    for (let first = 0; first < total; first += most) {
      const blocks = Math.min(most, total - first);
      this.blocks.set(bytes.subarray(first * size, (first + blocks) * size));
      const values = this.values.subarray(0, blocks * elements);
      const isPlain = this.readFactors(blocks);
      this.kernel.decode(blocks);
      if (!isPlain) canonicalizeNans(values);
      areFinite &&= isPlain;
      out.set(values, first * elements);
    }
    return areFinite;
  }

  private readFactors(blocks: number): boolean {
    let areFinite = true;
    for (const { reader, room } of this.factors) areFinite = reader.read(this.blocks, 0, blocks, room) && areFinite;
    return areFinite;
  }
}
