/** The position of a run of elements in an array of codes. */
import { formats } from '../../numerics/formats.ts';
import { packCodes } from './bit-packing.ts';
import type { BlockEncoder } from '../quantized/block-encoder.ts';
import type { Scheme } from '../quantized/block-formats.ts';
import type { CodePacking, Layout } from '../quantized/quantized-array.ts';

/** Width of a code in bits. */
export function codeBits({ element }: Scheme, packing: CodePacking): number {
  return packing === 'bytes' ? 8 : formats[element].width;
}

/**
 * Stores the codes of a run of elements: directly if the run begins and ends on a byte boundary; otherwise, the codes
 * are first computed one per byte and then packed.
 */
export class CodeWriter {
  readonly scheme: Scheme;
  readonly layout: Layout;
  readonly encoder: BlockEncoder;
  private readonly bits: number;
  private readonly bytewise: () => BlockEncoder;

  constructor(scheme: Scheme, layout: Layout, packing: CodePacking, encoderOf: (dense: boolean) => BlockEncoder) {
    this.scheme = scheme;
    this.layout = layout;
    this.bits = codeBits(scheme, packing);
    this.encoder = encoderOf(packing === 'low-first');
    this.bytewise = () => encoderOf(false);
  }

  write(codes: Uint8Array, at: number, count: number, encode: (encoder: BlockEncoder, part: Uint8Array) => void): void {
    const { bits } = this;
    const endsWhole = ((at + count) * bits) % 8 === 0 || at + count === this.layout.rows * this.layout.columns;
    if ((at * bits) % 8 === 0 && endsWhole) {
      const first = (at * bits) / 8;
      encode(this.encoder, codes.subarray(first, first + Math.ceil((count * bits) / 8)));
      return;
    }
    const bytes = new Uint8Array(count);
    encode(this.bytewise(), bytes);
    packCodes(bytes, bits, codes, at);
  }
}
