import { describe, expect, test } from 'vitest';
import { FastPackedEncoder } from '../../arrays/quantized/fast-packed-encoder.ts';
import { packedDecoder } from '../../arrays/quantized/packed-decoder.ts';
import { type BlockContents, PlainPackedEncoder } from '../../arrays/quantized/plain-packed-encoder.ts';
import { keysOf } from '../../base/records.ts';
import { formats } from '../../numerics/formats.ts';
import { type Scale, segmentsOf, type Shared } from '../../numerics/packed-blocks.ts';
import type { BlockLayout } from '../tensor-file.ts';
import { blockRows } from './block-rows.ts';
import { type WritableLayout, writableLayouts } from './blocks.ts';

const layouts = keysOf(blockRows);

/** All arrays of numbers that a block contains, with the length of each array. */
function numbersOf(layout: BlockLayout): readonly (Shared & { readonly count: number })[] {
  const { elements, codes, scale, offset } = blockRows[layout];
  const ofScale = ({ factor, multiplier }: Scale): readonly Shared[] =>
    multiplier === null ? [factor] : [factor, multiplier];
  const ofCodes = ((): readonly Shared[] => {
    if (codes.kind === 'digits') return [];
    if (codes.kind !== 'grid') return [{ share: 1, places: codes.places }];
    return [codes, codes.signs, codes.shift].filter((shared) => shared !== null);
  })();
  const all = [...ofCodes, ...ofScale(scale), ...(offset === null ? [] : ofScale(offset))];
  return all.map((shared) => ({ ...shared, count: elements / shared.share }));
}

describe.each(layouts.filter((layout) => layout !== 'tq1_0'))('%s', (layout) => {
  test('gives each bit exactly one meaning', () => {
    const bits = new Uint8Array(8 * blockRows[layout].bytes);
    for (const { places, count } of numbersOf(layout))
      for (let i = 0; i < count; i++)
        for (const { byte, down, mask } of segmentsOf(places(i)))
          for (let bit = 8 * byte + down; bit < 8 * byte + down + Math.log2(mask + 1); bit++)
            bits[bit] = (bits[bit] ?? 0) + 1;
    expect(bits.every((uses) => uses === 1)).toBe(true);
  });
});

function decoded(layout: BlockLayout, bytes: Uint8Array): Float32Array {
  const values = new Float32Array((bytes.length / blockRows[layout].bytes) * blockRows[layout].elements);
  packedDecoder(blockRows[layout]).decode(bytes, values);
  return values;
}

/** The contents of a block with the scale 1, the offset 0.5 and the codes 0, 1, 2, … */
function contents(layout: WritableLayout): BlockContents {
  const { elements, scale, offset } = blockRows[layout];
  const { format, share } = scale.factor;
  const one = { f16: 0x3c00, ue8m0: 127, e4m3: 0x38 }[format];
  return {
    codes: Uint8Array.from({ length: elements }, (_, i) => i),
    scales: new Uint16Array(elements / share).fill(one),
    offsets: offset === null ? null : Uint16Array.of(0x3800),
  };
}

const nibbles = Array.from({ length: 16 }, (_, i) => i);
const e2m1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6];

test.each<[WritableLayout, readonly number[]]>([
  ['q4_0', [...nibbles, ...nibbles].map((code) => code - 8)],
  ['q4_1', [...nibbles, ...nibbles].map((code) => code + 0.5)],
  ['q5_0', Array.from({ length: 32 }, (_, i) => i - 16)],
  ['q5_1', Array.from({ length: 32 }, (_, i) => i + 0.5)],
  ['q8_0', Array.from({ length: 32 }, (_, i) => i)],
  ['mxfp4', [...e2m1, ...e2m1]],
  ['nvfp4', [...e2m1, ...e2m1, ...e2m1, ...e2m1]],
])('%s: packed blocks read back the same', (layout, values) => {
  const block = blockRows[layout];
  for (const encoder of [new FastPackedEncoder(block, null), new PlainPackedEncoder(block, null)]) {
    const bytes = new Uint8Array(block.bytes);
    encoder.pack(contents(layout), bytes);
    expect([...decoded(layout, bytes)]).toEqual(values);
  }
});

describe('positions of elements', () => {
  test('mxfp4: a scale, then bytes of elements j and j + 16', () => {
    const values = decoded('mxfp4', Uint8Array.of(0x7f, 0x21, ...new Uint8Array(14), 0xfe));
    expect([values[0], values[16], values[15], values[31]]).toEqual([0.5, 1, -4, -6]);
  });

  test('nvfp4: four scales, then for each sixteen elements the bytes of j and j + 8', () => {
    const block = Uint8Array.of(0x38, 0x40, 0x38, 0x38, 0x21, ...new Uint8Array(7), 0x43, ...new Uint8Array(22), 0xfe);
    const values = decoded('nvfp4', block);
    expect([values[0], values[8], values[16], values[24], values[55], values[63]]).toEqual([0.5, 1, 3, 4, -4, -6]);
  });

  test('tq1_0: five base-3 digits per byte; the first digits of all bytes come first', () => {
    const block = new Uint8Array(54);
    block.set([0x00, 0x3c], 52);
    // The byte is 256 * x, rounded up, where x is 0.10202 in base 3.
    block[0] = Math.ceil((256 * 92) / 243);
    const values = decoded('tq1_0', block);
    expect([0, 32, 64, 96, 128].map((i) => values[i])).toEqual([0, -1, 0, -1, 1]);
  });
});

test('only 0x7f of unsigned e4m3 is NaN; the sign bit is ignored', () => {
  const scaleOf = (scale: number): number | undefined =>
    decoded('nvfp4', Uint8Array.of(scale, 0, 0, 0, ...new Uint8Array(32).fill(0x22)))[0];
  expect([0x38, 0xb8, 0x7e, 0xff].map(scaleOf)).toEqual([1, 1, 448, 480]);
  expect(scaleOf(0x7f)).toBeNaN();
});

test('factors that are not finite are reported', () => {
  const decoder = packedDecoder(blockRows.q4_k);
  const blocks = new Uint8Array(3 * blockRows.q4_k.bytes);
  expect(decoder.decode(blocks, new Float32Array(768))).toBe(true);
  blocks.set([0x00, 0x7c], 2 * blockRows.q4_k.bytes + 2);
  expect(decoder.decode(blocks, new Float32Array(768))).toBe(false);
});

test('the widths of codes fit their formats', () => {
  for (const layout of writableLayouts) {
    const { codes, code } = blockRows[layout];
    const width = codes.kind === 'linear' || codes.kind === 'listed' ? segmentsOf(codes.places(0)) : [];
    const bits = width.reduce((sum, { mask }) => sum + Math.log2(mask + 1), 0);
    expect(bits).toBeLessThanOrEqual(formats[code].width);
  }
});
