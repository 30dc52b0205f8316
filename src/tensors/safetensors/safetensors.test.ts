import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../test/tensors/refusal.ts';
import { memorySource, readBytes } from '../bytes.ts';
import { openSafetensors } from './safetensors.ts';
import { layoutSafetensors } from './layout.ts';
import type { TensorFile, TensorPlan } from '../tensor-file.ts';

/** A file with the given header and `data` bytes of data: 0, 1, 2, … */
function file(header: string | Uint8Array, data = 0, length?: bigint): Uint8Array {
  const text = typeof header === 'string' ? new TextEncoder().encode(header) : header;
  const bytes = new Uint8Array(8 + text.length + data);
  new DataView(bytes.buffer).setBigUint64(0, length ?? BigInt(text.length), true);
  bytes.set(text, 8);
  for (let i = 0; i < data; i++) bytes[8 + text.length + i] = i;
  return bytes;
}

const open = (bytes: Uint8Array): Promise<TensorFile> => openSafetensors(memorySource(bytes));

const codeOf = async (bytes: Uint8Array): Promise<string> => (await refusalOf(open(bytes))) ?? 'opened';

test('names, types, shapes and data', async () => {
  const { tensors, metadata, data } = await open(
    file(
      '{"__metadata__":{"format":"pt","":"x"},"b":{"dtype":"U8","shape":[],"data_offsets":[12,13]},' +
        '"a":{"shape":[2,3],"data_offsets":[0,12],"dtype":"BF16"}}  ',
      13,
    ),
  );
  expect(metadata).toEqual({ format: 'pt', '': 'x' });
  expect(tensors).toMatchObject([
    { name: 'b', dtype: 'U8', format: 'u8', shape: [], elements: 1, packing: 'whole', byteLength: 1 },
    { name: 'a', dtype: 'BF16', format: 'bf16', shape: [2, 3], elements: 6, packing: 'whole', byteLength: 12 },
  ]);
  const [b, a] = tensors;
  if (a === undefined || b === undefined) throw new Error('two tensors');
  expect([...(await readBytes(data(a), 10, 2))]).toEqual([10, 11]);
  expect([...(await readBytes(data(b), 0, 1))]).toEqual([12]);
  await expect(readBytes(data(a), 10, 3)).rejects.toMatchObject({ code: 'truncated' });
});

test('a file without tensors matches that of the reference implementation', () => {
  expect([...layoutSafetensors([]).header]).toEqual([8, 0, 0, 0, 0, 0, 0, 0, 123, 125, 32, 32, 32, 32, 32, 32]);
});

test('a name that is special on JavaScript objects is an ordinary name', async () => {
  const header = '{"__proto__":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"__metadata__":{"__proto__":"x"}}';
  const { tensors, metadata } = await open(file(header, 1));
  expect(tensors.map(({ name }) => name)).toEqual(['__proto__']);
  expect(Object.entries(metadata)).toEqual([['__proto__', 'x']]);
});

describe('data that does not fill whole bytes', () => {
  const one = (dtype: string, shape: string, bytes: number): Uint8Array =>
    file(`{"a":{"dtype":"${dtype}","shape":${shape},"data_offsets":[0,${bytes}]}}`, bytes);

  test.each([
    ['F4', '[2,3]', 3, 'opened'],
    ['F4', '[3]', 2, 'bad-shape'],
    ['F4', '[3]', 1, 'bad-shape'],
    ['F6_E2M3', '[8]', 6, 'opened'],
    ['F6_E3M2', '[4,3]', 9, 'opened'],
    ['F6_E3M2', '[4,3]', 12, 'bad-offsets'],
    ['F6_E2M3', '[6]', 5, 'bad-shape'],
    ['F8_E8M0', '[5]', 5, 'opened'],
    ['F8_E4M3FNUZ', '[5]', 5, 'opened'],
    ['F32', '[0,7]', 0, 'opened'],
  ])('%s of shape %s in %d bytes: %s', async (dtype, shape, bytes, code) => {
    expect(await codeOf(one(dtype, shape, bytes))).toBe(code);
  });
});

describe('each kind of bad file has its own error', () => {
  const u8 = (offsets: string, shape = '[1]'): string => `{"dtype":"U8","shape":${shape},"data_offsets":${offsets}}`;

  test.each<[string, Uint8Array, string]>([
    ['no bytes', new Uint8Array(0), 'truncated'],
    ['half a length', new Uint8Array(7), 'truncated'],
    ['a header longer than the file', file('{}', 0, 100n), 'truncated'],
    ['a header of 2^63 bytes', file('{}', 0, 2n ** 63n), 'header-too-large'],
    ['a header of 100 MB and one byte', file('{}', 0, 100_000_001n), 'header-too-large'],
    ['no header', file(''), 'bad-header'],
    ['white space before the header', file(' {}'), 'bad-header'],
    ['a list', file('[]'), 'bad-header'],
    ['not JSON', file('{"a":'), 'bad-header'],
    ['a string without end', file('{"a\\"'), 'bad-header'],
    ['a comma too many', file('{"__metadata__":{"a":"b",}}'), 'bad-header'],
    ['something after it', file('{}x'), 'bad-header'],
    ['bytes that are not UTF-8', file(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d)), 'bad-header'],
    ['half a character', file(`{"\\ud800":${u8('[0,1]')}}`, 1), 'bad-header'],
    ['metadata that is not a string', file('{"__metadata__":{"a":1}}'), 'bad-header'],
    ['metadata twice', file('{"__metadata__":{},"__metadata__":{}}'), 'duplicate-name'],
    ['a name twice', file(`{"a":${u8('[0,1]')},"a":${u8('[1,2]')}}`, 2), 'duplicate-name'],
    ['a duplicate name, escaped once', file(`{"a":${u8('[0,1]')},"\\u0061":${u8('[1,2]')}}`, 2), 'duplicate-name'],
    ['a key twice', file('{"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}', 1), 'duplicate-name'],
    ['an unknown key', file('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}}', 1), 'bad-header'],
    ['no shape', file('{"a":{"dtype":"U8","data_offsets":[0,1]}}', 1), 'bad-header'],
    ['three offsets', file(`{"a":${u8('[0,1,1]')}}`, 1), 'bad-header'],
    ['an unknown dtype', file('{"a":{"dtype":"F3","shape":[1],"data_offsets":[0,1]}}', 1), 'unknown-dtype'],
    ['a negative extent', file(`{"a":${u8('[0,1]', '[-1]')}}`, 1), 'bad-header'],
    ['a fraction', file(`{"a":${u8('[0,1]', '[1.0]')}}`, 1), 'bad-header'],
    ['an exponent', file(`{"a":${u8('[0,1]', '[1e0]')}}`, 1), 'bad-header'],
    ['a leading zero', file(`{"a":${u8('[0,1]', '[01]')}}`, 1), 'bad-header'],
    ['2^53', file(`{"a":${u8('[0,1]', '[9007199254740992]')}}`, 1), 'bad-header'],
    ['a product that overflows', file(`{"a":${u8('[0,1]', '[4294967296,4294967296]')}}`, 1), 'bad-shape'],
    [
      'bytes that overflow',
      file('{"a":{"dtype":"F64","shape":[9007199254740991],"data_offsets":[0,1]}}', 1),
      'bad-shape',
    ],
    ['a hundred extents', file(`{"a":${u8('[0,1]', `[${Array(100).fill(1)}]`)}}`, 1), 'bad-shape'],
    ['offsets that go backwards', file(`{"a":${u8('[1,0]')}}`, 1), 'bad-offsets'],
    ['a length that does not match the shape', file(`{"a":${u8('[0,2]')}}`, 2), 'bad-offsets'],
    ['overlapping data', file(`{"a":${u8('[0,2]', '[2]')},"b":${u8('[1,3]', '[2]')}}`, 3), 'bad-offsets'],
    ['a gap', file(`{"a":${u8('[0,1]')},"b":${u8('[2,3]')}}`, 3), 'bad-offsets'],
    ['bytes of nobody', file(`{"a":${u8('[0,1]')}}`, 2), 'bad-offsets'],
    ['data that ends early', file(`{"a":${u8('[0,9]', '[9]')}}`, 8), 'truncated'],
  ])('%s', async (_, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code);
  });

  test('a name of many megabytes is read and not repeated in the message', async () => {
    const name = '\\n'.repeat(2_000_000);
    await expect(open(file(`{"${name}":{"dtype":"F3","shape":[],"data_offsets":[0,0]}}`))).rejects.toThrow(
      /^.{1,300}$/,
    );
  });

  test('a thousand nested lists are refused', async () => {
    expect(await codeOf(file(`{"a":${'['.repeat(1_000_000)}`))).toBe('bad-header');
  });
});

describe('planned files are read back', () => {
  const bias: TensorPlan = { name: 'bias', dtype: 'F4', shape: [2, 3] };
  const plans: TensorPlan[] = [
    bias,
    { name: 'a', dtype: 'U8', shape: [5] },
    { name: 'ü "quoted"\n', dtype: 'F64', shape: [] },
    { name: 'empty', dtype: 'F32', shape: [4, 0] },
  ];

  test('every tensor, aligned to its elements', async () => {
    const layout = layoutSafetensors(plans, { format: 'pt' });
    const bytes = new Uint8Array(layout.size);
    bytes.set(layout.header);
    const read = await open(bytes);
    expect(read.metadata).toEqual({ format: 'pt' });
    expect(read.tensors).toEqual(layout.tensors);
    expect(read.tensors.map(({ name }) => name)).toEqual(['ü "quoted"\n', 'empty', 'a', 'bias']);
    expect(layout.header.length % 8).toBe(0);
    expect(read.tensors[0]?.offset).toBe(layout.header.length);
  });

  test.each<[string, TensorPlan[], string]>([
    ['a name twice', [bias, bias], 'duplicate-name'],
    ['the name of the metadata', [{ name: '__metadata__', dtype: 'U8', shape: [] }], 'duplicate-name'],
    ['an unknown dtype', [{ name: 'a', dtype: 'MXFP4', shape: [] }], 'unknown-dtype'],
    ['half a byte', [{ name: 'a', dtype: 'F4', shape: [3] }], 'bad-shape'],
    ['a negative extent', [{ name: 'a', dtype: 'U8', shape: [-1] }], 'bad-shape'],
    ['half a character', [{ name: '\ud800', dtype: 'U8', shape: [] }], 'bad-header'],
  ])('%s is refused', (_, bad, code) => {
    expect(() => layoutSafetensors(bad)).toThrow(expect.objectContaining({ code }));
  });
});
