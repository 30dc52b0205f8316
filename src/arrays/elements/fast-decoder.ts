/** Decodes element codes and multiplies the values by their scale factors, in WebAssembly. */
import { compileModule } from '../../jit/compile-module.ts';
import { groupSize } from '../../jit/arrays/array-storage.ts';
import { dequantizeKernel } from '../../jit/arrays/dequantize-kernel.ts';
import { quantizeMemory } from '../../jit/arrays/quantize-memory.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import { denseBytes } from './bit-packing.ts';
import { chunkElements } from '../quantized/block-encoder.ts';
import type { BlockDecoder } from './plain-decoder.ts';
import { exportedFunction } from '../../jit/exported-function.ts';

interface KernelExports {
  readonly decode: (blocks: number, groups: number) => void;
}

export class FastDecoder implements BlockDecoder {
  private readonly bits: number;
  private readonly kernel: KernelExports;
  private readonly values: Float32Array;
  private readonly codes: Uint8Array;
  private readonly factors: Float32Array;

  constructor(element: FormatName, dense: boolean) {
    this.bits = dense ? formats[element].width : 8;
    const memory = new WebAssembly.Memory({ initial: quantizeMemory.pages });
    const module = compileModule(dequantizeKernel(element, dense));
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.kernel = { decode: exportedFunction(exports, 'decode') };
    this.values = new Float32Array(memory.buffer, quantizeMemory.source, chunkElements);
    this.codes = new Uint8Array(memory.buffer, quantizeMemory.codes, chunkElements);
    this.factors = new Float32Array(memory.buffer, quantizeMemory.factors, chunkElements / groupSize);
  }

  decode(codes: Uint8Array, block: number, factors: Float32Array, out: Float32Array): void {
    const blocks = Math.ceil(out.length / block);
    this.codes.set(codes.subarray(0, denseBytes(out.length, this.bits)));
    this.factors.set(factors.subarray(0, blocks));
    this.kernel.decode(blocks, Math.ceil(Math.min(block, out.length) / groupSize));
    out.set(this.values.subarray(0, out.length));
  }
}
