import { describe, expect, test } from 'vitest';
import type { FormatName } from '../numerics/formats.ts';
import { memorySource } from './bytes.ts';
import type { Packing, TensorEntry, TensorFile } from './tensor-file.ts';
import { forEachChunk, loadUnit, type ScaleRule, tensorValues, type TensorValues } from './tensor-values.ts';

function valuesOf(
  format: FormatName | 'opaque',
  packing: Packing,
  elements: number,
  bytes: Uint8Array,
  rule: ScaleRule = 'keep',
): TensorValues {
  const entry: TensorEntry = {
    name: 'x',
    dtype: format,
    format,
    shape: [elements],
    elements,
    packing,
    offset: 0,
    byteLength: bytes.length,
    shard: null,
  };
  const file: TensorFile = { container: 'raw', tensors: [entry], metadata: {}, data: () => memorySource(bytes) };
  return tensorValues(file, entry, rule);
}

async function read(values: TensorValues): Promise<readonly number[]> {
  return [...(await values.load(0, values.elements))()];
}

describe('GGUF blocks: elements times the scale of their group', () => {
  test('Q8_0: an f16, then 32 signed bytes', async () => {
    const bytes = new Uint8Array(34);
    bytes.set([0x00, 0x38, 1, 0xff, 127]);
    const found = await read(valuesOf('s8', 'q8_0', 32, bytes));
    expect(found.slice(0, 4)).toEqual([0.5, -0.5, 63.5, 0]);
  });

  test('MXFP4: a power of two, then pairs that are 16 elements apart', async () => {
    const bytes = new Uint8Array(17);
    bytes.set([0x80, 0x72]);
    const found = await read(valuesOf('e2m1', 'mxfp4', 32, bytes));
    expect([found[0], found[16], found[1]]).toEqual([2, 12, 0]);
  });

  test('NVFP4: four e4m3 without sign, then pairs that are 8 elements apart', async () => {
    const bytes = new Uint8Array(36);
    bytes.set([0x38, 0xc0, 0x38, 0x38]);
    bytes[4] = 0x72;
    bytes[12] = 0x72;
    const found = await read(valuesOf('e2m1', 'nvfp4', 64, bytes));
    expect([found[0], found[8]]).toEqual([1, 6]);
    expect([found[16], found[24]]).toEqual([2, 12]);
  });

  test('a NaN scale gives NaN, or is rejected', async () => {
    const bytes = new Uint8Array(17).fill(0x11);
    bytes[0] = 0xff;
    expect((await read(valuesOf('e2m1', 'mxfp4', 32, bytes)))[0]).toBeNaN();
    await expect(read(valuesOf('e2m1', 'mxfp4', 32, bytes, 'refuse'))).rejects.toThrow('NaN or infinite');
  });

  test('they are marked as scaled', () => {
    expect(valuesOf('s8', 'q8_0', 32, new Uint8Array(34)).isScaled).toBe(true);
    expect(valuesOf('s8', 'whole', 2, new Uint8Array(2)).isScaled).toBe(false);
  });
});

describe('ranges', () => {
  test('of dense fp6 are read from the start of their group', async () => {
    // The tensor has 512 elements. The element at index 256 has the code 8, which represents 1.0.
    const bytes = new Uint8Array(384);
    bytes[192] = 8;
    const values = valuesOf('e2m3', 'dense', 512, bytes);
    const part = (await values.load(loadUnit, 4))();
    expect([...part]).toEqual([1, 0, 0, 0]);
  });

  test('types without numeric values are rejected', () => {
    expect(() => valuesOf('opaque', 'opaque', 1, new Uint8Array(1))).toThrow('cannot be read as numbers');
  });
});

describe('chunk by chunk', () => {
  const elements = 600_000;
  const singles = Float32Array.from({ length: elements }, (_, i) => i);
  const whole = (): TensorValues => valuesOf('f32', 'whole', elements, new Uint8Array(singles.buffer));

  test('every element of both tensors is delivered once and in order', async () => {
    const seen = [new Float32Array(elements), new Float32Array(elements)];
    let at = 0;
    await forEachChunk([whole(), whole()], (...chunks) => {
      for (const [side, chunk] of chunks.entries()) seen[side]?.set(chunk, at);
      at += chunks[0]?.length ?? 0;
    });
    for (const side of seen) expect(Buffer.from(side.buffer).equals(Buffer.from(singles.buffer))).toBe(true);
  });

  test('an aborted signal stops it', async () => {
    const stop = new AbortController();
    let chunks = 0;
    await forEachChunk(
      [whole()],
      () => {
        chunks += 1;
        stop.abort();
      },
      stop.signal,
    );
    expect(chunks).toBe(1);
  });

  test('read errors are thrown', async () => {
    const short = valuesOf('f32', 'whole', elements, new Uint8Array(16));
    await expect(forEachChunk([short], () => undefined)).rejects.toThrow('bytes');
  });
});
