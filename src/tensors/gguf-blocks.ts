/**
 * The blocks of GGUF that hold elements of PTX formats: taken apart into codes and scales, and put together again.
 *
 * The value of an element is its code's times its scale's. ggml computes with doubled values of e2m1 and halved scales,
 * which comes to the same: 2 v × s / 2. It differs for scales that stand for no number: it takes 0xff of ue8m0 for 2^128,
 * and 0x7f of e4m3 for 0. Scales of nvfp4 are e4m3 without sign; there is no scale of the whole tensor.
 */
import type { FormatName } from '../numerics/formats.ts';
import type { BlockLayout } from './tensor-file.ts';

export interface BlockFormat {
  /** Elements of a block, along the last extent. */
  readonly elements: number;
  readonly bytes: number;
  readonly code: FormatName;
  readonly scale: FormatName;
  /** Bytes of one scale; scales come first in a block. */
  readonly scaleBytes: number;
  /** Elements that share a scale. */
  readonly group: number;
}

export const blockFormats: Readonly<Record<BlockLayout, BlockFormat>> = {
  q8_0: { elements: 32, bytes: 34, code: 's8', scale: 'f16', scaleBytes: 2, group: 32 },
  mxfp4: { elements: 32, bytes: 17, code: 'e2m1', scale: 'ue8m0', scaleBytes: 1, group: 32 },
  nvfp4: { elements: 64, bytes: 36, code: 'e2m1', scale: 'e4m3', scaleBytes: 1, group: 16 },
};

/**
 * Takes whole blocks apart: `codes` gets a byte for each element in order, e2m1 in its low four bits, `scales` those of
 * all groups in order, f16 as two bytes, the low one first.
 */
export function unpackBlocks(layout: BlockLayout, blocks: Uint8Array, codes: Uint8Array, scales: Uint8Array): void {
  const { bytes } = blockFormats[layout];
  for (let block = 0; (block + 1) * bytes <= blocks.length; block++) {
    const at = block * bytes;
    const scalesAt = block * scalesOf(layout);
    for (let i = 0; i < scalesOf(layout); i++) scales[scalesAt + i] = blocks[at + i] as number;
    const from = at + scalesOf(layout);
    if (layout === 'q8_0') codes.set(blocks.subarray(from, at + bytes), block * 32);
    else unpackNibbles(layout, blocks, from, codes, block * blockFormats[layout].elements);
  }
}

/** The opposite: as many blocks as `codes` fill. Bits of e2m1 codes above the fourth are not looked at. */
export function packBlocks(layout: BlockLayout, codes: Uint8Array, scales: Uint8Array, blocks: Uint8Array): void {
  const { elements, bytes } = blockFormats[layout];
  for (let block = 0; (block + 1) * elements <= codes.length; block++) {
    const at = block * bytes;
    const scalesAt = block * scalesOf(layout);
    for (let i = 0; i < scalesOf(layout); i++) blocks[at + i] = scales[scalesAt + i] as number;
    const to = at + scalesOf(layout);
    if (layout === 'q8_0') blocks.set(codes.subarray(block * 32, block * 32 + 32), to);
    else packNibbles(layout, codes, block * elements, blocks, to);
  }
}

/** Bytes of the scales of a block. */
export function scalesOf(layout: BlockLayout): number {
  const { elements, group, scaleBytes } = blockFormats[layout];
  return (elements / group) * scaleBytes;
}

/** Byte j of a group has element j below, and the one half a group later above. */
function unpackNibbles(layout: BlockLayout, blocks: Uint8Array, from: number, codes: Uint8Array, to: number): void {
  const { elements, group } = blockFormats[layout];
  const half = group / 2;
  for (let start = 0; start < elements; start += group)
    for (let j = 0; j < half; j++) {
      const pair = blocks[from + start / 2 + j] as number;
      codes[to + start + j] = pair & 0xf;
      codes[to + start + half + j] = pair >> 4;
    }
}

function packNibbles(layout: BlockLayout, codes: Uint8Array, from: number, blocks: Uint8Array, to: number): void {
  const { elements, group } = blockFormats[layout];
  const half = group / 2;
  for (let start = 0; start < elements; start += group)
    for (let j = 0; j < half; j++) {
      const low = codes[from + start + j] as number;
      const high = codes[from + start + half + j] as number;
      blocks[to + start / 2 + j] = (low & 0xf) | ((high & 0xf) << 4);
    }
}
