/** Quantizing by WebAssembly: data goes through a small memory in chunks that stay in the cache. */
import { denseBytes } from './bit-packing.ts';
import type { BlockEncoder, EncoderPlan } from './block-encoder.ts';
import { largestOf } from './block-formats.ts';
import { elementConversion } from './element-codes.ts';
import type { TensorScale } from './scale-rules.ts';
import type { SourceArray } from './source-values.ts';
import { quantizeKernel, type QuantizeSpec } from '../jit/quantize-kernel.ts';
import { quantizeMemory } from '../jit/quantize-memory.ts';
import { formats } from '../numerics/formats.ts';

interface KernelExports {
  readonly amax: (groups: number) => number;
  readonly scale: (groups: number) => void;
  readonly blocks: (fours: number) => void;
}

const bitsOfSingle = new Uint32Array(1);
const single = new Float32Array(bitsOfSingle.buffer);

function specOf({ from, element, block, rule, dense }: EncoderPlan): QuantizeSpec {
  single[0] = largestOf(element);
  const largest = bitsOfSingle[0] as number;
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
  private readonly settings: Float32Array;

  /** Throws where WebAssembly, or its vectors, are not to be had. */
  constructor(plan: EncoderPlan) {
    this.plan = plan;
    this.bits = plan.dense ? formats[plan.element].width : 8;
    const memory = new WebAssembly.Memory({ initial: quantizeMemory.pages });
    const module = new WebAssembly.Module(quantizeKernel(specOf(plan)));
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    this.kernel = instance.exports as unknown as KernelExports;
    const { buffer } = memory;
    const { elements } = quantizeMemory;
    const View = plan.from === 'f32' ? Float32Array : Uint16Array;
    this.source = new View(buffer, quantizeMemory.source, elements);
    this.codes = new Uint8Array(buffer, quantizeMemory.codes, elements);
    this.scales = new Uint8Array(buffer, quantizeMemory.scales, elements / 16);
    this.settings = new Float32Array(buffer, 0, 12);
  }

  amax(source: SourceArray): number {
    let most = 0;
    this.inChunks(source, 16, (_start, _count, groups) => {
      most = Math.max(most, this.kernel.amax(groups));
    });
    return most;
  }

  encodeBlocks(source: SourceArray, codes: Uint8Array, scales: Uint8Array, tensor: TensorScale | null): void {
    const block = this.plan.block ?? quantizeMemory.elements;
    if (tensor !== null) {
      this.settings.fill(tensor.encode, 4, 8);
      this.settings.fill(tensor.decode, 8, 12);
    }
    this.inChunks(source, 4 * block, (start, count, fours) => {
      this.kernel.blocks(fours);
      this.takeCodes(codes, start, count);
      scales.set(this.scales.subarray(0, Math.ceil(count / block)), start / block);
    });
  }

  encodeScaled(source: SourceArray, factor: number, codes: Uint8Array): void {
    this.settings[0] = factor;
    this.inChunks(source, 16, (start, count, groups) => {
      this.kernel.scale(groups);
      this.takeCodes(codes, start, count);
    });
  }

  private takeCodes(codes: Uint8Array, start: number, count: number): void {
    codes.set(this.codes.subarray(0, denseBytes(count, this.bits)), denseBytes(start, this.bits));
  }

  /** Puts the source into memory piece by piece, each followed by zeros up to a multiple of `unit`. */
  private inChunks(
    source: SourceArray,
    unit: number,
    run: (start: number, count: number, units: number) => void,
  ): void {
    const { elements } = quantizeMemory;
    for (let start = 0; start < source.length; start += elements) {
      const part = source.subarray(start, start + elements);
      const units = Math.ceil(part.length / unit);
      this.source.set(part);
      this.source.fill(0, part.length, units * unit);
      run(start, part.length, units);
    }
  }
}
