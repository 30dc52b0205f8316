/** Copies of pixels of images (cp.async.bulk.tensor, mode im2col). */
import { describe, expect, test } from 'vitest';
import { Device, type LaunchResult, tensorMap, type TensorMapOptions } from '../../src/device.ts';
import { boxKernel } from './box-kernel.ts';
import { ways } from './run.ts';

interface Case {
  readonly name: string;
  readonly options: Omit<TensorMapOptions, 'tensor' | 'type'> & Required<Pick<TensorMapOptions, 'im2col'>>;
  readonly coordinates: readonly number[];
  readonly offsets: readonly number[];
}

/** A 3 x 3 filter with a padding of one pixel, which produces one result for each pixel of an image. */
const padded = { lowerCorner: [-1, -1], upperCorner: [-1, -1], channelsPerPixel: 4, pixelsPerColumn: 40 };

const cases: readonly Case[] = [
  {
    name: 'one dimension, without offsets',
    options: {
      dimensions: [8, 10, 3],
      im2col: { lowerCorner: [0], upperCorner: [0], channelsPerPixel: 8, pixelsPerColumn: 20 },
    },
    coordinates: [0, 4, 1],
    offsets: [0],
  },
  ...[0, 1, 2].map(
    (tap): Case => ({
      name: `row ${tap} of a padded filter`,
      options: { dimensions: [8, 5, 4, 3], im2col: padded },
      coordinates: [4, -1, 1, 0],
      offsets: [2 - tap, tap],
    }),
  ),
  {
    name: 'beyond the last image and the last channel',
    options: { dimensions: [10, 5, 4, 2], strides: [48, 240, 960], im2col: padded },
    coordinates: [8, 3, 2, 1],
    offsets: [1, 1],
  },
  {
    name: 'every second pixel, filled with NaN',
    options: { dimensions: [4, 8, 14, 4], elementStrides: [1, 2, 2, 1], fill: 'nan', im2col: padded },
    coordinates: [0, 5, 7, 0],
    offsets: [1, 0],
  },
  {
    name: 'three dimensions',
    options: {
      dimensions: [4, 4, 3, 5, 3],
      im2col: { lowerCorner: [-1, 0, -2], upperCorner: [-2, -1, 1], channelsPerPixel: 4, pixelsPerColumn: 100 },
    },
    coordinates: [0, 0, 1, -2, 0],
    offsets: [3, 1, 2],
  },
  {
    name: 'some pixels inside of the image, up to the last channel',
    options: {
      dimensions: [10, 5, 4, 2],
      strides: [48, 240, 960],
      im2col: { lowerCorner: [1, 0], upperCorner: [0, -1], channelsPerPixel: 4, pixelsPerColumn: 20 },
    },
    coordinates: [8, 3, 2, 0],
    offsets: [0, 1],
  },
  {
    name: 'swizzled',
    options: {
      dimensions: [32, 6, 6, 2],
      swizzle: 128,
      im2col: { ...padded, channelsPerPixel: 32, pixelsPerColumn: 32 },
    },
    coordinates: [0, 2, 2, 0],
    offsets: [2, 2],
  },
];

/**
 * Whether the pixels of a case can be copied to the tensor. This requires that none of the pixels lies outside the
 * images.
 */
const canStore = ({ options: { im2col }, coordinates }: Case): boolean =>
  [...im2col.lowerCorner, ...coordinates].every((at) => at >= 0) && im2col.upperCorner.every((at) => at <= 0);

/**
 * For each element of the copied pixels, its index in the tensor; null if the element is outside the tensor. A pixel of
 * the tensor has `channels` channels.
 */
function elementsOf(
  { options, coordinates, offsets }: Case,
  channels: number = options.dimensions[0] ?? 0,
): readonly (number | null)[] {
  const { dimensions, im2col, elementStrides = dimensions.map(() => 1) } = options;
  const inside = dimensions.slice(1, -1);
  // For every dimension except the first and the last, the number of steps that fit between the corners.
  const counts = inside.map((size, i) => {
    const [low, high] = [im2col.lowerCorner[i] ?? 0, size - 1 + (im2col.upperCorner[i] ?? 0)];
    return Math.floor((high - low) / (elementStrides[i + 1] ?? 1)) + 1;
  });
  const first = inside.map(
    (_, i) => ((coordinates[i + 1] ?? 0) - (im2col.lowerCorner[i] ?? 0)) / (elementStrides[i + 1] ?? 1),
  );
  const start = first.reduceRight((index, at, i) => index * (counts[i] ?? 1) + at, coordinates.at(-1) ?? 0);
  const strides = [4, ...(options.strides ?? [])].map((bytes) => bytes / 4);
  for (let i = strides.length; i < dimensions.length; i++)
    strides.push((strides[i - 1] ?? 0) * (dimensions[i - 1] ?? 0));
  const found: (number | null)[] = [];
  for (let pixel = start; pixel < start + im2col.pixelsPerColumn; pixel++) {
    let rest = pixel;
    const place = counts.map((count, i) => {
      const step = rest % count;
      rest = Math.floor(rest / count);
      return (im2col.lowerCorner[i] ?? 0) + step * (elementStrides[i + 1] ?? 1) + (offsets[i] ?? 0);
    });
    for (let channel = 0; channel < im2col.channelsPerPixel; channel++) {
      const at = [(coordinates[0] ?? 0) + channel, ...place, rest];
      const isInside = at.every((one, i) => one >= 0 && one < (i === 0 ? channels : (dimensions[i] ?? 0)));
      found.push(isInside ? at.reduce((index, one, i) => index + one * (strides[i] ?? 0), 0) : null);
    }
  }
  return found;
}

const tensorWords = 4096;
const words = (count: number, seed: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: count }, (_, i) => (0x3f80_0000 + 64 * (i + seed)) >>> 0);

async function run(
  { options, coordinates, offsets }: Case,
  isLoad: boolean,
  [tensor, pixels]: readonly [Uint32Array, Uint32Array],
  way: object,
): Promise<{ readonly result: LaunchResult; readonly tensor: Uint32Array; readonly pixels: Uint32Array }> {
  const device = await Device.create({ gpu: 'H100' });
  const [inTensor, inPixels] = [device.alloc(tensor), device.alloc(pixels)];
  const map = tensorMap({ type: 'f32', ...options, tensor: inTensor });
  const mode = isLoad ? '.im2col' : '.im2col_no_offs';
  const text = boxKernel({ dimensions: coordinates.length, isLoad, mode, offsets: isLoad ? offsets.length : 0 });
  const size = 4 * options.im2col.channelsPerPixel * options.im2col.pixelsPerColumn;
  const result = await device
    .load(text)
    .kernel('k')
    .launch({ args: [map, inPixels, size, size, ...coordinates, ...(isLoad ? offsets : [])], ...way });
  return {
    result,
    tensor: new Uint32Array(inTensor.read().buffer),
    pixels: new Uint32Array(inPixels.read().buffer),
  };
}

/** The index at which a word of the pixels is stored in shared memory. */
const placed = (swizzle: number | undefined, word: number): number =>
  swizzle === 128 ? word ^ (((word >> 5) & 7) << 2) : word;

describe.each(Object.entries(ways))('%s', (_, way) => {
  test.each(cases)('to shared memory: $name', async (one) => {
    const tensor = words(tensorWords, 1);
    const elements = elementsOf(one);
    const found = await run(one, true, [tensor, new Uint32Array(elements.length)], way);
    expect(found.result).toMatchObject({ ok: true });
    const outside = one.options.fill === 'nan' ? 0x7ff7_7ff7 : 0;
    expect(elements.map((__, i) => found.pixels[placed(one.options.swizzle, i)])).toEqual(
      elements.map((index) => (index === null ? outside : tensor[index])),
    );
  });

  test.each(cases.filter(canStore))('to a tensor, without offsets: $name', async (one) => {
    // The number of bytes written for the channels is rounded up to a multiple of 16.
    const channels = 4 * Math.ceil((one.options.dimensions[0] ?? 0) / 4);
    const [tensor, elements] = [words(tensorWords, 1), elementsOf({ ...one, offsets: [] }, channels)];
    const pixels = words(elements.length, 70_000);
    const expected = tensor.slice();
    elements.forEach((index, i) => {
      if (index !== null) expected[index] = pixels[placed(one.options.swizzle, i)] ?? 0;
    });
    const found = await run(one, false, [tensor, pixels], way);
    expect(found.result).toMatchObject({ ok: true });
    expect([...found.tensor]).toEqual([...expected]);
  });

  test.each([
    [[-1, 0], [0, 0], 'the lower corner cannot be -1, which is before the first pixel'],
    [[0, 0], [0, 1], 'the upper corner cannot be 1, which is after the last pixel'],
  ] as const)('to a tensor, with the corners %j and %j', async (lowerCorner, upperCorner, reason) => {
    const im2col = { ...padded, lowerCorner, upperCorner };
    const one: Case = {
      name: '',
      options: { dimensions: [8, 5, 4, 3], im2col },
      coordinates: [0, 1, 1, 0],
      offsets: [],
    };
    const { result } = await run(one, false, [words(tensorWords, 1), new Uint32Array(160)], way);
    const message = `the tensor map is used to change a tensor, so ${reason}`;
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6035', message } });
  });

  test('a pixel outside of the corners', async () => {
    const one: Case = {
      name: '',
      options: { dimensions: [8, 5, 4, 3], im2col: padded },
      coordinates: [0, 4, 0, 0],
      offsets: [0, 0],
    };
    const { result } = await run(one, true, [words(tensorWords, 1), new Uint32Array(160)], way);
    const message = 'the tensor map has pixels from -1 to 3 along dimension 1, but the instruction begins at 4';
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6035', message } });
  });

  test('maps and instructions of different kinds', async () => {
    const device = await Device.create({ gpu: 'H100' });
    const tensor = device.alloc(4096);
    const given = { tensor, type: 'f32', dimensions: [8, 5, 4] } as const;
    const ofPixels = tensorMap({ ...given, im2col: { ...padded, lowerCorner: [0], upperCorner: [0] } });
    const ofBoxes = tensorMap({ ...given, box: [4, 1, 1] });
    const launch = (map: Uint8Array, mode: string, offsets: number): Promise<LaunchResult> =>
      device
        .load(boxKernel({ dimensions: 3, isLoad: true, mode, offsets }))
        .kernel('k')
        .launch({ args: [map, tensor, 16, 16, 0, 0, 0, ...Array.from({ length: offsets }, () => 0)], ...way });
    expect(await launch(ofPixels, '.tile', 0)).toMatchObject({
      fault: { message: 'the tensor map describes pixels (im2col), but the instruction copies boxes' },
    });
    expect(await launch(ofBoxes, '.im2col', 1)).toMatchObject({
      fault: { message: 'the tensor map describes boxes, but the instruction copies pixels (im2col)' },
    });
  });
});
