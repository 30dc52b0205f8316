/**
 * The blocks of GGUF that hold elements of PTX formats: splitting them into codes and scales, and joining these again.
 *
 * The value of an element is the value of its code times that of its scale. ggml computes with doubled values of e2m1
 * and halved scales, which gives the same: 2 v × s / 2. It differs for scales that do not represent a number: it reads
 * 0xff of ue8m0 as 2^128, and 0x7f of e4m3 as 0. Scales of nvfp4 are e4m3 without sign; there is no scale for the whole
 * tensor.
 */
import { byteAt } from '../../base/typed-reads.ts';
import type { FormatName } from '../../numerics/formats.ts';
import { viewOf } from '../bytes.ts';
import type { BlockLayout } from '../tensor-file.ts';

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

/** Whether elements are stored in blocks. */
export function isBlockLayout(packing: string): packing is BlockLayout {
  return Object.hasOwn(blockFormats, packing);
}

/**
 * Splits whole blocks: `codes` gets a byte for each element in order, with e2m1 in its low four bits; `scales` gets the
 * scales of all groups in order, f16 as two bytes, low byte first.
 */
export function unpackBlocks(layout: BlockLayout, blocks: Uint8Array, codes: Uint8Array, scales: Uint8Array): void {
  const { bytes, elements } = blockFormats[layout];
  const scaleBytes = scalesOf(layout);
  const [from, to] = [viewOf(blocks), viewOf(codes)];
  for (let block = 0; (block + 1) * bytes <= blocks.length; block++) {
    const at = block * bytes;
    for (let i = 0; i < scaleBytes; i++) scales[block * scaleBytes + i] = byteAt(blocks, at + i);
    if (layout === 'q8_0') copyWords(from, at + scaleBytes, to, block * elements, elements);
    else unpackNibbles(layout, from, at + scaleBytes, to, block * elements);
  }
}

/** The inverse: as many blocks as `codes` fill. Bits of e2m1 codes above the fourth are ignored. */
export function packBlocks(layout: BlockLayout, codes: Uint8Array, scales: Uint8Array, blocks: Uint8Array): void {
  const { elements, bytes } = blockFormats[layout];
  const scaleBytes = scalesOf(layout);
  const [from, to] = [viewOf(codes), viewOf(blocks)];
  for (let block = 0; (block + 1) * elements <= codes.length; block++) {
    const at = block * bytes;
    for (let i = 0; i < scaleBytes; i++) blocks[at + i] = byteAt(scales, block * scaleBytes + i);
    if (layout === 'q8_0') copyWords(from, block * elements, to, at + scaleBytes, elements);
    else packNibbles(layout, from, block * elements, to, at + scaleBytes);
  }
}

/** Bytes of the scales of a block. */
export function scalesOf(layout: BlockLayout): number {
  const { elements, group, scaleBytes } = blockFormats[layout];
  return (elements / group) * scaleBytes;
}

/**
 * Byte j of a group has element j in its low half, and the element half a group later in its high half; four bytes are
 * processed at once.
 */
function unpackNibbles(layout: BlockLayout, blocks: DataView, from: number, codes: DataView, to: number): void {
  const { elements, group } = blockFormats[layout];
  const half = group / 2;
  for (let start = 0; start < elements; start += group)
    for (let j = 0; j < half; j += 4) {
      const pairs = blocks.getInt32(from + start / 2 + j, true);
      codes.setInt32(to + start + j, pairs & 0x0f0f0f0f, true);
      codes.setInt32(to + start + half + j, (pairs >> 4) & 0x0f0f0f0f, true);
    }
}

function packNibbles(layout: BlockLayout, codes: DataView, from: number, blocks: DataView, to: number): void {
  const { elements, group } = blockFormats[layout];
  const half = group / 2;
  for (let start = 0; start < elements; start += group)
    for (let j = 0; j < half; j += 4) {
      const low = codes.getInt32(from + start + j, true);
      const high = codes.getInt32(from + start + half + j, true);
      blocks.setInt32(to + start / 2 + j, (low & 0x0f0f0f0f) | ((high & 0x0f0f0f0f) << 4), true);
    }
}

function copyWords(from: DataView, fromAt: number, to: DataView, toAt: number, length: number): void {
  for (let i = 0; i < length; i += 4) to.setInt32(toAt + i, from.getInt32(fromAt + i, true), true);
}
