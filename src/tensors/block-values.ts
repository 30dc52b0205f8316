/** Blocks of GGUF as numbers: every element times the scale of its group, exact in f64. */
import { valueTable } from '../arrays/elements/element-values.ts';
import { byteAt, singleAt } from '../base/typed-reads.ts';
import { blockFormats, scalesOf, unpackBlocks } from './gguf/blocks.ts';
import type { BlockLayout } from './tensor-file.ts';

/** Decodes the first `count` elements of whole blocks, into a buffer that the next call may overwrite. */
export type BlockDecoder = (bytes: Uint8Array, count: number) => Float64Array;

/** Called for a scale that is not a finite number. */
export type BadScale = () => void;

export function blockDecoder(layout: BlockLayout, badScale: BadScale): BlockDecoder {
  const { elements, code, scale, scaleBytes, group } = blockFormats[layout];
  const codeValues = valueTable(code);
  // Scales of e4m3 have no sign; the sign bit is ignored.
  const scaleValues = scale === 'e4m3' ? valueTable(scale).map(Math.abs) : valueTable(scale);
  let codes = new Uint8Array(0);
  let scales = new Uint8Array(0);
  let out = new Float64Array(0);
  return (bytes, count) => {
    const blocks = Math.ceil(count / elements);
    if (out.length < blocks * elements) {
      codes = new Uint8Array(blocks * elements);
      scales = new Uint8Array(blocks * scalesOf(layout));
      out = new Float64Array(blocks * elements);
    }
    unpackBlocks(layout, bytes, codes, scales);
    for (let i = 0, at = 0; i < blocks * elements; at += scaleBytes) {
      const pattern = scaleBytes === 2 ? byteAt(scales, at) | (byteAt(scales, at + 1) << 8) : scales[at];
      const factor = singleAt(scaleValues, pattern as number);
      if (factor - factor !== 0) badScale();
      for (const end = i + group; i < end; i++) out[i] = singleAt(codeValues, byteAt(codes, i)) * factor;
    }
    return out.subarray(0, count);
  };
}
