import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../test/tensors/refusal.ts';
import { memorySource, readBytes } from '../bytes.ts';
import { npyDescr } from './dtypes.ts';
import { layoutNpy, openNpy } from './file.ts';
import { readNpy } from './npy.ts';
import type { TensorEntry } from '../tensor-file.ts';

function file(header: string, data: number, major = 1): Uint8Array {
  const text = new TextEncoder().encode(header);
  const length = major === 1 ? [text.length & 0xff, text.length >> 8] : [text.length, 0, 0, 0];
  const start = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, major, 0, ...length];
  const bytes = new Uint8Array(start.length + text.length + data);
  bytes.set(start);
  bytes.set(text, start.length);
  return bytes;
}

const array = (descr: string, shape: string, data: number, order = 'False'): Uint8Array =>
  file(`{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`, data);

async function entryOf(bytes: Uint8Array, assumed?: string): Promise<TensorEntry> {
  const [entry] = (await openNpy(memorySource(bytes), 'a', assumed)).tensors;
  if (entry === undefined) throw new Error('one tensor');
  return entry;
}

const codeOf = async (bytes: Uint8Array, assumed?: string): Promise<string> =>
  (await refusalOf(entryOf(bytes, assumed))) ?? 'opened';

describe('element types', () => {
  test.each([
    ['<f2', 2, 'f16'],
    ['<f8', 8, 'f64'],
    ['|i1', 1, 's8'],
    ['<u8', 8, 'u64'],
    ['>u1', 1, 'u8'],
    ['|b1', 1, 'opaque'],
    ['<c8', 8, 'opaque'],
    ['<f16', 16, 'opaque'],
    ['<U3', 12, 'opaque'],
    ['<M8[ns]', 8, 'opaque'],
    ['f4', 4, 'f32'],
    ['i8', 8, 's64'],
    ['u1', 1, 'u8'],
    ['=f2', 2, 'f16'],
    ['V2', 2, 'bf16'],
    ['|b1', 1, 'opaque'],
    ['?', 1, 'opaque'],
    ['|?', 1, 'opaque'],
    ['<f16', 16, 'opaque'],
    ['<c16', 16, 'opaque'],
    ['<U3', 12, 'opaque'],
    ['|S5', 5, 'opaque'],
    ['|V1', 1, 'opaque'],
    ['|V2', 2, 'bf16'],
    ['<V2', 2, 'bf16'],
    ['<f1', 1, 'e5m2'],
    ['bfloat16', 2, 'bf16'],
    ['float8_e4m3fn', 1, 'e4m3'],
    ['float8_e4m3', 1, 'opaque'],
    ['float8_e3m4', 1, 'opaque'],
    ['float8_e4m3fnuz', 1, 'opaque'],
    ['float8_e5m2fnuz', 1, 'opaque'],
    ['float4_e2m1fn', 1, 'e2m1'],
  ])('%s: %d bytes, %s', async (descr, bytes, format) => {
    expect(await entryOf(array(descr, '(3,)', 3 * bytes))).toMatchObject({
      dtype: descr,
      format,
      packing: format === 'opaque' ? 'opaque' : 'whole',
      byteLength: 3 * bytes,
    });
  });

  test('bytes without a known type have the format that the caller names', async () => {
    expect(await entryOf(array('|V1', '(3,)', 3), 'e4m3')).toMatchObject({ dtype: '|V1', format: 'e4m3' });
    expect(await entryOf(array('|V1', '(3,)', 3), 'float8_e8m0fnu')).toMatchObject({ format: 'ue8m0' });
    expect(await codeOf(array('|V2', '(3,)', 6), 'e4m3')).toBe('bad-header');
    expect(await codeOf(array('|V1', '(3,)', 3), 'e9m9')).toBe('unknown-dtype');
    expect(await entryOf(array('<f4', '(3,)', 12), 'e4m3')).toMatchObject({ format: 'f32' });
  });

  test.each([
    ['f32', '<f4', '<f4'],
    ['u8', '|u1', '|u1'],
    ['bf16', '<V2', 'bfloat16'],
    ['e5m2', '|V1', 'float8_e5m2'],
    ['e2m1', '|V1', 'float4_e2m1fn'],
    ['s4', '|V1', 'int4'],
    ['s2f6', '|V1', '|V1'],
    ['tf32', null, null],
  ] as const)('%s is written as %s, or by name as %s', (format, bytes, name) => {
    expect([npyDescr(format), npyDescr(format, 'names')]).toEqual([bytes, name]);
  });
});

test('files of any shape are read back as planned', async () => {
  for (const shape of [[], [0], [5], [2, 3], [1, 4, 2]]) {
    const layout = layoutNpy({ name: 'a', dtype: '<f4', shape });
    const bytes = new Uint8Array(layout.size);
    bytes.set(layout.header);
    expect([await entryOf(bytes)]).toEqual(layout.tensors);
    expect(layout.header.length % 64).toBe(0);
  }
});

test('data is read on demand', async () => {
  const bytes = array('|u1', '(3,)', 3);
  bytes.set([7, 8, 9], bytes.length - 3);
  const { data } = await openNpy(memorySource(bytes), 'a');
  expect([...(await readBytes(data(await entryOf(bytes)), 1, 2))]).toEqual([8, 9]);
});

describe('bad files', () => {
  test.each<[string, Uint8Array, string]>([
    ['no bytes', new Uint8Array(0), 'truncated'],
    ['another file', new Uint8Array(100), 'not-this-container'],
    ['an unknown version', file('{}', 0, 9), 'unsupported'],
    ['a header cut off', array('<f4', '(1,)', 0).slice(0, 50), 'truncated'],
    [
      'a header of megabytes',
      file(' '.repeat(2 ** 16), 2 ** 24, 2).map((b, i) => (i === 11 ? 0 : i === 10 ? 0xff : b)),
      'header-too-large',
    ],
    ['no literal', file('xx', 0), 'bad-header'],
    ['an empty literal', file('{}', 0), 'bad-header'],
    ['a key twice', file("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4), 'bad-header'],
    ['a key too many', file("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': (), }", 4), 'bad-header'],
    ['text after it', file("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", 4), 'bad-header'],
    ['a structure', file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }", 4), 'unsupported'],
    [
      'nested structures',
      file("{'descr': [('a', [('b', '<f4', (2,))])], 'fortran_order': False, 'shape': ()}", 8),
      'unsupported',
    ],
    ...['<f3', '<f0', '<i3', '<u7', '<i16', '|b2', '<c4', '<x4', '<M4', 'f04'].map(
      (descr): [string, Uint8Array, string] => [
        `not a numpy type, ${descr}`,
        array(descr, '(1,)', 16),
        'unknown-dtype',
      ],
    ),
    ['objects', array('|O', '(1,)', 8), 'unsupported'],
    ['a unit on a type that is not a time', array('<c16[ns]', '(1,)', 16), 'unsupported'],
    ['an unknown type', array('float9', '(1,)', 8), 'unsupported'],
    ['a type named like a property of Object.prototype', array('constructor', '(1,)', 8), 'unsupported'],
    ['a type too large', array('|V99999999999999999999', '(1,)', 8), 'bad-header'],
    ['a negative extent', array('<f4', '(-1,)', 0), 'bad-header'],
    ['a number instead of a tuple', array('<f4', '(1)', 4), 'bad-header'],
    ['2^53', array('<f4', '(9007199254740992,)', 0), 'bad-header'],
    ['a product that overflows', array('<f4', '(4294967296, 4294967296)', 0), 'bad-shape'],
    ['data that ends early', array('<f4', '(2,)', 7), 'truncated'],
    ['more data than elements', array('<f4', '(2,)', 9), 'bad-offsets'],
  ])('%s', async (_, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code);
  });

  // The value of each element consists of its indices as decimal digits: 10 * i + j, or 100 * i + 10 * j + k.
  test.each([
    ['(2, 3)', [0, 10, 1, 11, 2, 12], [0, 1, 2, 10, 11, 12]],
    ['(2, 1, 2)', [0, 100, 1, 101], [0, 1, 100, 101]],
    ['(2, 2, 2)', [0, 100, 10, 110, 1, 101, 11, 111], [0, 1, 10, 11, 100, 101, 110, 111]],
    ['(0, 5)', [], []],
  ])('an array %s in Fortran order is read in C order', async (shape, stored, expected) => {
    const bytes = array('<u2', shape, 2 * stored.length, 'True');
    bytes.set(new Uint8Array(Uint16Array.from(stored).buffer), bytes.length - 2 * stored.length);
    const opened = await openNpy(memorySource(bytes), 'a');
    const [entry] = opened.tensors;
    if (entry === undefined) throw new Error('one tensor');
    const read = await readBytes(opened.data(entry), 0, entry.byteLength);
    expect([...new Uint16Array(read.buffer)]).toEqual(expected);
    const inMemory = readNpy(bytes);
    expect(inMemory.ok && [...inMemory.value.bytes]).toEqual([...read]);
    const whole = opened.data(entry);
    if (expected.length > 2) expect([...(await readBytes(whole, 2, 3))]).toEqual([...read.subarray(2, 5)]);
  });

  test.each([
    ['>i2', '(2,)', [1, 2, 3, 4], '<i2', [2, 1, 4, 3]],
    ['>f4', '(2,)', [1, 2, 3, 4, 5, 6, 7, 8], '<f4', [4, 3, 2, 1, 8, 7, 6, 5]],
    ['>c8', '(1,)', [1, 2, 3, 4, 5, 6, 7, 8], '<c8', [4, 3, 2, 1, 8, 7, 6, 5]],
    ['>U1', '(1,)', [1, 2, 3, 4], '<U1', [4, 3, 2, 1]],
    ['>S2', '(1,)', [1, 2], '>S2', [1, 2]],
    ['>u1', '(2,)', [1, 2], '>u1', [1, 2]],
  ] as const)('%s is read little-endian', async (descr, shape, stored, dtype, expected) => {
    const bytes = array(descr, shape, stored.length);
    bytes.set(stored, bytes.length - stored.length);
    const { tensors, data } = await openNpy(memorySource(bytes), 'a');
    const [entry] = tensors as [TensorEntry];
    expect(entry.dtype).toBe(dtype);
    expect([...(await readBytes(data(entry), 0, stored.length))]).toEqual(expected);
    expect([...(await readBytes(data(entry), 1, stored.length - 1))]).toEqual(expected.slice(1));
    const inMemory = readNpy(bytes);
    if (inMemory.ok) expect([...inMemory.value.bytes]).toEqual(expected);
  });

  test('a big-endian array in Fortran order', async () => {
    const bytes = array('>u2', '(2, 2)', 8, 'True');
    bytes.set([0, 1, 0, 3, 0, 2, 0, 4], bytes.length - 8);
    const { tensors, data } = await openNpy(memorySource(bytes), 'a');
    const [entry] = tensors as [TensorEntry];
    expect([...(await readBytes(data(entry), 0, 8))]).toEqual([1, 0, 2, 0, 3, 0, 4, 0]);
  });

  test('an array in Fortran order of more than 1 GiB is refused', async () => {
    const header = array('<f4', '(2, 134217729)', 0, 'True');
    const read = (offset: number, into: Uint8Array): Promise<void> =>
      Promise.resolve(into.set(header.subarray(offset, offset + into.length)));
    expect(await refusalOf(openNpy({ size: header.length + 2 ** 30 + 8, read }, 'a'))).toBe('unsupported');
  });

  test('files from numpy on Python 2, version 3, and one-dimensional Fortran order', async () => {
    expect(await codeOf(array('<f4', '(2L, 1L)', 8))).toBe('opened');
    expect(await codeOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 8, 3))).toBe('opened');
    expect(await codeOf(array('<f4', '(1, 2)', 8, 'True'))).toBe('opened');
  });
});
