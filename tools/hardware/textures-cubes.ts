/** Jobs about cubes, and random jobs about everything. */
import type { Job } from '../../test/hardware/job.ts';
import {
  cubePoint,
  f,
  type Form,
  geometries,
  geometryOf,
  randomTexels,
  type Row,
  series,
  type Spot,
  texelsOf,
  type Texture,
  textureJob,
  wideFloat,
} from './texture-parts.ts';
import {
  asFloats,
  border,
  channelCounts,
  everyType,
  filters,
  infinity,
  integerResult,
  modes,
  nan,
  random,
  randomRows,
  shapes,
  slope,
  word,
} from './texture-values.ts';

/** The channels of a texel contain its position in the cube. */
const cubeValue = ({ channel, x, y, layer }: Spot): number => [x, y, layer, 1][channel] ?? 0;

export function cubes(): readonly Job[] {
  const cube = (width: number, filter: 'point' | 'linear'): Texture => ({
    type: 'f16',
    size: [width, width],
    channels: 4,
    cube: true,
    filter,
  });
  const ask = (what: string, width: number, filter: 'point' | 'linear', rows: readonly Row[]): Job => {
    const texture = cube(width, filter);
    return textureJob(`cubes/${what}/${filter}`, { op: 'tex' }, texture, texelsOf(texture, cubeValue), rows);
  };
  const sizes = [3, 100].map((spread) =>
    series(192, 0, 1).map(() => series(3, 0, 1).map(() => f(wideFloat(random, spread)))),
  );
  return filters
    .flatMap((filter) => [
      ask('ties', 8, filter, tiedPoints()),
      ask('special', 8, filter, specialPoints()),
      ask('random', 32, filter, sizes[0] ?? []),
      ask('random sizes', 8, filter, sizes[1] ?? []),
      ask('edges', 8, filter, edgePoints()),
      ask(
        'steps',
        8,
        filter,
        series(512, -1, 1 / 256).map((s) => cubePoint(4, s, s / 3).map(f)),
      ),
      ask(
        'lengths',
        8,
        filter,
        [3, 0.7, 1e30, 1e-30, 1e-40].flatMap((size) =>
          series(48, -1, 1 / 24).map((s) => cubePoint(2, s * size, 0.3 * size, size).map(f)),
        ),
      ),
    ])
    .concat(mixedEdges());
}

const threeOf = (from: readonly number[]): readonly Row[] =>
  from.flatMap((x) => from.flatMap((y) => from.map((z) => [x, y, z])));

/** Points that are equally close to two or three faces, or nearly so. */
const tiedPoints = (): readonly Row[] => [
  ...threeOf([f(1), f(-1), 0, 0x8000_0000]),
  ...threeOf([f(1), f(-1), 0x3f80_0001, 0xbf7f_ffff]),
  ...threeOf([f(-2), f(0.5), f(1)]),
];

const specialPoints = (): readonly Row[] => [
  ...threeOf([nan, infinity, 0xff80_0000, f(0.5), f(-1)]),
  ...threeOf([0x7f7f_ffff, 1, 0x8000_0001, 0x0080_0000, 0]),
];

/** Points at the edges and corners of faces, or up to one texel away from them if the faces are eight texels wide. */
const edgePoints = (): readonly Row[] =>
  series(6, 0, 1).flatMap((face) =>
    [-1, 1].flatMap((side) =>
      [0, 1 / 256, 1 / 64, 1 / 16, 1 / 8, 3 / 16, 1 / 4].flatMap((gap) => [
        cubePoint(face, side * (1 - gap), 0.3).map(f),
        cubePoint(face, -0.6, side * (1 - gap)).map(f),
        cubePoint(face, side * (1 - gap), side * (1 - gap)).map(f),
      ]),
    ),
  );

/** Jobs that mix texels at the edges of faces, with all address modes, because these might affect the results. */
function mixedEdges(): readonly Job[] {
  return modes.flatMap((addressMode) =>
    (['f32', 'u8'] as const).flatMap((type) =>
      [undefined, 2].map((count) => {
        const base: Texture = {
          ...asFloats(type),
          size: [8, 8],
          cube: true,
          filter: 'linear',
          addressMode,
          border,
          normalizedCoordinates: true,
        };
        const texture: Texture = count === undefined ? base : { ...base, layers: count };
        const rows = edgePoints().map((row) => (count === undefined ? row : [random.below(2), ...row]));
        return textureJob(
          `cubes/mixed/${addressMode}/${type}/${geometryOf(texture)}`,
          { op: 'tex' },
          texture,
          randomTexels(texture, random, 3),
          rows.slice(0, 128),
        );
      }),
    ),
  );
}

/** A random texture instruction that can read the given texture. */
function randomForm(texture: Texture, isFloat: boolean): Form {
  const geometry = geometryOf(texture);
  const isFlat = texture.size.length === 2;
  const isCube = texture.cube === true;
  const op = random.pick([
    'tex',
    'tex.level',
    'tex.level',
    ...(isFlat ? ['tld4.r'] : []),
    ...(isCube ? [] : ['tex.grad', 'tex.base']),
  ]);
  const isWhole = !isCube && random.percent(12) && (op === 'tex' || op === 'tex.level');
  const to = isFloat ? (op.startsWith('tex') && random.percent(10) ? 'f16' : 'f32') : integerResult(texture.type);
  const hasOffset = !isCube && random.percent(12) && !op.endsWith('grad') && !op.endsWith('base');
  return { op, geometry, to, from: isWhole ? 's32' : 'f32', ...(hasOffset && { hasOffset }) };
}

function randomTexture(): Texture {
  const shape = random.pick(shapes);
  const isOdd = shape.cube !== true && random.percent(40);
  const size = isOdd ? shape.size.map((most) => 1 + random.below(most)) : shape.size;
  const type = random.pick(everyType);
  const isNormalized = /^[us](8|16)$/.test(type) && random.percent(60);
  const canFilter = type.startsWith('f') || isNormalized;
  const most = 1 + Math.floor(Math.log2(Math.max(...size)));
  const mipmaps = random.percent(60) ? 1 + random.below(most) : 1;
  return {
    ...shape,
    size,
    type,
    channels: random.pick(channelCounts),
    ...(isNormalized && { normalizedTexels: true }),
    filter: canFilter ? random.pick(['linear', 'linear', 'point']) : 'point',
    levels: mipmaps,
    levelFilter: canFilter ? random.pick(filters) : 'point',
    normalizedCoordinates: mipmaps > 1 || random.percent(60),
    addressMode: [0, 1, 2].map(() => random.pick(modes)),
    border: [0, 1, 2, 3].map(() => random.pick([0, 1, 0.5, -0.25])),
    ...(random.percent(25) && { levelBias: random.below(512) / 256 - 1 }),
    ...(random.percent(25) && { leastLevel: random.below(256) / 256, greatestLevel: 1 + random.below(512) / 256 }),
  };
}

/** The operands after the point. */
function randomRest({ op, geometry, from, hasOffset }: Form): Row {
  const steps = Math.max(...geometries[geometry].step) + 1;
  const level = from === 's32' ? random.below(4) : f(random.below(1024) / 256 - 0.5);
  return [
    ...(op === 'tex.level' ? [level] : []),
    ...(op === 'tex.grad' ? series(2 * steps, 0, 1).map(slope) : []),
    ...(hasOffset === true ? series(steps, 0, 1).map(() => word(random.below(16) - 8)) : []),
  ];
}

export function randomJobs(): readonly Job[] {
  return series(170, 0, 1).map((i) => {
    const texture = randomTexture();
    const form = randomForm(texture, texture.type.startsWith('f') || texture.normalizedTexels === true);
    const points = randomRows(texture, 48).map((row) => {
      if (form.from !== 's32') return row;
      const layer = texture.layers === undefined ? [] : [random.below(texture.layers)];
      return [...layer, ...texture.size.map((size) => word(random.below(size + 2) - 1))];
    });
    const rows = points.map((row) => [...row, ...randomRest(form)]);
    return textureJob(`random/${i}`, form, texture, randomTexels(texture, random, 5), rows);
  });
}
