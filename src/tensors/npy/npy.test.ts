import { describe, expect, test } from 'vitest';
import { itemSize, type NpyArray, type NpyType, readNpy, writeNpy } from './npy.ts';

const types: readonly NpyType[] = ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'b1'];
const shapes: readonly (readonly number[])[] = [[], [5], [0], [2, 3], [1, 4, 2]];

function sample(type: NpyType, shape: readonly number[]): NpyArray {
  const size = shape.reduce((product, extent) => product * extent, itemSize(type));
  return { type, shape, bytes: Uint8Array.from({ length: size }, (_, i) => (7 * i) & 0xff) };
}

/** A file in numpy's format with the given header text. */
function file(header: string, data: readonly number[] = [], major = 1): Uint8Array {
  const text = new TextEncoder().encode(header);
  const length = major === 1 ? [text.length & 0xff, text.length >> 8] : [text.length, 0, 0, 0];
  return Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, major, 0, ...length, ...text, ...data);
}

function errorOf(bytes: Uint8Array): string {
  const read = readNpy(bytes);
  return read.ok ? 'read' : read.error;
}

describe('written arrays are read back', () => {
  for (const type of types) {
    test.each(shapes.map((shape) => [shape]))(`${type} of shape %j`, (shape) => {
      const array = sample(type, shape);
      expect(readNpy(writeNpy(array))).toEqual({ ok: true, value: array });
    });
  }

  test('an array inside a larger buffer', () => {
    const array = sample('f4', [3]);
    const whole = new Uint8Array(500);
    const written = writeNpy(array);
    whole.set(written, 13);
    expect(readNpy(whole.subarray(13, 13 + written.length))).toEqual({ ok: true, value: array });
  });
});

test('a file has the layout of numpy: data at a multiple of 64, and a newline at the end of the header', () => {
  const written = writeNpy(sample('f4', [2, 3]));
  expect(written.length).toBe(128 + 24);
  const header = new TextDecoder().decode(written.subarray(10, 128));
  expect(header).toMatch(/^\{'descr': '<f4', 'fortran_order': False, 'shape': \(2, 3\), \} +\n$/);
  expect([...written.subarray(0, 10)]).toEqual([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]);
});

test('versions 2 and 3 have longer headers', () => {
  const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n";
  for (const major of [2, 3]) {
    expect(readNpy(file(header, [8, 9], major))).toEqual({
      ok: true,
      value: { type: 'u1', shape: [2], bytes: Uint8Array.of(8, 9) },
    });
  }
});

test('one-dimensional Fortran order is the same as C order', () => {
  const header = "{'descr': '<u2', 'fortran_order': True, 'shape': (1, 2), }";
  expect(readNpy(file(header, [1, 0, 2, 0])).ok).toBe(true);
});

test.each([
  ['not an .npy file', new Uint8Array(100), 'not a .npy file'],
  ['an empty file', new Uint8Array(0), 'not a .npy file'],
  ['an unknown version', file('{}', [], 9), 'unknown .npy version 9'],
  ['a header that ends early', file("{'descr'").slice(0, 14), 'the header is cut off'],
  ['a header without a shape', file("{'descr': '<f4', 'fortran_order': False}"), 'the header cannot be parsed'],
  [
    'complex numbers',
    file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"),
    "element type '<c8' is not supported",
  ],
  [
    'structures',
    file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
    "element type '[('a', '<f4')]' is not supported",
  ],
  ['a shape of words', file("{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}"), 'shape (x,) is not valid'],
  ['a negative shape', file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), 'shape (-1,) is not valid'],
  [
    'data that ends early',
    file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", [1, 2, 3]),
    'the data is cut off: 3 of 8 bytes',
  ],
])('%s is refused', (_, bytes, message) => {
  expect(errorOf(bytes)).toBe(message);
});
