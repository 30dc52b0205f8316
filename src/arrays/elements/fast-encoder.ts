/** Quantizes with WebAssembly. The data is copied to a small WebAssembly memory in chunks that fit into the cache. */
import { compileModule } from '../../jit/compile-module.ts';
import { singleAt, wordAt } from '../../base/typed-reads.ts';
import { denseBytes } from './bit-packing.ts';
import { type BlockEncoder, blockIndex, chunkElements, type EncoderPlan } from '../quantized/block-encoder.ts';
import { largestOf } from '../quantized/block-formats.ts';
import { elementConversion } from './element-codes.ts';
import type { TensorScale } from '../quantized/scale-rules.ts';
import type { SourceArray } from './source-values.ts';
import { groupSize } from '../../jit/arrays/array-storage.ts';
import { quantizeKernel, type QuantizeSpec } from '../../jit/arrays/quantize-kernel.ts';
import { quantizeMemory } from '../../jit/arrays/quantize-memory.ts';
import { formats } from '../../numerics/formats.ts';
import { exportedFunction } from '../../jit/exported-function.ts';

interface KernelExports {
  readonly maxima: (blocks: number, groups: number) => void;
  readonly scale: (blocks: number, groups: number) => void;
  /** Null if the caller supplies the scales. */
  readonly blocks: ((fours: number) => void) | null;
}

const bitsOfSingle = new Uint32Array(1);
const single = new Float32Array(bitsOfSingle.buffer);

function specOf({ from, element, block, rule, dense }: EncoderPlan): QuantizeSpec {
  single[0] = largestOf(element);
  const largest = wordAt(bitsOfSingle, 0);
  const scaling = rule === null ? ({ kind: 'nvfp4' } as const) : ({ kind: 'ue8m0', rule, largest } as const);
  const blocks = block === null ? null : { elements: block, scaling };
  return { source: from, conversion: elementConversion(element), blocks, dense };
}

export class FastEncoder implements BlockEncoder {
  private readonly plan: EncoderPlan;
  private readonly bits: number;
  private readonly kernel: KernelExports;
  private readonly source: SourceArray;
  private readonly codes: Uint8Array;
  private readonly scales: Uint8Array;
  private readonly factors: Float32Array;
  private readonly settings: Float32Array;

  constructor(plan: EncoderPlan) {
    this.plan = plan;
    this.bits = plan.dense ? formats[plan.element].width : 8;
    const memory = new WebAssembly.Memory({ initial: quantizeMemory.pages });
    const module = compileModule(quantizeKernel(specOf(plan)));
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.kernel = {
      maxima: exportedFunction(exports, 'maxima'),
      scale: exportedFunction(exports, 'scale'),
      blocks: plan.block === null ? null : exportedFunction(exports, 'blocks'),
    };
    const { buffer } = memory;
    const elements = chunkElements;
    const View = plan.from === 'f32' ? Float32Array : Uint16Array;
    this.source = new View(buffer, quantizeMemory.source, elements);
    this.codes = new Uint8Array(buffer, quantizeMemory.codes, elements);
    this.scales = new Uint8Array(buffer, quantizeMemory.scales, elements / groupSize);
    this.factors = new Float32Array(buffer, quantizeMemory.factors, elements / groupSize);
    this.settings = new Float32Array(buffer, 0, 8);
  }

  maxima(source: SourceArray, block: number): Float32Array {
    const maxima = new Float32Array(Math.max(1, Math.ceil(source.length / block)));
    this.inChunks(source, wholeGroups(block), (start, count) => {
      const blocks = this.eachBlock(count, block, this.kernel.maxima);
      const first = blockIndex(start, 0, block);
      for (let i = 0; i < blocks; i++) {
        maxima[first + i] = Math.max(singleAt(maxima, first + i), singleAt(this.factors, i));
      }
    });
    return maxima;
  }

  encodeBlocks(source: SourceArray, codes: Uint8Array, scales: Uint8Array, tensor: TensorScale | null): void {
    const block = this.plan.block ?? chunkElements;
    if (tensor !== null) {
      this.settings.fill(tensor.encode, 0, 4);
      this.settings.fill(tensor.decode, 4, 8);
    }
    const { blocks } = this.kernel;
    if (blocks === null) throw new Error('this encoder takes its scales from the caller and cannot compute them');
    this.inChunks(source, 4 * block, (start, count, fours) => {
      blocks(fours);
      this.takeCodes(codes, start, count);
      scales.set(this.scales.subarray(0, Math.ceil(count / block)), start / block);
    });
  }

  encodeScaled(source: SourceArray, block: number, factors: Float32Array, codes: Uint8Array): void {
    this.inChunks(source, wholeGroups(block), (start, count) => {
      const first = blockIndex(start, 0, block);
      this.factors.set(factors.subarray(first, first + Math.ceil(count / block)));
      this.eachBlock(count, block, this.kernel.scale);
      this.takeCodes(codes, start, count);
    });
  }

  /**
   * Runs a kernel on `count` elements, which are divided into blocks of `block` elements, and returns the number of
   * blocks.
   */
  private eachBlock(count: number, block: number, run: KernelExports['scale']): number {
    const blocks = Math.ceil(count / block);
    run(blocks, Math.ceil(Math.min(block, count) / groupSize));
    return blocks;
  }

  private takeCodes(codes: Uint8Array, start: number, count: number): void {
    codes.set(this.codes.subarray(0, denseBytes(count, this.bits)), denseBytes(start, this.bits));
  }

  /**
   * Copies the source into WebAssembly memory chunk by chunk, and calls `run` for each chunk after copying it. Each
   * chunk is padded with zeros to a multiple of `unit` elements.
   */
  private inChunks(
    source: SourceArray,
    unit: number,
    run: (start: number, count: number, units: number) => void,
  ): void {
    for (let start = 0; start < source.length; start += chunkElements) {
      const part = source.subarray(start, start + chunkElements);
      const units = Math.ceil(part.length / unit);
      this.source.set(part);
      this.source.fill(0, part.length, units * unit);
      run(start, part.length, units);
    }
  }
}

/** Number of bytes of memory per block. */
function wholeGroups(block: number): number {
  return Math.min(Math.ceil(block / groupSize) * groupSize, chunkElements);
}
