/** Tests `readTensor`, which reads the values of a whole tensor in a file, or of a range of its elements. */
import { describe, expect, test } from 'vitest';
import { memorySource, modelOf, openTensorFile, readTensor, type TensorFile } from '../../src/tensors.ts';
import type { FormatSpelling } from '../../src/arrays.ts';
import { safetensorsBytes, type StoredTensors } from './safetensors-bytes.ts';

const open = (tensors: StoredTensors): Promise<TensorFile> => openTensorFile(memorySource(safetensorsBytes(tensors)));

const raw = (dtype: FormatSpelling, shape: readonly number[], data: ArrayBufferView): Promise<TensorFile> =>
  openTensorFile(memorySource(new Uint8Array(data.buffer.slice(0))), { container: 'raw', dtype, shape, name: 'w' });

const f32 = (shape: readonly number[], ...values: readonly number[]): StoredTensors[string] => ({
  dtype: 'F32',
  shape,
  bytes: new Uint8Array(Float32Array.from(values).buffer),
});

describe('every kind of element is read as numbers', () => {
  test.each<[FormatSpelling, ArrayBufferView, readonly number[]]>([
    ['f32', Float32Array.of(1.5, -2), [1.5, -2]],
    ['f64', Float64Array.of(0.1, 1e300), [0.1, 1e300]],
    ['f16', Uint16Array.of(0x3c00, 0xfc00), [1, Number.NEGATIVE_INFINITY]],
    ['bf16', Uint16Array.of(0x3f80, 0x4049), [1, 3.140625]],
    ['e4m3', Uint8Array.of(0x38, 0xfe), [1, -448]],
    ['e5m2', Uint8Array.of(0x3c, 0x7c), [1, Number.POSITIVE_INFINITY]],
    ['ue8m0', Uint8Array.of(127, 130), [1, 8]],
    // Four 6-bit codes in three bytes: 8, 16, 24, 40.
    ['e2m3', Uint8Array.of(0x08, 0x84, 0xa1), [1, 2, 4, -1]],
    ['e3m2', Uint8Array.of(0x0c, 0x00, 0x80), [1, 0, 0, -0]],
    ['e2m1', Uint8Array.of(0x72, 0xaf), [1, 6, -6, -1]],
    ['s4', Uint8Array.of(0x8f), [-1, -8]],
    ['u2', Uint8Array.of(0xe4), [0, 1, 2, 3]],
    ['s8', Int8Array.of(-128, 127), [-128, 127]],
    ['u16', Uint16Array.of(65_535), [65_535]],
    ['s32', Int32Array.of(-(2 ** 31)), [-(2 ** 31)]],
    ['u64', BigUint64Array.of(2n ** 53n), [2 ** 53]],
  ])('%s', async (dtype, data, values) => {
    expect([...(await readTensor(await raw(dtype, [values.length], data), 'w'))]).toEqual(values);
  });

  test('GGUF blocks are multiplied by their scales', async () => {
    const { bytes, at } = ggufWithQ8();
    bytes.set([0x00, 0x38, 1, 0xff, 127], at);
    const values = await readTensor(await openTensorFile(memorySource(bytes)), 'w', { offset: 1, count: 2 });
    expect(values).toEqual(Float32Array.of(-0.5, 63.5));
  });
});

describe('elements with separate scales', () => {
  const codes = { dtype: 'F8_E4M3', shape: [2, 2], bytes: Uint8Array.of(0x38, 0x40, 0x38, 0x40) };
  const checkpoint = { w: codes, w_scale: f32([2, 1], 0.5, 10) };

  test('are multiplied', async () => {
    const file = await open(checkpoint);
    expect(await readTensor(file, 'w')).toEqual(Float64Array.of(0.5, 1, 10, 20));
    expect(await readTensor(file, 'w', { offset: 1, count: 2 })).toEqual(Float64Array.of(1, 10));
    const [tensor] = modelOf(file).tensors;
    if (tensor !== undefined) expect(await readTensor(file, tensor, { offset: 3 })).toEqual(Float64Array.of(20));
  });

  test('are read without scales if an entry of the file is given, and so are the scales themselves', async () => {
    const file = await open(checkpoint);
    const [entry] = file.tensors;
    if (entry !== undefined) expect(await readTensor(file, entry)).toEqual(Float32Array.of(1, 2, 1, 2));
    expect(await readTensor(file, 'w_scale')).toEqual(Float32Array.of(0.5, 10));
  });

  test('become NaN with a scale that is NaN', async () => {
    const file = await open({ w: codes, w_scale: f32([2, 1], Number.NaN, 1) });
    expect(await readTensor(file, 'w')).toEqual(Float64Array.of(Number.NaN, Number.NaN, 1, 2));
  });
});

describe('ranges', () => {
  const elements = 600_000;
  const numbers = Float32Array.from({ length: elements }, (_, i) => i);

  test('may begin and end anywhere', async () => {
    const file = await raw('f32', [elements], numbers);
    for (const [offset, count] of [
      [0, elements],
      [255, 2],
      [262_143, 262_146],
      [599_999, 1],
      [7, 0],
      [elements, 0],
    ] as const) {
      const found = await readTensor(file, 'w', { offset, count });
      expect(Buffer.from(found.buffer).equals(Buffer.from(numbers.slice(offset, offset + count).buffer))).toBe(true);
    }
    expect(await readTensor(file, 'w', { offset: 599_998 })).toEqual(Float32Array.of(599_998, 599_999));
  });

  test('may begin in the middle of a byte', async () => {
    const file = await raw(
      'e2m1',
      [2, 512],
      Uint8Array.from({ length: 512 }, (_, i) => (i % 2 === 0 ? 0x10 : 0x32)),
    );
    expect([...(await readTensor(file, 'w', { offset: 513, count: 4 }))]).toEqual([0.5, 1, 1.5, 0]);
  });

  test('of a scalar and of an empty tensor', async () => {
    expect([...(await readTensor(await open({ s: f32([], 3) }), 's'))]).toEqual([3]);
    expect((await readTensor(await open({ e: f32([0, 4]) }), 'e')).length).toBe(0);
  });

  test('belong to the caller', async () => {
    const file = await raw('f32', [4], Float32Array.of(1, 2, 3, 4));
    const first = await readTensor(file, 'w');
    await readTensor(file, 'w', { offset: 2 });
    expect(first).toEqual(Float32Array.of(1, 2, 3, 4));
  });
});

test('64-bit integers are rounded to numbers, or read exactly', async () => {
  const file = await raw('s64', [2], BigInt64Array.of(2n ** 53n + 1n, -3n));
  expect(await readTensor(file, 'w')).toEqual(Float64Array.of(2 ** 53, -3));
  expect(await readTensor(file, 'w', { as: 'bigint' })).toEqual(BigInt64Array.of(2n ** 53n + 1n, -3n));
  expect(await readTensor(file, 'w', { as: 'bigint', offset: 1 })).toEqual(BigInt64Array.of(-3n));
});

describe('mistakes', () => {
  const file = raw('f32', [3], Float32Array.of(1, 2, 3));

  test.each<[string, object, string]>([
    ['an offset beyond the end', { offset: 4 }, 'offset must be a whole number from 0 to 3, not 4'],
    ['a negative offset', { offset: -1 }, 'offset must be a whole number from 0 to 3, not -1'],
    ['a fraction', { offset: 0.5 }, 'offset must be'],
    ['NaN', { offset: Number.NaN }, 'offset must be'],
    ['a text', { offset: '1' }, "offset must be a whole number from 0 to 3, not '1'"],
    ['a count beyond the end', { offset: 1, count: 3 }, 'count must be a whole number from 0 to 2, not 3'],
    ['an unknown option', { from: 1 }, "no option 'from'"],
    ['an unknown kind of result', { as: 'text' }, "option 'as' of readTensor must be 'number' or 'bigint'"],
  ])('%s', async (_, options, message) => {
    const reading = readTensor(await file, 'w', options);
    await expect(reading).rejects.toMatchObject({ code: 'bad-option', message: expect.stringContaining(message) });
  });

  test('an unknown name, with the nearest one', async () => {
    const two = await open({ 'layer.weight': f32([1], 1), 'layer.bias': f32([1], 1) });
    await expect(readTensor(two, 'layer.wieght')).rejects.toMatchObject({
      code: 'no-such-tensor',
      message: 'the file has no tensor "layer.wieght"; did you mean "layer.weight"?',
    });
  });

  test('elements that are not numbers, or not 64-bit integers', async () => {
    const bools = await open({ b: { dtype: 'BOOL', shape: [1], bytes: Uint8Array.of(1) } });
    await expect(readTensor(bools, 'b')).rejects.toMatchObject({ code: 'unsupported' });
    await expect(readTensor(await file, 'w', { as: 'bigint' })).rejects.toMatchObject({ code: 'unsupported' });
  });

  test('a tensor that is neither a name nor a tensor', async () => {
    const reading = Reflect.apply(readTensor, null, [await file, 3]);
    await expect(reading).rejects.toMatchObject({ code: 'bad-option' });
  });
});

/**
 * A GGUF file that contains one tensor named `w`, which consists of one Q8_0 block; `at` is the offset of the block in
 * the file.
 */
function ggufWithQ8(): { readonly bytes: Uint8Array; readonly at: number } {
  const text = (word: string): Buffer => Buffer.concat([long(word.length), Buffer.from(word)]);
  const long = (value: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  };
  const word = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  // The magic bytes, the version, the number of tensors and the number of metadata entries, followed by the tensor's
  // name, number of axes, extent, type (8) and offset.
  const header = [Buffer.from('GGUF'), word(3), long(1), long(0), text('w'), word(1), long(32), word(8), long(0)];
  const at = Math.ceil(Buffer.concat(header).length / 32) * 32;
  const bytes = new Uint8Array(at + 34);
  bytes.set(Buffer.concat(header));
  return { bytes, at };
}
