/** Copies of boxes that convert, pack or spread elements, and copies with swizzles of 96 and 128 bytes. */
import { describe, expect, test } from 'vitest';
import { Device, type LaunchResult, tensorMap, type TensorMapOptions } from '../../src/device.ts';
import { boxKernel, mostBoxBytes } from './box-kernel.ts';
import { ways } from './run.ts';

type Given = Omit<TensorMapOptions, 'tensor'>;

interface Copied {
  readonly result: LaunchResult;
  readonly tensor: Uint8Array;
  readonly box: Uint8Array;
}

/** Copies a box that begins at the given coordinates. `size` is its size in shared memory. */
async function copy(
  given: Given,
  [tensor, box]: readonly [Uint8Array, Uint8Array],
  {
    isLoad,
    size,
    arriving = size,
    at = given.dimensions.map(() => 0),
  }: {
    readonly isLoad: boolean;
    readonly size: number;
    readonly arriving?: number;
    readonly at?: readonly number[];
  },
  way: object,
): Promise<Copied> {
  const device = await Device.create({ gpu: 'H100' });
  const [inTensor, inBox] = [device.alloc(tensor), device.alloc(box)];
  const map = tensorMap({ ...given, tensor: inTensor });
  const kernel = device.load(boxKernel({ dimensions: at.length, isLoad })).kernel('k');
  const result = await kernel.launch({ args: [map, inBox, size, arriving, ...at], ...way });
  return { result, tensor: inTensor.read(), box: inBox.read() };
}

const bytesOf = (words: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(words).buffer);
const wordsOf = (bytes: Uint8Array): readonly number[] => [...new Uint32Array(bytes.slice().buffer)];
const pattern = (bytes: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => (Math.imul(i + seed, 2654435761) >>> 13) & 0xff);

/** Numbers as f32 bits, and the tf32 bits to which they are rounded. Subnormal numbers are never flushed to zero. */
const floats = [
  { name: 'exact', f32: 0x3f80_0000, tf32: 0x3f80_0000 },
  { name: 'below half', f32: 0x3f80_0fff, tf32: 0x3f80_0000 },
  { name: 'a tie to even, down', f32: 0x3f80_1000, tf32: 0x3f80_0000 },
  { name: 'above half', f32: 0x3f80_1001, tf32: 0x3f80_2000 },
  { name: 'a tie to even, up', f32: 0xbf80_3000, tf32: 0xbf80_4000 },
  { name: 'to the next power of two', f32: 0x3fff_f000, tf32: 0x4000_0000 },
  { name: 'to infinity', f32: 0x7f7f_ffff, tf32: 0x7f80_0000 },
  { name: 'infinity', f32: 0xff80_0000, tf32: 0xff80_0000 },
  { name: 'a NaN with low bits only', f32: 0x7f80_0001, tf32: 0x7fff_e000 },
  { name: 'a NaN', f32: 0xffc0_1234, tf32: 0x7fff_e000 },
  { name: 'negative zero', f32: 0x8000_0000, tf32: 0x8000_0000 },
  { name: 'a subnormal number', f32: 0x8012_3456, tf32: 0x8012_4000 },
  { name: 'the smallest number', f32: 0x0000_0001, tf32: 0x0000_0000 },
  { name: 'the largest subnormal number', f32: 0x007f_ffff, tf32: 0x0080_0000 },
];

/** For each 4-byte type, the expected bits in shared memory. */
const converted = {
  f32: ({ f32 }) => f32,
  'f32.ftz': ({ f32 }) => f32,
  tf32: ({ tf32 }) => tf32,
  'tf32.ftz': ({ tf32 }) => tf32,
} satisfies Partial<Record<Given['type'], (one: (typeof floats)[number]) => number>>;

const swizzles: readonly (readonly [
  string,
  Required<Given>['swizzle'],
  Required<Given>['swizzleAtom'],
  (at: number) => number,
])[] = [
  ['96 bytes', 96, 16, (at) => at ^ (((at >> 7) & 1) << 4)],
  ['128 bytes, of which 32 stay together', 128, 32, (at) => at ^ (((at >> 7) & 3) << 5)],
  ['128 bytes, of which 64 stay together', 128, 64, (at) => at ^ (((at >> 7) & 1) << 6)],
];

const flipped = (at: number): number => at ^ (((at >> 7) & 3) << 5) ^ (((at >> 7) & 1) << 3);

describe.each(Object.entries(ways))('%s', (_, way) => {
  test.each(Object.entries(converted))(
    'elements of type %s are converted on their way to shared memory',
    async (type, of) => {
      const words = Array.from({ length: 16 }, (__, i) => floats[i] ?? { name: '', f32: 0, tf32: 0 });
      const given: Given = { type: type as Given['type'], dimensions: [16], box: [16] };
      const tensor = bytesOf(words.map(({ f32 }) => f32));
      const { result, box } = await copy(given, [tensor, new Uint8Array(64)], { isLoad: true, size: 64 }, way);
      expect(result).toMatchObject({ ok: true });
      expect(wordsOf(box)).toEqual(words.map(of));
    },
  );

  test.each(Object.keys(converted))('elements of type %s keep their bits on their way to a tensor', async (type) => {
    const words = Array.from({ length: 16 }, (__, i) => floats[i]?.f32 ?? 0);
    const given: Given = { type: type as Given['type'], dimensions: [16], box: [16] };
    const copied = await copy(given, [new Uint8Array(64), bytesOf(words)], { isLoad: false, size: 64 }, way);
    expect(copied.result).toMatchObject({ ok: true });
    expect(wordsOf(copied.tensor)).toEqual(words);
  });

  test.each([true, false])('b4x16 is copied as it is (to shared memory: %s)', async (isLoad) => {
    const given: Given = { type: 'b4x16', dimensions: [128, 4], box: [64, 2] };
    const [tensor, box] = [pattern(256, 1), pattern(64, 5)];
    const copied = await copy(given, [tensor, box], { isLoad, size: 64, at: [96, 1] }, way);
    expect(copied.result).toMatchObject({ ok: true });
    for (let row = 0; row < 2; row++) {
      for (let i = 0; i < 32; i++) {
        const place = 64 * (row + 1) + 48 + i;
        // Only 16 bytes of each row of the box are inside the tensor.
        const isInside = i < 16;
        if (isLoad) expect(copied.box[32 * row + i]).toBe(isInside ? tensor[place] : 0);
        else if (isInside) expect(copied.tensor[place]).toBe(box[32 * row + i]);
      }
    }
  });

  test.each([
    ['b4x16_p64', 8, 0],
    ['b4x16_p64', 8, 128],
    ['b6x16_p32', 12, 0],
    ['b6x16_p32', 12, 128],
  ] as const)('%s is spread: groups of %d bytes, swizzle %d', async (type, bytes, swizzle) => {
    const rowBytes = 16 * bytes;
    const given: Given = { type, dimensions: [256, 6], box: [128, 4], swizzle };
    const tensor = pattern(6 * rowBytes, 3);
    const options = { isLoad: true, size: 512, arriving: 4 * 8 * bytes, at: [128, 3] };
    // The padding is not written, and reading it from shared memory would be a fault on the reference engine.
    const { result, box } = await copy(given, [tensor, new Uint8Array(512)], options, {
      ...way,
      uninitialized: 'zero',
    });
    expect(result).toMatchObject({ ok: true });
    for (let at = 0; at < 512; at++) {
      const [row, group, byte] = [at >> 7, (at >> 4) & 7, at & 15];
      // Only three rows of the box are inside the tensor. The padding was zero before the copy.
      const isCopied = byte < bytes && row < 3;
      const place = swizzle === 0 ? at : at ^ (((at >> 7) & 7) << 4);
      expect(box[place]).toBe(isCopied ? tensor[(row + 3) * rowBytes + (8 + group) * bytes + byte] : 0);
    }
  });

  test('elements of 6 bits are packed on their way to a tensor', async () => {
    const given: Given = { type: 'b6x16_p32', dimensions: [128, 2], box: [128, 2] };
    const box = pattern(256, 9);
    const copied = await copy(given, [new Uint8Array(192), box], { isLoad: false, size: 256 }, way);
    expect(copied.result).toMatchObject({ ok: true });
    const bits = [...box].map((byte) => (byte & 0x3f).toString(2).padStart(6, '0'));
    const expected = bits.reverse().join('');
    const found = [...copied.tensor].reverse().map((byte) => byte.toString(2).padStart(8, '0'));
    expect(found.join('')).toBe(expected);
  });

  describe.each(swizzles)('a swizzle of %s', (__, swizzle, swizzleAtom, place) => {
    test.each([true, false])('to shared memory: %s', async (isLoad) => {
      const columns = swizzle === 96 ? 48 : 64;
      const size = 2 * columns * 16;
      const given: Given = { type: 'f16', dimensions: [columns, 16], box: [columns, 16], swizzle, swizzleAtom };
      const [tensor, box] = [pattern(size, 1), pattern(mostBoxBytes, 2)];
      const copied = await copy(given, [tensor, box], { isLoad, size }, way);
      expect(copied.result).toMatchObject({ ok: true });
      const inBox = isLoad ? copied.box : box;
      const inTensor = isLoad ? tensor : copied.tensor;
      expect([...inTensor]).toEqual(Array.from({ length: size }, (___, at) => inBox[place(at)]));
    });
  });

  test('a swizzle of 128 bytes that exchanges halves', async () => {
    const given: Given = { type: 'f32', dimensions: [32, 16], box: [32, 16], swizzle: 128, swizzleAtom: '32-flip-8' };
    const tensor = pattern(2048, 1);
    const copied = await copy(given, [tensor, new Uint8Array(2048)], { isLoad: true, size: 2048 }, way);
    expect(copied.result).toMatchObject({ ok: true });
    expect([...tensor]).toEqual(Array.from({ length: 2048 }, (__, at) => copied.box[flipped(at)]));
  });

  test.each([
    ['elements of type b4x16_p64', { type: 'b4x16_p64', dimensions: [128], box: [128] }],
    [
      'exchanges the 8-byte halves of every 16 bytes',
      { type: 'u8', dimensions: [128], box: [128], swizzle: 128, swizzleAtom: '32-flip-8' },
    ],
  ] as const)('a map that cannot be used for copies to a tensor: %s', async (words, given) => {
    const copied = await copy(given, [new Uint8Array(128), new Uint8Array(128)], { isLoad: false, size: 128 }, way);
    const message = expect.stringMatching(`${words}, so it can only be used for copies to shared memory`) as string;
    expect(copied.result).toMatchObject({ ok: false, fault: { code: 'PTX6035', message } });
  });

  test.each([
    ['b4x16', 2, 32],
    ['b4x16_p64', 64, 128],
  ] as const)('elements of type %s with the first coordinate %d', async (type, first, unit) => {
    const given: Given = { type, dimensions: [256], box: [128] };
    const options = { isLoad: true, size: 64, at: [first] };
    const { result } = await copy(given, [new Uint8Array(128), new Uint8Array(128)], options, way);
    const message = `the tensor map has elements of type ${type}, so the first coordinate must be a multiple of ${unit}, not ${first}`;
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6035', message } });
  });
});
