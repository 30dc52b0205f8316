/** Jobs about levels of detail, which are given directly or by derivatives. */
import type { Job } from '../../test/hardware/job.ts';
import {
  f,
  geometries,
  geometryOf,
  randomTexels,
  series,
  texelsOf,
  type Texture,
  textureJob,
} from './texture-parts.ts';
import {
  asFloats,
  border,
  channelCounts,
  farIntegers,
  filters,
  levelValue,
  nearTies,
  pyramid,
  random,
  randomRows,
  shapes,
  slope,
  special,
  word,
} from './texture-values.ts';

const middle = [f(0.4), f(0.4)];

/** A job that reads the given levels near the middle of a texture. */
function askLevels(what: string, options: Partial<Texture>, asked: readonly number[]): Job {
  const texture: Texture = { ...pyramid, ...options };
  const rows = asked.map((bits) => [...middle, bits]);
  return textureJob(`levels/${what}`, { op: 'tex.level' }, texture, texelsOf(texture, levelValue), rows);
}

const coarse = series(96, -1, 1 / 16).map(f);

/** The level biases, and the least and greatest levels, with which textures are read. */
const limits: readonly Partial<Texture>[] = [
  ...[0.25, 0.3, -0.3, 1 / 512, 1 / 1024, 3 / 512, -1 / 512, 1.5, 15.99, 16, 40, -20].map((levelBias) => ({
    levelBias,
  })),
  ...[
    [0.3, 2.6],
    [1, 1],
    [0.5, 0.5],
    [1 / 512, 3 / 1024],
    [2, 10],
    [0, 0],
    [0, 1.7],
    [-1, 3],
    [3.999, 4],
    [4.5, 12],
  ].map(([leastLevel = 0, greatestLevel = 0]) => ({ leastLevel, greatestLevel })),
  { levelBias: 0.7, leastLevel: 1.1, greatestLevel: 2.3 },
];

export function levels(): readonly Job[] {
  const sweeps = filters.flatMap((levelFilter) => [
    askLevels(`${levelFilter}/steps`, { levelFilter }, series(512, 0, 1 / 512).map(f)),
    askLevels(
      `${levelFilter}/near ties`,
      { levelFilter },
      nearTies.map((x) => f(1 + x)),
    ),
    askLevels(`${levelFilter}/fine`, { levelFilter }, series(128, 0.5 - 2 ** -11, 2 ** -17).map(f)),
    askLevels(`${levelFilter}/fine near 0`, { levelFilter }, series(256, -(2 ** -9), 2 ** -14).map(f)),
    askLevels(`${levelFilter}/fine near 1`, { levelFilter }, series(256, 1 - 2 ** -8, 2 ** -14).map(f)),
    askLevels(`${levelFilter}/all`, { levelFilter }, [...series(448, -1, 1 / 64).map(f), ...special]),
    ...limits.map((limit) =>
      askLevels(`${levelFilter}/limits/${JSON.stringify(limit)}`, { levelFilter, ...limit }, coarse),
    ),
  ]);
  const withLinearTexels = askLevels(
    'linear/steps, linear texels',
    { filter: 'linear' },
    series(512, 1, 1 / 512).map(f),
  );
  const one = askLevels('one level', { levels: 1, levelBias: 0.5 }, coarse);
  return [...sweeps, withLinearTexels, one, ...levelShapes(), ...mixedLevels(), ...withoutLevel(), ...integerLevels()];
}

/**
 * Jobs that show which texels of smaller levels are read, for all geometries, and for sizes that are not powers of two.
 */
function levelShapes(): readonly Job[] {
  const all = [...shapes, { size: [13, 7] }, { size: [5, 3, 6] }, { size: [11] }, { size: [2, 9] }];
  return all.flatMap((shape) =>
    filters.map((filter) => {
      const count = 1 + Math.floor(Math.log2(Math.max(...shape.size)));
      const texture: Texture = { ...pyramid, ...shape, levels: count, filter, levelFilter: 'point' };
      const texels = texelsOf(
        texture,
        ({ x, y, z, layer, level }) => x + 16 * y + 256 * z + 4096 * layer + 131072 * level,
      );
      const rows = randomRows(texture, 128).map((row) => [...row, f(random.below(8 * count + 4) / 8)]);
      return textureJob(
        `levels/shapes/${geometryOf(shape)}/${shape.size.join('x')}/${filter}`,
        { op: 'tex.level' },
        texture,
        texels,
        rows,
      );
    }),
  );
}

/** Jobs that mix random texels of two levels. */
function mixedLevels(): readonly Job[] {
  return shapes.flatMap((shape) =>
    (['f32', 'f16', 'u8', 's16'] as const).flatMap((type, i) =>
      filters
        .filter((filter) => filter === 'linear' || type === 'f32')
        .map((filter) => {
          const channels = channelCounts[(i + shape.size.length) % 3] ?? 1;
          const texture: Texture = { ...pyramid, ...shape, ...asFloats(type), channels, levels: 3, filter };
          const rows = randomRows(texture, 96).map((row) => [...row, f(random.below(2 * 256 + 32) / 256)]);
          const id = `levels/mixed/${geometryOf(shape)}/${type} ${channels}/${filter}`;
          return textureJob(id, { op: 'tex.level' }, texture, randomTexels(texture, random, 4), rows);
        }),
    ),
  );
}

/** Instructions without a level operand. */
function withoutLevel(): readonly Job[] {
  const options: readonly Partial<Texture>[] = [
    {},
    { levelBias: 1.5 },
    { leastLevel: 1.25 },
    { leastLevel: 2, levelFilter: 'point' },
    { greatestLevel: 0 },
  ];
  return ['tex', 'tex.base'].flatMap((op) =>
    (['f32', 's32'] as const).flatMap((from) =>
      options.map((own) => {
        const texture: Texture = { ...pyramid, ...own };
        const texels = texelsOf(texture, ({ level, x, y }) => x + 16 * y + 256 * level);
        const rows = series(64, 0, 1).map((i) => (from === 's32' ? [i % 9, i >> 3] : [f(i / 16), f((i * i) / 64)]));
        return textureJob(`levels/without/${op}/${from}/${JSON.stringify(own)}`, { op, from }, texture, texels, rows);
      }),
    ),
  );
}

/** Levels that are given as integers, with integers as coordinates. */
function integerLevels(): readonly Job[] {
  const options: readonly Partial<Texture>[] = [
    {},
    { levelBias: 1 },
    { leastLevel: 1, greatestLevel: 2 },
    { levelFilter: 'point', addressMode: 'border', border },
  ];
  return shapes.slice(0, 5).flatMap((shape) =>
    options.map((own) => {
      const texture: Texture = { ...pyramid, ...shape, levels: 3, ...own };
      const texels = texelsOf(
        texture,
        ({ x, y, z, layer, level }) => 1 + x + 16 * y + 256 * z + 4096 * layer + 131072 * level,
      );
      const rows = series(96, 0, 1).map((i) => [
        ...(shape.layers === undefined ? [] : [random.below(4)]),
        ...shape.size.map((size) => random.below(i % 3 === 0 ? size + 1 : Math.max(1, size >> (i % 3)))),
        random.percent(70)
          ? random.below(3)
          : random.pick([3, 4, 5, 31, 32, 255, 256, word(-1), word(-2), ...farIntegers]),
      ]);
      return textureJob(
        `levels/integers/${geometryOf(shape)}/${JSON.stringify(own)}`,
        { op: 'tex.level', from: 's32' },
        texture,
        texels,
        rows,
      );
    }),
  );
}

const vast: Texture = { ...pyramid, size: [64, 64], levels: 7 };

function askGradients(what: string, texture: Texture, vectors: readonly (readonly number[])[]): Job {
  const { point } = geometries[geometryOf(texture)];
  const start = texture.cube === true ? [f(0.4), f(0.3), f(1)] : texture.size.map(() => f(0.4));
  const place = texture.layers === undefined ? start : [0, ...start];
  if (place.length !== Math.max(...point) + 1) throw new Error(`no point of ${what}`);
  const rows = vectors.map((gradient) => [...place, ...gradient]);
  return textureJob(`gradients/${what}`, { op: 'tex.grad' }, texture, texelsOf(texture, levelValue), rows);
}

export function gradients(): readonly Job[] {
  const along = (i: number, bits: number): readonly number[] => [0, 1, 2, 3].map((k) => (k === i ? bits : 0));
  const fine = series(256, 0, 1).map((i) => f((1 + i / 256) / 16));
  const wide = series(256, -10, 1 / 20).map((power) => f(2 ** power));
  const sweeps = [0, 1, 2, 3].flatMap((i) => [
    askGradients(
      `one/${i}/fine`,
      vast,
      fine.map((bits) => along(i, bits)),
    ),
    askGradients(
      `one/${i}/wide`,
      vast,
      wide.map((bits) => along(i, bits)),
    ),
  ]);
  const equal = fine.slice(0, 96).map((bits) => [bits, 0, 0, bits]);
  const diagonal = fine.slice(0, 96).map((bits) => [bits, bits, 0, 0]);
  const unlike = fine.slice(0, 96).map((bits) => [f(1 / 16), 0, 0, bits]);
  const unusual = special.flatMap((bits) => [0, 3].map((i) => along(i, bits)));
  const byLimit = [{ levelFilter: 'point' } as const, ...limits.slice(1, 4), ...limits.slice(12, 15)].map((limit) =>
    askGradients(
      `limits/${JSON.stringify(limit)}`,
      { ...vast, ...limit },
      wide.slice(0, 96).map((bits) => along(0, bits)),
    ),
  );
  return [
    ...sweeps,
    askGradients('equal', vast, equal),
    askGradients('diagonal', vast, diagonal),
    askGradients('unlike', vast, unlike),
    askGradients('special', vast, unusual),
    askGradients(
      'linear texels',
      { ...vast, filter: 'linear' },
      wide.map((bits) => along(0, bits)),
    ),
    ...byLimit,
    ...gradientShapes(),
  ];
}

function gradientShapes(): readonly Job[] {
  const all: readonly Pick<Texture, 'size' | 'layers' | 'cube'>[] = [
    { size: [64] },
    { size: [64, 64] },
    { size: [64, 16] },
    { size: [8, 50] },
    { size: [16, 16, 16] },
    { size: [16, 4, 7] },
    { size: [64], layers: 2 },
    { size: [32, 16], layers: 2 },
    { size: [16, 16], cube: true },
    { size: [16, 16], cube: true, layers: 2 },
  ];
  return all.flatMap((shape) => {
    const texture: Texture = { ...pyramid, ...shape, levels: 1 + Math.floor(Math.log2(Math.max(...shape.size))) };
    const count = 2 * (Math.max(...geometries[geometryOf(shape)].step) + 1);
    const name = `${geometryOf(shape)}/${shape.size.join('x')}`;
    const many = series(192, 0, 1).map(() => series(count, 0, 1).map(slope));
    const single = series(96, 0, 1).map((i) => series(count, 0, 1).map((k) => (k === i % count ? slope() : 0)));
    return [askGradients(`shapes/${name}/all`, texture, many), askGradients(`shapes/${name}/one`, texture, single)];
  });
}
