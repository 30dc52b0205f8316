/**
 * Shapes, numbers and points of jobs that read textures or access surfaces. All jobs share one source of random
 * numbers.
 */
import type { TextureAddressMode } from '../../src/device.ts';
import { RandomSource } from '../../test/differential/random-source.ts';
import { f, pointOf, type Row, series, type Spot, type TexelName, type Texture } from './texture-parts.ts';

export const random = new RandomSource(0x7e_47);

type Channels = 1 | 2 | 4;

export const modes: readonly TextureAddressMode[] = ['clamp', 'border', 'wrap', 'mirror'];

export const filters = ['point', 'linear'] as const;

export const filterable: readonly TexelName[] = ['f32', 'f16', 'u8', 's8', 'u16', 's16'];

export const channelCounts: readonly Channels[] = [1, 2, 4];

export const border = [0.25, -3, 100, 0.7];

/** Options that make the results floats. */
export const asFloats = (type: TexelName): Pick<Texture, 'type' | 'normalizedTexels'> =>
  /^[us](8|16)$/.test(type) ? { type, normalizedTexels: true } : { type };

/** A small texture of every geometry. */
export const shapes: readonly Pick<Texture, 'size' | 'layers' | 'cube'>[] = [
  { size: [16] },
  { size: [8, 4] },
  { size: [4, 4, 2] },
  { size: [16], layers: 3 },
  { size: [8, 4], layers: 3 },
  { size: [4, 4], cube: true },
  { size: [4, 4], cube: true, layers: 2 },
];

/** The value of each texel is its index in the row. */
export const ramp = ({ x }: Spot): number => x;

const firstBits = [0x3f80_0000, 0x3f80_0001, 0x3f7f_ffff];

export const [infinity, nan] = [0x7f80_0000, 0x7fff_ffff];

/** Unusual f32 numbers. */
export const special: readonly number[] = [
  ...[0, 1, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, infinity, nan, 0x7f80_0001, 0x7fc1_2345].flatMap((bits) => [
    bits,
    (bits | 0x8000_0000) >>> 0,
  ]),
  ...firstBits,
  ...[8, 15, 16, 20, 23, 24, 30, 31, 32, 40, 63, 64].flatMap((power) => [f(2 ** power), f(-(2 ** power))]),
  ...[1e10, 1234567.5, 8388607.5, 16777215, 2147483520].flatMap((value) => [f(value), f(-value)]),
];

/** A number and its neighbors. */
export const around = (bits: number): readonly number[] =>
  bits === 0 ? [0, 1, 0x8000_0001] : [bits, bits - 1, bits + 1];

/** A random place in or near a texture. The coordinates are in texels, and are multiples of 1/256. */
const randomPlace = ({ size }: Pick<Texture, 'size'>): readonly number[] =>
  size.map((count) => random.below((count + 2) * 256) / 256 - 1);

export const layersOf = ({ layers, cube }: Texture): number => (layers ?? 1) * (cube === true ? 6 : 1);

/** Random points. For cubes, they are on the faces. */
export function randomRows(texture: Texture, count: number): readonly Row[] {
  return series(count, 0, 1).map(() => {
    const at = randomPlace(texture).map((place, i) =>
      texture.cube === true ? Math.max(0, Math.min(texture.size[i] ?? 0, place)) : place,
    );
    return pointOf(texture, at, random.below(layersOf(texture)));
  });
}

export const nearTies = series(32, 1 / 512, 1 / 32).flatMap((tie) =>
  [0, 2 ** -20, 2 ** -18, 2 ** -16, 2 ** -14, 2 ** -12, 2 ** -11].flatMap((e) => [tie + e, tie - e]),
);

export const everyType: readonly TexelName[] = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'f16', 'f32'];

export const integerResult = (type: TexelName): 's32' | 'u32' => (type.startsWith('s') ? 's32' : 'u32');

/**
 * Coordinates, in texels, at and near the edges and centers of texels. They are inside a texture, near it, or far
 * outside it.
 */
export function edges(size: number): readonly number[] {
  const whole = [
    -9,
    -4 * size,
    -2 * size,
    -size,
    -1,
    0,
    1,
    size - 1,
    size,
    size + 1,
    2 * size,
    3 * size - 1,
    7 * size + 1,
  ];
  const parts = [0, 2 ** -10, -(2 ** -10), 1 / 512, -1 / 512, 0.5, 0.5 + 1 / 512, 0.25];
  return whole.flatMap((k) => parts.map((part) => k + part));
}

export const farIntegers = [0x7fff_ffff, 0x8000_0000, 0xffff_0000, 0x1_0000, 0x1_0001, 0x7fff, 0x8000, 0xffff];

export const word = (value: number): number => value >>> 0;

/** Integers in the range of a size, next to this range, and far outside it. */
export const integersNear = (size: number): readonly number[] => [...series(size + 6, -3, 1).map(word), ...farIntegers];

/** The value of each texel is its level, so that the results are levels. */
export const levelValue = ({ level }: Spot): number => level;

export const pyramid: Texture = {
  type: 'f32',
  size: [16, 16],
  levels: 5,
  levelFilter: 'linear',
  normalizedCoordinates: true,
};

const signed = (value: number): number => (random.percent(50) ? value : -value);

/** A random derivative: 0, or a number of either sign between 2^-8 and 1. */
export const slope = (): number => f(random.percent(10) ? 0 : signed(2 ** (-8 * random.fraction())));
