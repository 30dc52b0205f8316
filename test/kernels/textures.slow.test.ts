/**
 * Tests kernels that read textures and write surfaces, compiled by nvcc, against the formulas of the CUDA programming
 * guide. The rounding of results is tested with recordings of a GPU (test/hardware).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { elementAt } from '../../src/base/element-at.ts';
import { Device, type DeviceTexture, type LaunchOptions, type TextureOptions } from '../../src/device.ts';
import { randomSource } from './reference.ts';

const text = (target: string): string =>
  readFileSync(new URL(`textures/textures.${target}.ptx`, import.meta.url), 'utf8');

const ways: Readonly<Record<string, LaunchOptions & { readonly target: string }>> = {
  interp: { engine: 'interp', target: 'sm_90' },
  jit: { target: 'sm_75' },
  'two workers, unchecked': { workers: 2, unchecked: true, target: 'sm_90' },
};

function wayOf(name: string): LaunchOptions & { readonly target: string } {
  const way = ways[name];
  if (way === undefined) throw new Error(`there is no way '${name}'`);
  return way;
}

const random = randomSource(5);
const numbers = (count: number, least: number, most: number): Float32Array =>
  Float32Array.from({ length: count }, () => least + (most - least) * random());

/** A function that creates a texture of floats. */
type Make = (device: Device, texels: Float32Array) => DeviceTexture;

const floats =
  (options: Omit<TextureOptions, 'texels' | 'type'>): Make =>
  (device, texels) =>
    device.texture({ texels: device.alloc(texels), type: 'f32', ...options });

/**
 * A kernel that samples a texture at points. Each point consists of `perPoint` numbers, and each result of `outBytes`
 * bytes.
 */
interface Kernel {
  readonly name: string;
  readonly perPoint: number;
  readonly outBytes: number;
}

const kernels = {
  sample_1d: { name: 'sample_1d', perPoint: 1, outBytes: 4 },
  fetch_1d: { name: 'fetch_1d', perPoint: 1, outBytes: 4 },
  sample_2d: { name: 'sample_2d', perPoint: 2, outBytes: 16 },
  sample_2d_integers: { name: 'sample_2d_integers', perPoint: 2, outBytes: 8 },
  sample_3d: { name: 'sample_3d', perPoint: 4, outBytes: 4 },
  sample_layers: { name: 'sample_layers', perPoint: 4, outBytes: 8 },
  sample_lines: { name: 'sample_lines', perPoint: 2, outBytes: 4 },
  sample_cube: { name: 'sample_cube', perPoint: 4, outBytes: 4 },
  sample_cubes: { name: 'sample_cubes', perPoint: 4, outBytes: 4 },
  sample_level: { name: 'sample_level', perPoint: 4, outBytes: 4 },
  sample_gradient: { name: 'sample_gradient', perPoint: 4, outBytes: 4 },
  gather: { name: 'gather', perPoint: 2, outBytes: 16 },
} satisfies Readonly<Record<string, Kernel>>;

async function sampled(
  way: string,
  { name, perPoint, outBytes }: Kernel,
  make: (device: Device) => DeviceTexture,
  at: Float32Array | Int32Array,
): Promise<Uint8Array> {
  const { target, ...options } = wayOf(way);
  const device = await Device.create();
  const n = at.length / perPoint;
  const out = device.alloc(n * outBytes);
  const args = [make(device), device.alloc(at), out, n];
  const result = await device
    .load(text(target))
    .kernel(name)
    .launch({ grid: Math.ceil(n / 64), block: 64, args, ...options });
  expect(result).toMatchObject({ ok: true });
  return out.read();
}

const asFloats = (bytes: Uint8Array): readonly number[] => [...new Float32Array(bytes.slice().buffer)];

/** Fractions have 8 bits after the binary point. Positions are rounded to nearest, and levels are rounded down. */
const fixed = (fraction: number): number => Math.round(fraction * 256) / 256;
const cutOff = (level: number): number => Math.floor(level * 256) / 256;

/** The weighted mean of the texels around a point. `texel` must also return values for indices outside the texture. */
function mean(at: readonly number[], texel: (...index: readonly number[]) => number): number {
  const [first = 0, ...rest] = at.map((one) => one - 0.5);
  const lower = Math.floor(first);
  const weight = fixed(first - lower);
  const value = (index: number): number =>
    rest.length === 0
      ? texel(index)
      : mean(
          rest.map((one) => one + 0.5),
          (...others) => texel(index, ...others),
        );
  return (1 - weight) * value(lower) + weight * value(lower + 1);
}

const clamp = (at: number, size: number): number => Math.max(0, Math.min(size - 1, at));
const points = (at: Float32Array, count: number): readonly (readonly number[])[] =>
  Array.from({ length: at.length / count }, (_, i) => [...at.subarray(i * count, (i + 1) * count)]);

test('the example turns an image around its center', () => {
  const example = fileURLToPath(new URL('../../examples/image.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [example], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const rows = stdout.split('\n');
  expect(rows.slice(0, 2)).toEqual([
    `${'@'.repeat(24)}    +=::+**:              :%`,
    '@@         **         @@        .=**-              .',
  ]);
  expect(rows).toHaveLength(13);
});

describe.each(Object.keys(ways))('%s', (way) => {
  test('one dimension, the mean of two texels', async () => {
    const texels = numbers(37, -5, 5);
    const at = numbers(100, -3, 40);
    const found = await sampled(
      way,
      kernels.sample_1d,
      (device) => floats({ size: [37], filter: 'linear' })(device, texels),
      at,
    );
    // Texels are truncated before they are mixed, so the results are not exact.
    asFloats(found).forEach((value, i) => {
      const expected = mean([elementAt(at, i)], (k) => elementAt(texels, clamp(k, 37)));
      expect(value).toBeCloseTo(expected, 5);
    });
  });

  test('integer coordinates, with zeros outside', async () => {
    const texels = numbers(10, 1, 2);
    const at = Int32Array.of(0, 9, 10, -1, 5, 2 ** 30, -(2 ** 31));
    const found = await sampled(way, kernels.fetch_1d, (device) => floats({ size: [10] })(device, texels), at);
    expect(asFloats(found)).toEqual([...at].map((i) => texels[i] ?? 0));
  });

  test('two dimensions and four channels of normalized bytes, with a border', async () => {
    const [width, height] = [7, 5];
    const bytes = Uint8Array.from({ length: 4 * width * height }, () => Math.floor(256 * random()));
    const border = [0.25, 0.5, 0.75, 1];
    const make = (device: Device): DeviceTexture =>
      device.texture({
        texels: device.alloc(bytes),
        type: 'u8',
        channels: 4,
        size: [width, height],
        filter: 'linear',
        normalizedTexels: true,
        addressMode: 'border',
        border,
      });
    const at = numbers(200, -2, 9);
    const found = asFloats(await sampled(way, kernels.sample_2d, make, at));
    const expected = points(at, 2).flatMap((point) =>
      [0, 1, 2, 3].map((c) =>
        Math.fround(
          mean(point, (x = 0, y = 0) =>
            x >= 0 && x < width && y >= 0 && y < height
              ? elementAt(bytes, 4 * (y * width + x) + c) / 255
              : elementAt(border, c),
          ),
        ),
      ),
    );
    // Products of weights have only 8 bits, so the results are not exact.
    found.forEach((value, i) => expect(value).toBeCloseTo(elementAt(expected, i), 2));
  });

  test('missing channels are 0', async () => {
    const found = await sampled(
      way,
      kernels.sample_2d,
      (device) => floats({ size: [1, 1] })(device, Float32Array.of(7)),
      Float32Array.of(0, 0),
    );
    expect(asFloats(found)).toEqual([7, 0, 0, 0]);
  });

  test('integers that are read as they are, rows with gaps, and coordinates that repeat', async () => {
    const [width, height, rowBytes] = [3, 4, 32];
    const texels = Int16Array.from({ length: (height * rowBytes) / 2 }, (_, i) => 1000 * (i % 5) - 17 * i);
    const make = (device: Device): DeviceTexture =>
      device.texture({
        texels: device.alloc(texels),
        type: 's16',
        channels: 4,
        size: [width, height],
        rowBytes,
        normalizedCoordinates: true,
        addressMode: ['wrap', 'mirror'],
      });
    const at = numbers(200, -3, 3);
    const found = await sampled(way, kernels.sample_2d_integers, make, at);
    const expected = points(at, 2).flatMap(([x = 0, y = 0]) => {
      const column = Math.floor((x - Math.floor(x)) * width);
      const within = y - Math.floor(y);
      const row = Math.floor((Math.floor(y) % 2 === 0 ? within : 1 - within) * height);
      return [0, 1, 2, 3].map((c) => elementAt(texels, (row * rowBytes) / 2 + 4 * column + c));
    });
    expect([...new Int16Array(found.slice().buffer)]).toEqual(expected);
  });

  test('three dimensions', async () => {
    const [width, height, depth] = [4, 3, 5];
    const texels = numbers(width * height * depth, -1, 1);
    const at = numbers(4 * 60, -1, 6);
    const make = (device: Device): DeviceTexture =>
      floats({ size: [width, height, depth], filter: 'linear' })(device, texels);
    const found = asFloats(await sampled(way, kernels.sample_3d, make, at));
    points(at, 4).forEach(([x = 0, y = 0, z = 0], i) => {
      const expected = mean([x, y, z], (column = 0, row = 0, slice = 0) => {
        const line = clamp(slice, depth) * height + clamp(row, height);
        return elementAt(texels, line * width + clamp(column, width));
      });
      expect(Math.abs(elementAt(found, i) - expected)).toBeLessThan(1 / 32);
    });
  });

  test('layers, of which the last one stands for all after it', async () => {
    const [width, height, layers] = [5, 4, 3];
    const texels = numbers(2 * width * height * layers, 0, 9);
    const make = (device: Device): DeviceTexture =>
      floats({ size: [width, height], layers, channels: 2 })(device, texels);
    const at = Float32Array.of(1.5, 2.5, 1, 0, 4.9, 3.9, 0, 0, 0, 0, 2, 0, 2, 3, 7, 0);
    const expected = points(at, 4).flatMap(([x = 0, y = 0, layer = 0]) => {
      const texel = (clamp(layer, layers) * height + Math.floor(y)) * width + Math.floor(x);
      return [...texels.subarray(2 * texel, 2 * texel + 2)];
    });
    expect(asFloats(await sampled(way, kernels.sample_layers, make, at))).toEqual(expected);
    const lines = (device: Device): DeviceTexture =>
      floats({ size: [4], layers: 2 })(device, Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7));
    const inLines = Float32Array.of(0, 0, 3.5, 0, 2.5, 1);
    expect(asFloats(await sampled(way, kernels.sample_lines, lines, inLines))).toEqual([0, 3, 6]);
  });

  test('each face of a cube, and cubes in an array', async () => {
    // The value of a texel is 100 times the index of its face, plus its index within the face.
    const faces = (cubes: number): Float32Array =>
      Float32Array.from({ length: cubes * 6 * 4 }, (_, i) => 100 * Math.floor(i / 4) + (i % 4));
    const directions = [
      [2, 0.5, -0.5, 0],
      [-2, 0.5, -0.5, 0],
      [0.5, 2, -0.5, 0],
      [0.5, -2, -0.5, 0],
      [0.5, -0.5, 2, 0],
      [0.5, -0.5, -2, 0],
    ];
    const expected = [1, 100, 201, 303, 403, 502];
    const at = Float32Array.from(directions.flat());
    const cube = (device: Device): DeviceTexture => floats({ size: [2, 2], cube: true })(device, faces(1));
    expect(asFloats(await sampled(way, kernels.sample_cube, cube, at))).toEqual(expected);
    const cubes = (device: Device): DeviceTexture => floats({ size: [2, 2], cube: true, layers: 2 })(device, faces(2));
    const inSecond = Float32Array.from(directions.flatMap(([x = 0, y = 0, z = 0]) => [x, y, z, 1]));
    const inArray = asFloats(await sampled(way, kernels.sample_cubes, cubes, inSecond));
    expect(inArray).toEqual(expected.map((value) => value + 600));
  });

  test('levels of detail: given, mixed, and by derivatives', async () => {
    // Three levels of 4 by 4, 2 by 2 and 1 by 1 texels, each filled with the number of the level.
    const texels = Float32Array.of(...new Array<number>(16).fill(0), 1, 1, 1, 1, 2);
    const options = { size: [4, 4], levels: 3, normalizedCoordinates: true } as const;
    const at = Float32Array.from([0, 0.4, 0.5, 1.25, 9, -3].flatMap((level) => [0.5, 0.5, level, 0]));
    const nearest = (device: Device): DeviceTexture => floats(options)(device, texels);
    expect(asFloats(await sampled(way, kernels.sample_level, nearest, at))).toEqual([0, 0, 1, 1, 2, 0]);
    const mixed = (device: Device): DeviceTexture =>
      floats({ ...options, levelFilter: 'linear', levelBias: 0.25, greatestLevel: 1.75 })(device, texels);
    const expected = [0.25, cutOff(0.4) + 0.25, 0.75, 1.5, 1.75, 0];
    expect(asFloats(await sampled(way, kernels.sample_level, mixed, at))).toEqual(expected);
    // A step across a quarter of the texture is one texel wide, and a step across half of the texture is two texels
    // wide.
    const steps = Float32Array.from([0.25, 0.5, 1].flatMap((step) => [0.5, 0.5, 0.25, step]));
    expect(asFloats(await sampled(way, kernels.sample_gradient, nearest, steps))).toEqual([0, 1, 2]);
  });

  test('one component of four texels, counterclockwise from the lower left one', async () => {
    const texels = Float32Array.from({ length: 2 * 9 }, (_, i) => i);
    const make = (device: Device): DeviceTexture => floats({ size: [3, 3], channels: 2 })(device, texels);
    const component = (x: number, y: number): number => 2 * (3 * y + x) + 1;
    const found = asFloats(await sampled(way, kernels.gather, make, Float32Array.of(1, 2)));
    expect(found).toEqual([component(0, 2), component(1, 2), component(1, 1), component(0, 1)]);
  });

  test('surfaces', async () => {
    const { target, ...options } = wayOf(way);
    const device = await Device.create();
    const module = device.load(text(target));
    const [width, height] = [13, 6];
    const pixels = Uint32Array.from({ length: width * height }, (_, i) => i * 0x01020305);
    const image = device.surface({ texels: device.alloc(pixels), type: 'u8', channels: 4, size: [width, height] });
    const mirrored = device.alloc(pixels.byteLength);
    const to = device.surface({ texels: mirrored, type: 'u8', channels: 4, size: [width, height] });
    const launch: LaunchOptions = { grid: [2, 2], block: [8, 4], args: [image, to, width], ...options };
    expect(await module.kernel('mirror').launch(launch)).toMatchObject({ ok: true });
    const expected = Array.from(pixels, (_, i) => pixels[Math.floor(i / width) * width + width - 1 - (i % width)]);
    expect([...mirrored.read('u32')]).toEqual(expected);

    const [side, depth] = [4, 3];
    const volume = Float32Array.from({ length: side * side * depth }, (_, i) => (i * 7) % 11);
    const out = device.alloc(volume.byteLength);
    const size = [side, side, depth];
    const from = device.surface({ texels: device.alloc(volume), type: 'f32', size });
    const sums = device.surface({ texels: out, type: 'f32', size });
    const add: LaunchOptions = { grid: depth, block: [side, side], args: [from, sums], ...options };
    expect(await module.kernel('add_neighbors').launch(add)).toMatchObject({ ok: true });
    const at = (x: number, y: number, z: number): number =>
      elementAt(volume, (clamp(z, depth) * side + clamp(y, side)) * side + clamp(x, side));
    const neighbors = [-1, 0, 1];
    const total = (x: number, y: number, z: number): number =>
      neighbors.reduce((sum, d) => sum + at(x + d, y, z) + at(x, y + d, z) + at(x, y, z + d), 0);
    const sumsOf = Array.from(volume, (_, i) =>
      total(i % side, Math.floor(i / side) % side, Math.floor(i / side ** 2)),
    );
    expect([...out.read('f32')]).toEqual(sumsOf);

    const layers = device.alloc(2 * 4 * 4 * 3);
    const stack = device.surface({ texels: layers, type: 's16', size: [4, 4], layers: 3 });
    const write: LaunchOptions = { grid: 1, block: [4, 4], args: [stack, 3], ...options };
    expect(await module.kernel('write_layers').launch(write)).toMatchObject({ ok: true });
    const written = Array.from(
      { length: 48 },
      (_, i) => 100 * Math.floor(i / 16) + 10 * (Math.floor(i / 4) % 4) + (i % 4),
    );
    expect([...layers.read('s16')]).toEqual(written);

    const line = device.surface({ texels: device.alloc(Int32Array.of(1, 2, 3)), type: 's32', size: [3] });
    const beyond: LaunchOptions = { grid: 1, block: 4, args: [line, device.alloc(16)], ...options };
    expect(await module.kernel('read_beyond').launch(beyond)).toMatchObject({
      ok: false,
      fault: {
        code: 'PTX6037',
        thread: [3, 0, 0],
        message:
          'the texture or surface is accessed at {12}, of which the first counts bytes, but it has 3 texels of 4 bytes',
      },
    });
  });
});
