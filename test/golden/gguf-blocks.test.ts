/** GGUF blocks, and the values that ggml's own Python package reads from them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decode } from '../../src/numerics/exact.ts';
import { type FormatName, formats } from '../../src/numerics/formats.ts';
import { blockFormats, scalesOf, unpackBlocks } from '../../src/tensors/gguf/blocks.ts';
import type { BlockLayout } from '../../src/tensors/tensor-file.ts';

interface Golden {
  readonly layouts: Readonly<Record<BlockLayout, { readonly blocks: string; readonly values: string }>>;
}

const golden = JSON.parse(readFileSync(new URL('gguf-blocks/blocks.json', import.meta.url), 'utf8')) as Golden;

function valueOf(format: FormatName, bits: number): number {
  const shown = formats[format];
  if (shown.kind === 'integer') return shown.signed ? (bits << (32 - shown.width)) >> (32 - shown.width) : bits;
  const value = decode(format, bits);
  if (value.kind !== 'finite') return value.kind === 'zero' ? 0 : Number.NaN;
  return (value.sign === 1 ? -1 : 1) * value.significand * 2 ** value.exponent;
}

describe.each(Object.keys(golden.layouts) as BlockLayout[])('%s', (layout) => {
  const { elements, bytes, code, scale, scaleBytes, group } = blockFormats[layout];
  const blocks = Uint8Array.from(Buffer.from(golden.layouts[layout].blocks, 'hex'));
  const values = Buffer.from(golden.layouts[layout].values, 'hex');
  const codes = new Uint8Array((blocks.length / bytes) * elements);
  const scales = new Uint8Array((blocks.length / bytes) * scalesOf(layout));
  unpackBlocks(layout, blocks, codes, scales);

  test('a value is its code times the scale of its group', () => {
    const scaleAt = (index: number): number =>
      valueOf(scale, (scales[index * scaleBytes] ?? 0) | (scaleBytes === 2 ? (scales[index * 2 + 1] ?? 0) << 8 : 0));
    const found = Array.from(codes, (bits, i) => Math.fround(valueOf(code, bits) * scaleAt(Math.floor(i / group))));
    const expected = Array.from(codes, (_, i) => values.readFloatLE(4 * i));
    // e2m1 has two zeros, but ggml's table of integers has no negative one.
    expect(found.map((value) => value + 0)).toEqual(expected.map((value) => value + 0));
  });
});
