/**
 * Decodes element codes and multiplies the values by their scale factors, in plain JavaScript. This version is the
 * specification for the WebAssembly kernel.
 */
import { formats, type FormatName } from '../../numerics/formats.ts';
import { unpackCodes } from './bit-packing.ts';
import { chunkElements } from '../quantized/block-encoder.ts';
import { valuesOf } from './element-codes.ts';

export interface BlockDecoder {
  /**
   * Fills `out` with the values of consecutive codes. `out` has at most `chunkElements` elements. Each block of `block`
   * elements is multiplied by its factor, in f32. Every NaN has the bits 0x7fffffff.
   */
  decode(codes: Uint8Array, block: number, factors: Float32Array, out: Float32Array): void;
}

export class PlainDecoder implements BlockDecoder {
  private readonly values: Float32Array;
  private readonly width: number;
  private readonly dense: boolean;
  private readonly room = new Uint8Array(chunkElements);

  constructor(element: FormatName, dense: boolean) {
    this.values = valuesOf(element);
    this.width = formats[element].width;
    this.dense = dense && this.width < 8;
  }

  decode(codes: Uint8Array, block: number, factors: Float32Array, out: Float32Array): void {
    const { values } = this;
    const bytes = this.bytesOf(codes, out.length);
    const mask = values.length - 1;
    let hasNan = false;
    for (let at = 0, i = 0; at < out.length; i++) {
      const factor = factors[i] as number;
      for (const end = Math.min(at + block, out.length); at < end; at++) {
        const product = (values[(bytes[at] as number) & mask] as number) * factor;
        out[at] = product;
        hasNan ||= Number.isNaN(product);
      }
    }
    if (hasNan) makeNansAlike(out);
  }

  private bytesOf(codes: Uint8Array, count: number): Uint8Array {
    if (!this.dense) return codes;
    const bytes = this.room.subarray(0, count);
    unpackCodes(codes, this.width, bytes, 0);
    return bytes;
  }
}

function makeNansAlike(values: Float32Array): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) words[i] = 0x7fffffff;
  }
}
