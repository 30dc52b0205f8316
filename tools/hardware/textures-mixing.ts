/** Jobs about weights, means of texels, and conversions of channels. */
import type { Job } from '../../test/hardware/job.ts';
import {
  channelBytes,
  f,
  type Form,
  geometryOf,
  pointOf,
  randomTexels,
  series,
  type TexelName,
  texelsOf,
  texelsOfBits,
  type Texture,
  textureJob,
  wideFloat,
} from './texture-parts.ts';
import {
  asFloats,
  channelCounts,
  everyType,
  filterable,
  filters,
  infinity,
  integerResult,
  nan,
  nearTies,
  ramp,
  random,
  randomRows,
  shapes,
} from './texture-values.ts';

/** Coordinates in steps of 1/512 texel. */
const halfSteps = series(512, 0.5, 1 / 512);

export function weights(): readonly Job[] {
  const line = (width: number, normalizedCoordinates: boolean): Texture => ({
    type: 'f32',
    size: [width],
    filter: 'linear',
    normalizedCoordinates,
  });
  const ask = (what: string, texture: Texture, places: readonly number[]): Job =>
    textureJob(
      `weights/${what}`,
      { op: 'tex' },
      texture,
      texelsOf(texture, ramp),
      places.map((place) => pointOf(texture, [place])),
    );
  const byScale = [false, true].flatMap((normalized) => {
    const name = normalized ? 'normalized' : 'texels';
    return [
      ask(
        `${name}/steps`,
        line(8, normalized),
        halfSteps.map((x) => x + 3),
      ),
      ask(
        `${name}/ties near 0`,
        line(8, normalized),
        nearTies.map((x) => x + 0.5),
      ),
      ask(
        `${name}/ties`,
        line(8, normalized),
        nearTies.map((x) => x + 2.5),
      ),
      ask(
        `${name}/ties far`,
        line(4096, normalized),
        nearTies.map((x) => x + 3000.5),
      ),
      ask(`${name}/fine`, line(8, normalized), series(256, 1.5, 2 ** -14)),
    ];
  });
  const bySize = [3, 5, 6, 7, 12, 100, 1000, 4095].map((width) => {
    const texture = line(width, true);
    const rows = series(192, 0, 1).map(() => [f(random.fraction())]);
    return textureJob(`weights/width ${width}`, { op: 'tex' }, texture, texelsOf(texture, ramp), rows);
  });
  const byType = filterable.map((type) => {
    const texture: Texture = { ...asFloats(type), size: [4], filter: 'linear' };
    const texels = texelsOf(texture, ({ x }) => (x % 2) * (type.startsWith('f') ? 1 : 2 ** 16 - 1));
    return textureJob(
      `weights/of ${type}`,
      { op: 'tex' },
      texture,
      texels,
      halfSteps.map((x) => pointOf(texture, [x])),
    );
  });
  return [...byScale, ...bySize, ...byType, ...products()];
}

/** Only one texel is not zero, so that the results are products of weights. */
function products(): readonly Job[] {
  const sizes = [
    [4, 4],
    [4, 4, 4],
  ];
  return sizes.flatMap((size) =>
    (['f32', 'f16', 'u8', 'u16'] as const).flatMap((type) =>
      [1, 256].map((scale) => {
        const texture: Texture = { ...asFloats(type), size, filter: 'linear' };
        const most = type === 'u8' ? 255 : type === 'u16' ? 65535 : 1;
        const texels = texelsOf(texture, ({ x, y, z }) =>
          x === 2 && y === 2 && (z === 2 || size.length < 3) ? most : 0,
        );
        const rows = series(192, 0, 1).map(() =>
          pointOf(
            texture,
            size.map(() => 1.5 + random.below(512 * scale) / (256 * scale)),
          ),
        );
        const id = `weights/products/${size.length}d/${type}/${scale === 1 ? 'steps' : 'between steps'}`;
        return textureJob(id, { op: 'tex' }, texture, texels, rows);
      }),
    ),
  );
}

/** A job that mixes the texels of one texture. */
function mix(what: string, shape: Partial<Texture>, type: TexelName, texelsFor: (texture: Texture) => Buffer): Job {
  const texture: Texture = { size: [16], filter: 'linear', ...asFloats(type), ...shape };
  return textureJob(`sums/${what}`, { op: 'tex' }, texture, texelsFor(texture), randomRows(texture, 160));
}

/** Values of f32 texels that show the precision of sums, by name. */
const values: Readonly<Record<string, () => number>> = {
  'two sizes': () => (random.percent(50) ? 1 : 2 ** -24) * (1 + random.fraction()),
  cancellation: () => (random.percent(50) ? 1 : -1) * (1 + random.below(64) * 2 ** -23),
  'all exponents': () => wideFloat(random, 126),
  large: () => wideFloat(random, 1) * 2 ** 125.9,
  subnormal: () => random.below(2 ** 23) * 2 ** -149 * (random.percent(50) ? 1 : -1),
  'signed zeros': () => random.pick([-0, -0, -0, 0, 2 ** -149]),
  alike: () => 1 + random.below(3) * 2 ** -23,
};

const halfValues: Readonly<Record<string, () => number>> = {
  'two sizes': () => (random.percent(50) ? 1 : 2 ** -12) * (1 + random.fraction()),
  cancellation: () => (random.percent(50) ? 1 : -1) * (1 + random.below(8) * 2 ** -10),
  'all exponents': () => wideFloat(random, 14),
  subnormal: () => random.below(2 ** 10) * 2 ** -24 * (random.percent(50) ? 1 : -1),
  alike: () => 1 + random.below(3) * 2 ** -10,
};

export function sums(): readonly Job[] {
  const all = shapes.flatMap((shape) =>
    filterable.map((type, i) => {
      const channels = channelCounts[(i + shape.size.length) % 3] ?? 1;
      return mix(`${geometryOf(shape)}/${type} ${channels}`, { ...shape, channels }, type, (one) =>
        randomTexels(one, random, 6),
      );
    }),
  );
  const precise = shapes
    .slice(0, 3)
    .flatMap((shape) => [
      ...Object.entries(values).map(([name, valueAt]) =>
        mix(`${geometryOf(shape)}/f32/${name}`, shape, 'f32', (one) => texelsOf(one, valueAt)),
      ),
      ...Object.entries(halfValues).map(([name, valueAt]) =>
        mix(`${geometryOf(shape)}/f16/${name}`, shape, 'f16', (one) => texelsOf(one, valueAt)),
      ),
    ]);
  const narrow = filterable.flatMap((type) =>
    (['f16', 'f16x2'] as const).map((to) => {
      const texture: Texture = { ...asFloats(type), size: [8, 4], channels: 4, filter: 'linear' };
      const texels = randomTexels(texture, random, 6);
      return textureJob(`sums/to ${to}/${type}`, { op: 'tex', to }, texture, texels, randomRows(texture, 96));
    }),
  );
  return [...all, ...precise, ...narrow, ...unused()];
}

/** NaN and infinity next to other texels, mixed with weights from 0 to 1. */
function unused(): readonly Job[] {
  const bits: Readonly<Partial<Record<TexelName, readonly number[]>>> = {
    f32: [0x7fc1_2345, f(1), infinity, f(2), 0xff80_0000, infinity, 0x7f81_2345, 0x8000_0000, nan, f(-3), 0xffc0_0001],
    f16: [0x7e45, 0x3c00, 0x7c00, 0x4000, 0xfc00, 0x7c00, 0x7d23, 0x8000, 0x7fff, 0xbe00, 0xfe01],
  };
  return (['f32', 'f16'] as const).flatMap((type) =>
    [{ size: [16] }, { size: [11, 3] }].flatMap((shape) =>
      filters.map((filter) => {
        const texture: Texture = { type, ...shape, filter };
        const fractions = [0, 1 / 1024, 1 / 512, 1 / 256, 1 / 2, 255 / 256, 511 / 512, 1023 / 1024];
        const rows = series(shape.size[0] ?? 0, 0.5, 1).flatMap((x) =>
          fractions.map((part) => pointOf(texture, [x + part, random.pick([1.5, 1.75, 0.5])])),
        );
        const texels = texelsOfBits(texture, bits[type] ?? []);
        return textureJob(
          `sums/NaN and infinity/${geometryOf(shape)}/${type}/${filter}`,
          { op: 'tex' },
          texture,
          texels,
          rows,
        );
      }),
    ),
  );
}

export function codes(): readonly Job[] {
  const converted = filterable.flatMap((type) =>
    (['f32', 'f16'] as const).map((to) => {
      const texture: Texture = { ...asFloats(type), size: [32, 16] };
      const rows = series(512, 0, 1).map((i) => pointOf(texture, [(i % 32) + 0.5, Math.floor(i / 32) + 0.5]));
      const texels = texelsOfBits(texture, codesOf(type));
      return textureJob(`codes/${type} to ${to}`, { op: 'tex', to }, texture, texels, rows);
    }),
  );
  return [...converted, ...channelsRead(), ...otherTypes()];
}

/** Codes of a type. For 8-bit types, these are all codes; for other types, 512 codes of all kinds of numbers. */
function codesOf(type: TexelName): readonly number[] {
  if (channelBytes(type) === 1) return series(256, 0, 1);
  const step = 2 ** (8 * channelBytes(type)) / 512;
  return series(512, 0, 1).map((i) =>
    type === 'f32' && i % 2 > 0 ? f(wideFloat(random, 26)) : Math.floor(step * (i + random.fraction())),
  );
}

/** Jobs that read all four channels of texels, some of which are missing. */
function channelsRead(): readonly Job[] {
  return everyType.flatMap((type) =>
    channelCounts.flatMap((channels) =>
      [false, true].map((normalizedTexels) => {
        const base = { size: [32], channels } as const;
        const options = normalizedTexels ? { ...base, ...asFloats(type) } : { ...base, type };
        const to = type.startsWith('f') || options.normalizedTexels === true ? 'f32' : integerResult(type);
        const rows = series(32, 0.5, 1).map((x) => [f(x)]);
        const id = `codes/channels/${type} ${channels} as ${normalizedTexels ? 'floats' : 'they are'}`;
        return textureJob(id, { op: 'tex', to }, options, randomTexels(options, random), rows);
      }),
    ),
  );
}

/** Jobs in which the type of the results does not match the type of the texels. */
function otherTypes(): readonly Job[] {
  const asks: readonly (readonly [type: TexelName, isNormalized: boolean, to: NonNullable<Form['to']>])[] = [
    ['f32', false, 'u32'],
    ['f32', false, 's32'],
    ['f16', false, 'u32'],
    ['u32', false, 'f32'],
    ['s32', false, 'f32'],
    ['u8', false, 'f32'],
    ['s8', false, 'u32'],
    ['s16', false, 'f32'],
    ['u16', false, 's32'],
    ['u32', false, 's32'],
    ['s8', true, 's32'],
    ['u16', true, 'u32'],
    ['u8', false, 'f16'],
    ['s16', false, 'f16'],
    ['u32', false, 'f16'],
    ['u32', false, 'f16x2'],
  ];
  return asks.map(([type, isNormalized, to]) => {
    const options: Texture = { type, size: [32], channels: 2, ...(isNormalized && { normalizedTexels: true }) };
    const rows = series(32, 0.5, 1).map((x) => [f(x)]);
    const id = `codes/other/${isNormalized ? 'normalized ' : ''}${type} to ${to}`;
    return textureJob(id, { op: 'tex', to }, options, randomTexels(options, random), rows);
  });
}
