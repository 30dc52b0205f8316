import { gguf as huggingFace } from '@huggingface/gguf';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../test/tensors/refusal.ts';
import { formats } from '../../numerics/formats.ts';
import { ByteWriter } from '../byte-writer.ts';
import { type ByteSource, memorySource, readBytes } from '../bytes.ts';
import { type GgufFile, openGguf } from './gguf.ts';
import { blockRows } from './block-rows.ts';
import { type GgufField, writeField, writeString } from './fields.ts';
import { layoutGguf } from './layout.ts';
import { ggufTypeOf, ggufTypesByName } from './types.ts';

interface Info {
  readonly name: string;
  readonly extents: readonly (number | bigint)[];
  readonly type: number;
  readonly offset: number | bigint;
}

/**
 * A file written by hand: fields, tensors, and some bytes of data, which start after the header at a multiple of 32.
 */
function file(
  infos: readonly Info[],
  data = 0,
  fields: readonly GgufField[] = [],
  counts?: readonly bigint[],
): Uint8Array {
  const writer = new ByteWriter();
  writer.bytes(new TextEncoder().encode('GGUF'));
  writer.u32(3);
  writer.u64(counts?.[0] ?? infos.length);
  writer.u64(counts?.[1] ?? fields.length);
  for (const field of fields) writeField(writer, field);
  for (const { name, extents, type, offset } of infos) {
    writeString(writer, name);
    writer.u32(extents.length);
    for (const extent of extents) writer.u64(extent);
    writer.u32(type);
    writer.u64(offset);
  }
  const bytes = new Uint8Array(Math.ceil(writer.length / 32) * 32 + data);
  bytes.set(writer.toBytes());
  for (let i = 0; i < data; i++) bytes[bytes.length - data + i] = i;
  return bytes;
}

const open = (bytes: Uint8Array): Promise<GgufFile> => openGguf(memorySource(bytes));

const codeOf = async (bytes: Uint8Array): Promise<string> => (await refusalOf(open(bytes))) ?? 'opened';

const fields: readonly GgufField[] = [
  { key: 'general.architecture', type: 'string', items: null, value: 'llama' },
  { key: 'u8', type: 'u8', items: null, value: 255 },
  { key: 's64', type: 's64', items: null, value: -(2n ** 63n) },
  { key: 'f32', type: 'f32', items: null, value: 0.5 },
  { key: 'bool', type: 'bool', items: null, value: true },
  { key: 'words', type: 'array', items: 'string', value: ['', 'ü'] },
  { key: 'bytes', type: 'array', items: 'u8', value: [1, 2] },
  { key: 'none', type: 'array', items: 'f32', value: [] },
];

describe('a file', () => {
  const bytes = file(
    [
      { name: 'a', extents: [3, 2], type: 0, offset: 0 },
      { name: 'blocks', extents: [64], type: 39, offset: 32 },
      { name: 'ours not', extents: [256], type: 15, offset: 96 },
    ],
    388,
    fields,
  );

  test('has tensors with their extents in C order', async () => {
    const { tensors, data } = await open(bytes);
    expect(tensors).toMatchObject([
      { name: 'a', dtype: 'F32', format: 'f32', shape: [2, 3], elements: 6, packing: 'whole', byteLength: 24 },
      { name: 'blocks', dtype: 'MXFP4', format: 'e2m1', shape: [64], elements: 64, packing: 'mxfp4', byteLength: 34 },
      { name: 'ours not', dtype: 'Q8_K', format: 'opaque', shape: [256], packing: 'opaque', byteLength: 292 },
    ]);
    const parts = await Promise.all(tensors.map((entry) => readBytes(data(entry), 1, 2)));
    expect(parts.map((part) => [...part])).toEqual([
      [1, 2],
      [33, 34],
      [97, 98],
    ]);
  });

  test('may have types from a later ggml, whose tensors extend to the start of the next tensor', async () => {
    const later = file(
      [
        { name: 'a', extents: [3], type: 99, offset: 0 },
        { name: 'b', extents: [1], type: 0, offset: 64 },
        { name: 'c', extents: [7], type: 99, offset: 96 },
      ],
      130,
    );
    const { tensors } = await open(later);
    expect(tensors).toMatchObject([
      { name: 'a', dtype: 'type 99', format: 'opaque', packing: 'opaque', elements: 3, byteLength: 64 },
      { name: 'b', dtype: 'F32' },
      { name: 'c', dtype: 'type 99', byteLength: 34 },
    ]);
  });

  test('has metadata with types', async () => {
    const { metadata, fields: read } = await open(bytes);
    expect(read).toEqual(fields);
    expect(metadata).toMatchObject({ 'general.architecture': 'llama', s64: -(2n ** 63n), words: ['', 'ü'] });
  });

  test('with a header of megabytes is read without its data', async () => {
    const words = Array.from({ length: 150_000 }, (_, i) => `word ${i}`);
    const large = file([{ name: 'a', extents: [1], type: 24, offset: 0 }], 1, [
      { key: 'words', type: 'array', items: 'string', value: words },
    ]);
    expect((await open(large)).metadata['words']).toEqual(words);
  });
});

describe('bad files', () => {
  const one = (change: Partial<Info>, data = 64): Uint8Array =>
    file([{ name: 'a', extents: [2], type: 0, offset: 0, ...change }], data);
  const u8: GgufField = { key: 'a', type: 'u8', items: null, value: 1 };

  test.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'not-this-container'],
    ['another file', new Uint8Array(100), 'not-this-container'],
    ['a magic number', new TextEncoder().encode('GGUF'), 'truncated'],
    ['an unknown version', file([]).fill(9, 4, 5), 'unsupported'],
    ['big-endian', file([]).fill(0, 4, 7).fill(3, 7, 8), 'unsupported'],
    ['a count of more tensors than the file has', file([], 0, [], [1000n, 0n]), 'truncated'],
    ['2^64 tensors', file([], 0, [], [2n ** 64n - 1n, 0n]), 'truncated'],
    ['a count of more metadata than the file has', file([], 0, [], [0n, 99_999n]), 'truncated'],
    ['2^64 pairs of metadata', file([], 0, [], [0n, 2n ** 64n - 1n]), 'truncated'],
    ['a key twice', file([], 0, [u8, u8]), 'bad-header'],
    ['a key named version is an ordinary one', file([], 0, [{ ...u8, key: 'version' }]), 'opened'],
    [
      'a key named __proto__ is an ordinary one',
      file([], 0, [{ key: '__proto__', type: 'array', items: 'u8', value: [1] }]),
      'opened',
    ],
    [
      'an alignment that is not a power of two',
      file([], 0, [{ ...u8, key: 'general.alignment', value: 24 }]),
      'bad-header',
    ],
    [
      'a name twice',
      file(
        [
          { name: 'a', extents: [8], type: 0, offset: 0 },
          { name: 'a', extents: [8], type: 0, offset: 32 },
        ],
        64,
      ),
      'duplicate-name',
    ],
    ['an unknown type whose data lies past the end', one({ type: 99, offset: 96 }), 'bad-offsets'],
    ['an extent of 2^40', one({ extents: [2n ** 40n] }), 'truncated'],
    ['five extents', one({ extents: [1n, 1n, 1n, 1n, 1n] }), 'bad-header'],
    ['a product that overflows', one({ extents: [2n ** 32n, 2n ** 32n] }), 'bad-shape'],
    ['half a block', one({ extents: [33], type: 39 }), 'bad-shape'],
    ['half a block in each row', one({ extents: [16, 2], type: 39 }), 'bad-shape'],
    ['half a block of a K-quant', one({ extents: [128], type: 12 }), 'bad-shape'],
    ['half a block of a K-quant in each row', one({ extents: [128, 2], type: 14 }), 'bad-shape'],
    ['a truncated block of a K-quant', one({ extents: [256], type: 12 }, 143), 'truncated'],
    ['an offset that is not aligned', one({ offset: 8 }), 'bad-offsets'],
    ['a gap', one({ offset: 32 }), 'bad-offsets'],
    ['an offset of 2^64', one({ offset: 2n ** 64n - 1n }), 'bad-offsets'],
    [
      'overlapping data',
      file(
        [
          { name: 'a', extents: [9], type: 0, offset: 0 },
          { name: 'b', extents: [8], type: 0, offset: 32 },
        ],
        96,
      ),
      'bad-offsets',
    ],
    ['data that ends early', one({ extents: [16] }, 63), 'truncated'],
  ])('%s', async (_, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code);
  });

  test('a name that is not Unicode', async () => {
    const bytes = one({ name: 'abc' });
    bytes[bytes.indexOf(0x62, 24)] = 0xff;
    expect(await codeOf(bytes)).toBe('bad-header');
  });

  test.each([1 << 20, 4 << 20])('a header that is longer than the first %i bytes read', async (size) => {
    const words: GgufField = {
      key: 'words',
      type: 'array',
      items: 'string',
      value: ['x'.repeat(size), 'the last word'],
    };
    const read = await open(file([], 0, [words]));
    expect(read.fields).toEqual([words]);
  });

  test('a count of more tensors than exist is rejected without parsing zeros', async () => {
    let reads = 0;
    const source = memorySource(file([], 0, [], [10_000_000n, 0n]));
    const counting: ByteSource = {
      size: source.size,
      read(offset, into) {
        reads += 1;
        return source.read(offset, into);
      },
    };
    await expect(openGguf(counting)).rejects.toMatchObject({ code: 'truncated' });
    expect(reads).toBeLessThan(5);
  });

  test('a file truncated anywhere', async () => {
    const whole = file([{ name: 'a', extents: [8], type: 0, offset: 0 }], 32, fields);
    for (let length = 24; length < whole.length; length += 7)
      expect(['truncated', 'bad-header']).toContain(await codeOf(whole.subarray(0, length)));
  });
});

describe('a planned file', () => {
  const plans = [
    { name: 'a', dtype: 'BF16', shape: [2, 3] },
    { name: 'b', dtype: 'NVFP4', shape: [3, 128] },
    { name: 'c', dtype: 'Q8_0', shape: [32] },
    { name: 'd', dtype: 'F64', shape: [] },
  ];
  const layout = layoutGguf(plans, fields);
  const bytes = new Uint8Array(layout.size);
  bytes.set(layout.header);

  test('is read back', async () => {
    const read = await open(bytes);
    expect(read.tensors).toEqual(layout.tensors);
    expect(read.fields).toEqual(fields);
  });

  test('is read by @huggingface/gguf', async () => {
    const { metadata, tensorInfos, tensorDataOffset } = await huggingFace('https://localhost/', {
      fetch: () => Promise.resolve(new Response(bytes)),
    });
    expect(metadata).toMatchObject({ version: 3, tensor_count: 4n, u8: 255, words: ['', 'ü'] });
    expect(tensorInfos.map(({ name, shape }) => [name, shape])).toEqual([
      ['a', [3n, 2n]],
      ['b', [128n, 3n]],
      ['c', [32n]],
      ['d', []],
    ]);
    const offsets = tensorInfos.map(({ offset }) => Number(tensorDataOffset + offset));
    expect(offsets).toEqual(layout.tensors.map(({ offset }) => offset));
  });

  test.each<[string, Parameters<typeof layoutGguf>, string]>([
    ['a name twice', [[...plans, ...plans]], 'duplicate-name'],
    ['a key twice', [[], [...fields, ...fields]], 'duplicate-name'],
    ['a long name', [[{ name: 'x'.repeat(64), dtype: 'F32', shape: [] }]], 'bad-header'],
    ['five extents', [[{ name: 'x', dtype: 'F32', shape: [1, 1, 1, 1, 1] }]], 'bad-shape'],
    ['half a block', [[{ name: 'x', dtype: 'MXFP4', shape: [2, 16] }]], 'bad-shape'],
    ['an unknown type', [[{ name: 'x', dtype: 'F8_E4M3', shape: [1] }]], 'unknown-dtype'],
    ['a value too large', [[], [{ key: 'x', type: 'u8', items: null, value: 256 }]], 'bad-header'],
    ['a value of the wrong type', [[], [{ key: 'x', type: 'string', items: null, value: 1 }]], 'bad-header'],
  ])('%s is refused', (_, args, code) => {
    expect(() => layoutGguf(...args)).toThrow(expect.objectContaining({ code }));
  });
});

test('the tables of types and blocks agree with each other and with the formats', () => {
  for (const { name, blockElements, blockBytes, packing, format } of ggufTypesByName.values()) {
    if (packing === 'opaque' || format === 'opaque') continue;
    if (packing === 'whole') {
      expect([name, blockElements, blockBytes * 8]).toEqual([name, 1, formats[format].width]);
      expect(ggufTypeOf(format)).toBe(name);
    } else if (packing !== 'dense') {
      const { elements, bytes, code } = blockRows[packing];
      expect([name, elements, bytes, code]).toEqual([name, blockElements, blockBytes, format]);
    }
  }
});
