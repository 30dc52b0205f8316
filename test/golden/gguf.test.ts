/** GGUF blocks, and the values that ggml reads from them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { packedDecoder } from '../../src/arrays/quantized/packed-decoder.ts';
import { PlainPackedDecoder } from '../../src/arrays/quantized/plain-packed-decoder.ts';
import { encodeBlocks } from '../../src/tensors/encode-blocks.ts';
import { blockRows } from '../../src/tensors/gguf/block-rows.ts';
import { isBlockLayout, isWritableLayout, writableLayouts } from '../../src/tensors/gguf/blocks.ts';
import type { BlockLayout } from '../../src/tensors/tensor-file.ts';

interface Recorded {
  readonly type: string;
  readonly kind: 'quantized' | 'random bytes';
  readonly blocks: string;
  readonly first: string;
  readonly digest: string;
  readonly source?: string;
  readonly relativeError?: number;
}

const recorded = gunzipSync(readFileSync(new URL('gguf/blocks.jsonl.gz', import.meta.url)))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));
const singlesOf = (text: string): Float32Array => new Float32Array(bytesOf(text).buffer);

function layoutOf({ type }: Recorded): BlockLayout {
  const layout = type.toLowerCase();
  if (!isBlockLayout(layout)) throw new Error(`${type} is not read`);
  return layout;
}

/** The bits of all values, with one pattern for all NaNs and one for zeros of both signs. */
function normalized(values: Float32Array): Uint32Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return bits.map((word) => ((word & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : word === 0x80000000 ? 0 : word));
}

function decoded(row: Recorded, isPlain: boolean): Float32Array {
  const block = blockRows[layoutOf(row)];
  const bytes = bytesOf(row.blocks);
  const values = new Float32Array((bytes.length / block.bytes) * block.elements);
  (isPlain ? new PlainPackedDecoder(block) : packedDecoder(block)).decode(bytes, values);
  return values;
}

test('every readable type is recorded', () => {
  const types = new Set(recorded.map(layoutOf));
  expect([...types].sort()).toEqual(Object.keys(blockRows).sort());
});

describe.each(recorded)('$type, $kind', (row) => {
  test.each([
    ['WebAssembly', false],
    ['plain JavaScript', true],
  ])('by %s', (_, isPlain) => {
    const bits = normalized(decoded(row, isPlain));
    const first = normalized(singlesOf(row.first));
    expect([...bits.subarray(0, first.length)]).toEqual([...first]);
    expect(createHash('sha256').update(bits).digest('hex')).toBe(row.digest);
  });
});

describe('written blocks', () => {
  const sources = recorded.filter(({ source }) => source !== undefined);

  test('are recorded for every type', () => {
    expect(sources.map(layoutOf).sort()).toEqual([...writableLayouts].sort());
  });

  test.each(sources)('$type is as close to its source as what ggml writes', (row) => {
    const layout = layoutOf(row);
    if (!isWritableLayout(layout)) throw new Error(`${layout} is not written`);
    const source = singlesOf(row.source ?? '');
    const block = blockRows[layout];
    const values = new Float32Array(source.length);
    const blocks = encodeBlocks(layout, { source, from: 'f32' });
    packedDecoder(block).decode(blocks, values);
    const errors = source.reduce((sum, value, i) => sum + (value - (values[i] ?? 0)) ** 2, 0);
    const squares = source.reduce((sum, value) => sum + value ** 2, 0);
    // The recorded errors have only nine digits.
    expect(Math.sqrt(errors / squares)).toBeLessThanOrEqual((row.relativeError ?? 0) * (1 + 1e-8));
    // Unlike ggml, ptxlab keeps the sign of zeros in fp4 codes: small negative values become -0.
    if (layout !== 'mxfp4' && layout !== 'nvfp4') expect(Buffer.from(blocks).equals(bytesOf(row.blocks))).toBe(true);
  });
});
