/** Jobs with many points, which show how weights, sums of planes, levels and border colors are rounded. */
import { RandomSource } from '../../test/differential/random-source.ts';
import type { Job } from '../../test/hardware/job.ts';
import {
  f,
  pointOf,
  randomTexels,
  type Row,
  series,
  type Spot,
  type TexelName,
  texelsOf,
  type Texture,
  textureJob,
  wideFloat,
} from './texture-parts.ts';
import { asFloats, filters, levelValue, pyramid } from './texture-values.ts';

const random = new RandomSource(79);
const many = series(8192, 0, 1);

/**
 * Jobs that show all weights with which texels are mixed. In each texel, one channel is 1, depending on whether the
 * column and the row of the texel are even or odd; all other channels are 0. Only the texels of one level, and of every
 * second slice, have such a channel.
 */
export function allWeights(): readonly Job[] {
  const parity = ({ x, y, channel }: Spot): boolean => (x & 1) + 2 * (y & 1) === channel;
  const slicesOf = (size: readonly number[]): readonly number[] => (size.length === 3 ? [0, 1] : [0]);
  const isIn = (size: readonly number[], { z }: Spot, slice: number): boolean => size.length < 3 || (z & 1) === slice;
  const single = [[4, 4, 4], [4, 4], [4]].flatMap((size) =>
    slicesOf(size).map((slice) => {
      const texture: Texture = { type: 'f32', channels: 4, size, filter: 'linear' };
      const texels = texelsOf(texture, (spot) => Number(isIn(size, spot, slice) && parity(spot)));
      const own = new RandomSource(5);
      const rows = many.map(() =>
        pointOf(
          texture,
          size.map(() => 0.5 + own.below(3 * 256) / 256),
        ),
      );
      return textureJob(`all weights/${size.length}d/${slice}`, { op: 'tex' }, texture, texels, rows);
    }),
  );
  const mixed = [[8, 8, 8], [8, 8], [8]].flatMap((size) =>
    filters.flatMap((filter) =>
      [0, 1].flatMap((level) =>
        slicesOf(size).map((slice) => {
          const texture: Texture = { ...pyramid, channels: 4, size, filter, levels: 2 };
          const texels = texelsOf(texture, (spot) =>
            Number(spot.level === level && isIn(size, spot, slice) && parity(spot)),
          );
          const own = new RandomSource(6);
          const rows = many.map(() => [
            ...pointOf(
              texture,
              size.map(() => 1 + own.below(6 * 256) / 256),
            ),
            f(own.below(257) / 256),
          ]);
          const id = `all weights/levels ${size.length}d ${filter}/${level} ${slice}`;
          return textureJob(id, { op: 'tex.level' }, texture, texels, rows);
        }),
      ),
    ),
  );
  return [...single, ...mixed];
}

/** Means of texels with very different values, from several slices and levels. */
export function sumsOfPlanes(): readonly Job[] {
  const size = [8, 8, 8];
  return (['f16', 'f32', 's8'] as const).flatMap((type) =>
    [1, 2].map((levels) => {
      const texture: Texture = { ...pyramid, size, ...asFloats(type), filter: 'linear', levels, channels: 2 };
      const texels = type === 's8' ? randomTexels(texture, random) : texelsOf(texture, () => wideFloat(random, 7));
      const place = (): readonly number[] => size.map((count) => random.below((count + 1) * 256) / 256 - 0.5);
      const rows = many.map(() => [...pointOf(texture, place()), f(random.below(257) / 256)]);
      return textureJob(`planes/${type}/${levels}`, { op: 'tex.level' }, texture, texels, rows);
    }),
  );
}

const plane = [64, 64];
const space = [64, 64, 64];
const fine = (scale: number): readonly number[] => many.map((i) => f(i / 8192 / scale));
const above = (scale: number): readonly number[] => many.map((i) => f((1 + i / 8192) / scale));
const slope = (): number => f((random.percent(50) ? -1 : 1) * 2 ** (-6 * random.fraction()));
const slopes = (count: number): Row => series(count, 0, 1).map(slope);

function askLevels(what: string, size: readonly number[], gradients: readonly Row[], own: Partial<Texture> = {}): Job {
  const levels = 1 + Math.floor(Math.log2(Math.max(...size)));
  const texture: Texture = { ...pyramid, size, levels, ...own };
  const middle = own.cube === true ? [f(0.4), f(0.3), f(1)] : size.map(() => f(0.4));
  const rows = gradients.map((gradient) => [...middle, ...gradient]);
  return textureJob(`gradients2/${what}`, { op: 'tex.grad' }, texture, texelsOf(texture, levelValue), rows);
}

/** Derivatives in steps that are finer than those of levels. */
export function fineGradients(): readonly Job[] {
  const small = series(2048, 0, 1).map((i) => [f(2 ** (-20 + i / 64)), 0, 0, 0]);
  const asked: Readonly<Record<string, readonly Row[]>> = {
    'plane x': above(16).map((x) => [x, 0, 0, 0]),
    'plane xy': above(16).map((x) => [x, f(2 ** (-8 * random.fraction())), 0, 0]),
    'plane xy one': fine(16).map((y) => [f(1 / 16), y, 0, 0]),
    'plane both': above(32).map((y) => [f(1 / 16), 0, 0, y]),
    'plane crossed': fine(16).map((x) => [f(1 / 16), 0, x, f(1 / 32)]),
    'plane any': many.map(() => slopes(4)),
    'plane small': small,
  };
  return [
    askLevels(
      'line',
      [1024],
      above(64).map((x) => [x, 0]),
    ),
    ...Object.entries(asked).map(([what, gradients]) => askLevels(what, plane, gradients)),
    askLevels('plane texels', plane, small, { normalizedCoordinates: false, levels: 1 }),
    askLevels(
      'space one',
      space,
      fine(16).map((y) => [f(1 / 16), y, f(0.5 / 16), 0, 0, 0]),
    ),
    askLevels(
      'space any',
      space,
      many.map(() => slopes(6)),
    ),
    ...cubeGradients(),
  ];
}

function cubeGradients(): readonly Job[] {
  const alongOne = [0, 1, 2].map((axis) => {
    const gradients = above(16).map((bits) => series(6, 0, 1).map((i) => (i === axis ? bits : 0)));
    return askLevels(`cube ${'xyz'.charAt(axis)}`, plane, gradients, { cube: true });
  });
  const any = many.map(() => slopes(6));
  return [...alongOne, askLevels('cube any', plane, any, { cube: true })];
}

const greatest: Readonly<Partial<Record<TexelName, number>>> = { u8: 255, s8: 127, u16: 65535, s16: 32767 };

/** Border colors, many of which are close to the midpoint between two codes. */
export function colors(): readonly Job[] {
  const colorOf = (type: TexelName): number => {
    const sign = type.startsWith('u') || random.percent(70) ? 1 : -1;
    const codes = greatest[type];
    if (random.percent(50))
      return sign * (codes === undefined ? 2 ** (random.below(40) - 26) * (1 + random.fraction()) : random.fraction());
    if (codes === undefined) return sign * random.below(2 ** 13) * 2 ** -26;
    return (sign * (random.below(codes) + 0.5 + (random.below(5) - 2) * 2 ** -random.below(12))) / codes;
  };
  return (['u8', 's8', 'u16', 's16', 'f16'] as const).flatMap((type) =>
    series(48, 0, 1).map((i) => {
      const border = series(4, 0, 1).map(() => colorOf(type));
      const texture: Texture = {
        ...asFloats(type),
        size: [4],
        channels: 4,
        addressMode: 'border',
        filter: 'linear',
        border,
      };
      const texels = texelsOf(texture, () => 0);
      return textureJob(`colors/${type}/${i}`, { op: 'tex' }, texture, texels, [[f(-5)]]);
    }),
  );
}
