import { describe, expect, test } from 'vitest';
import { type FormatName, formats, formatNames } from '../numerics/formats.ts';
import { type ByteSource, memorySource } from './bytes.ts';
import { dtypeIn, layoutFile } from './layout.ts';
import { type OpenOptions, openTensorFile } from './open.ts';
import { type Container, containerNames } from './containers.ts';
import type { FileLayout, TensorFile } from './tensor-file.ts';

async function written(layout: FileLayout): Promise<Uint8Array> {
  const bytes = new Uint8Array(layout.size);
  bytes.set(layout.header);
  const write = async (offset: number, part: Uint8Array): Promise<void> => bytes.set(part, offset);
  await layout.finish?.({ ...memorySource(bytes), write });
  return bytes;
}

const open = (bytes: Uint8Array, options: OpenOptions = {}): Promise<TensorFile> =>
  openTensorFile(memorySource(bytes), options);

describe('formats in containers', () => {
  test.each([
    ['safetensors', 'tf32 ue5m3 s2f6 u2 u4 s2 s4'],
    ['npy', 'tf32'],
    ['npz', 'tf32'],
    ['gguf', 'tf32 e4m3 e5m2 e2m3 e3m2 e2m1 ue8m0 ue5m3 s2f6 u2 u4 u8 u16 u32 u64 s2 s4'],
    ['raw', ''],
  ] as const)('%s has every one but %s', (container, missing) => {
    const none = formatNames.filter((format) => dtypeIn(container, format) === null);
    expect(none.sort()).toEqual(missing === '' ? [] : missing.split(' ').sort());
  });

  test.each(containerNames)("%s: a format's spelling is read as that format", async (container) => {
    for (const format of formatNames) {
      const dtype = dtypeIn(container, format);
      if (dtype === null) continue;
      const bytes = await written(layoutFile(container, [{ name: 'a', dtype, shape: [4, 8] }]));
      const { tensors } = await open(
        bytes,
        container === 'raw' ? { container, dtype: format, shape: [4, 8] } : { dtype: format },
      );
      expect(tensors).toMatchObject([{ format, dtype, shape: [4, 8], byteLength: bytesOf(container, format) }]);
    }
  });

  /** numpy arrays have no elements narrower than a byte. */
  const bytesOf = (container: Container, format: FormatName): number =>
    container.startsWith('np') ? 32 * Math.ceil(formats[format].width / 8) : 4 * formats[format].width;
});

describe('a container is recognized', () => {
  const plan = { name: 'a', dtype: 'F32', shape: [1] };

  test.each(['safetensors', 'npy', 'npz', 'gguf'] as const)('%s by its first bytes', async (container) => {
    const layout = layoutFile(container, [{ ...plan, dtype: container.startsWith('np') ? '<f4' : 'F32' }]);
    expect((await open(await written(layout), { name: 'other.bin' })).container).toBe(container);
  });

  test.each([
    ['a.safetensors', 'truncated'],
    ['a.NPY', 'truncated'],
    ['a.npz', 'not-this-container'],
    ['a.gguf', 'not-this-container'],
    ['a.txt', 'not-this-container'],
  ])('%s by its extension, if the bytes do not tell', async (name, code) => {
    await expect(open(new Uint8Array(5), { name })).rejects.toMatchObject({ code });
  });

  test('an .npy tensor is named after its file', async () => {
    const bytes = await written(layoutFile('npy', [{ ...plan, dtype: '<f4' }]));
    expect((await open(bytes, { name: '/models/x.y.npy' })).tensors).toMatchObject([{ name: 'x.y' }]);
    expect((await open(bytes)).tensors).toMatchObject([{ name: 'tensor' }]);
  });
});

describe('a model of several files', () => {
  const shard = layoutFile('safetensors', [{ name: 'w', dtype: 'U8', shape: [1] }]);
  const index = new TextEncoder().encode('{"weight_map":{"w":"one.safetensors"}}');

  test('is opened by its index', async () => {
    const bytes = await written(shard);
    const openBeside = async (): Promise<ByteSource> => memorySource(bytes);
    expect((await open(index, { openBeside })).tensors).toMatchObject([{ name: 'w', shard: 'one.safetensors' }]);
  });

  const deep = '['.repeat(1000) + ']'.repeat(1000);
  test.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /the index is empty/],
    ['an object without a weight_map', '{}', /the index has no weight_map/],
    ['a list', '[]', /'\{' expected at character 0/],
    ['a byte order mark', '\ufeff{"weight_map":{}}', /the index begins with a byte order mark/],
    ['what is nested deep', `{"a":${deep}}`, /nested more than 32 deep/],
    ['a safetensors file', new Uint8Array(9).fill(0xff), /not UTF-8/],
    ['itself', '{"weight_map":{"w":"m.safetensors.index.json"}}', /"m\.safetensors\.index\.json", which is an index/],
  ])('whose index is %s', async (_, content, message) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const openBeside = async (): Promise<ByteSource> => memorySource(bytes);
    const name = 'folder/m.safetensors.index.json';
    await expect(open(bytes, { name, openBeside })).rejects.toThrow(message);
  });

  test('whose index begins with a space', async () => {
    const bytes = new TextEncoder().encode(' {"weight_map":{}}');
    const openBeside = async (): Promise<ByteSource> => memorySource(bytes);
    expect((await open(bytes, { name: 'm.safetensors.index.json', openBeside })).tensors).toEqual([]);
  });

  test('cannot be opened without its files', async () => {
    await expect(open(index)).rejects.toMatchObject({ code: 'unsupported' });
  });

  test('a safetensors file whose header has 0x7b bytes is not an index', async () => {
    const header = '{}'.padEnd(0x7b);
    const bytes = new Uint8Array(8 + header.length);
    bytes[0] = header.length;
    bytes.set(new TextEncoder().encode(header), 8);
    expect((await open(bytes)).tensors).toEqual([]);
  });
});

describe('bytes without a header', () => {
  const raw = (size: number, options: OpenOptions): Promise<TensorFile> =>
    open(new Uint8Array(size), { container: 'raw', ...options });

  test.each<[number, OpenOptions, object]>([
    [24, { dtype: 'f32', shape: [2, 3] }, { packing: 'whole', elements: 6 }],
    [3, { dtype: 'e2m1', shape: [2, 3] }, { packing: 'dense', elements: 6 }],
    [6, { dtype: 'e2m1', shape: [2, 3], packing: 'whole' }, { packing: 'whole', byteLength: 6 }],
    [3, { dtype: 'e3m2', shape: [4] }, { packing: 'dense', byteLength: 3 }],
    [1, { dtype: 'u2', shape: [4] }, { packing: 'dense', byteLength: 1 }],
  ])('%d bytes as %j', async (size, options, entry) => {
    expect((await raw(size, options)).tensors).toMatchObject([entry]);
  });

  test.each<[string, number, OpenOptions, string]>([
    ['no dtype', 4, { shape: [1] }, 'unknown-dtype'],
    ['no shape', 4, { dtype: 'f32' }, 'unknown-dtype'],
    ['an unknown format', 4, { dtype: 'toString' as 'f32', shape: [1] }, 'unknown-dtype'],
    ['too few bytes', 3, { dtype: 'f32', shape: [1] }, 'truncated'],
    ['too many bytes', 5, { dtype: 'f32', shape: [1] }, 'bad-offsets'],
    ['half a byte', 2, { dtype: 'e2m1', shape: [3] }, 'bad-shape'],
    ['a fraction', 4, { dtype: 'f32', shape: [0.5] }, 'bad-shape'],
  ])('%s', async (_, size, options, code) => {
    await expect(raw(size, options)).rejects.toMatchObject({ code });
  });
});

test('a container for one tensor is not laid out for two', () => {
  const plans = ['a', 'b'].map((name) => ({ name, dtype: '|u1', shape: [] }));
  expect(() => layoutFile('npy', plans)).toThrow(expect.objectContaining({ code: 'unsupported' }));
});
