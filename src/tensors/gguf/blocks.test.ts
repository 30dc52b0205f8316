import { describe, expect, test } from 'vitest';
import { blockFormats, packBlocks, scalesOf, unpackBlocks } from './blocks.ts';
import type { BlockLayout } from '../tensor-file.ts';

const layouts = Object.keys(blockFormats) as BlockLayout[];

function unpacked(layout: BlockLayout, blocks: Uint8Array): { codes: Uint8Array; scales: Uint8Array } {
  const count = blocks.length / blockFormats[layout].bytes;
  const codes = new Uint8Array(count * blockFormats[layout].elements);
  const scales = new Uint8Array(count * scalesOf(layout));
  unpackBlocks(layout, blocks, codes, scales);
  return { codes, scales };
}

test.each(layouts)('%s: unpacking and packing again gives the same bytes', (layout) => {
  const blocks = Uint8Array.from(
    { length: 3 * blockFormats[layout].bytes },
    (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 24,
  );
  const { codes, scales } = unpacked(layout, blocks);
  const again = new Uint8Array(blocks.length);
  packBlocks(layout, codes, scales, again);
  expect(again).toEqual(blocks);
});

describe('positions of elements', () => {
  test('mxfp4: a scale, then bytes of elements j and j + 16', () => {
    const { codes, scales } = unpacked('mxfp4', Uint8Array.of(0x7f, 0x21, ...new Uint8Array(14), 0xfe));
    expect([...scales]).toEqual([0x7f]);
    expect([codes[0], codes[16], codes[15], codes[31]]).toEqual([1, 2, 0xe, 0xf]);
  });

  test('nvfp4: four scales, then for each sixteen elements the bytes of j and j + 8', () => {
    const block = Uint8Array.of(1, 2, 3, 4, 0x21, ...new Uint8Array(7), 0x43, ...new Uint8Array(22), 0xfe);
    const { codes, scales } = unpacked('nvfp4', block);
    expect([...scales]).toEqual([1, 2, 3, 4]);
    expect([codes[0], codes[8], codes[16], codes[24], codes[55], codes[63]]).toEqual([1, 2, 3, 4, 0xe, 0xf]);
  });

  test('q8_0: a scale of two bytes, then elements in order', () => {
    const { codes, scales } = unpacked(
      'q8_0',
      Uint8Array.of(0x00, 0x3c, ...Array.from({ length: 32 }, (_, i) => 255 - i)),
    );
    expect([...scales]).toEqual([0x00, 0x3c]);
    expect([codes[0], codes[31]]).toEqual([255, 224]);
  });
});

test('half a block is left alone', () => {
  const { bytes } = blockFormats.mxfp4;
  const codes = new Uint8Array(64);
  unpackBlocks('mxfp4', new Uint8Array(2 * bytes - 1).fill(0x11), codes, new Uint8Array(2));
  expect(codes.lastIndexOf(1)).toBe(31);
});
