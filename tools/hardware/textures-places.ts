/** Jobs about coordinates: which texels they select in textures, layers and gathers, with and without offsets. */
import type { TextureAddressMode } from '../../src/device.ts';
import type { Job } from '../../test/hardware/job.ts';
import {
  f,
  geometryOf,
  pointOf,
  randomTexels,
  type Row,
  series,
  type Spot,
  texelsOf,
  type Texture,
  textureJob,
} from './texture-parts.ts';
import {
  around,
  asFloats,
  border,
  channelCounts,
  edges,
  everyType,
  farIntegers,
  filters,
  integerResult,
  integersNear,
  layersOf,
  modes,
  nearTies,
  pyramid,
  ramp,
  random,
  randomRows,
  shapes,
  special,
  word,
} from './texture-values.ts';

export function places(): readonly Job[] {
  const lines = [1, 4, 5, 100].flatMap((width) =>
    modes.flatMap((addressMode) =>
      filters.flatMap((filter) =>
        [false, true].map((normalizedCoordinates) => {
          const texture: Texture = { type: 'f32', size: [width], addressMode, filter, normalizedCoordinates, border };
          const scale = normalizedCoordinates ? width : 1;
          const rows = [
            ...edges(width).map((x) => [f(x / scale)]),
            ...[0, 1, width - 1, width, -1, 2 * width].flatMap((x) => around(f(x / scale)).map((bits) => [bits])),
            ...special.map((bits) => [bits]),
          ];
          const id = `places/1d/${width}/${addressMode}/${filter}/${normalizedCoordinates ? 'normalized' : 'texels'}`;
          return textureJob(id, { op: 'tex' }, texture, texelsOf(texture, ramp), rows);
        }),
      ),
    ),
  );
  return [...lines, ...planes(), ...exactEdges(), ...borders()];
}

/** Textures with several dimensions or layers. Some have a different address mode for each dimension. */
function planes(): readonly Job[] {
  const mixed: readonly (TextureAddressMode | readonly TextureAddressMode[])[] = [
    ...modes,
    ['wrap', 'mirror', 'clamp'],
    ['border', 'wrap', 'mirror'],
    ['clamp', 'border', 'wrap'],
    ['mirror', 'clamp', 'border'],
  ];
  return [
    { size: [8, 4] },
    { size: [5, 3] },
    { size: [4, 2, 8] },
    { size: [8], layers: 2 },
    { size: [4, 4], layers: 2 },
  ].flatMap((shape) =>
    mixed.flatMap((addressMode, i) => {
      const filter = filters[i % 2] ?? 'point';
      return [filter, filter === 'point' ? 'linear' : 'point'].slice(0, i < modes.length ? 2 : 1).map((one) => {
        const filtered = one === 'linear' ? 'linear' : 'point';
        const texture: Texture = {
          type: 'f32',
          ...shape,
          addressMode,
          filter: filtered,
          normalizedCoordinates: true,
          border,
        };
        const texels = texelsOf(texture, ({ x, y, z, layer }) => x + 16 * y + 256 * z + 4096 * layer);
        const rows = series(96, 0, 1).map(() =>
          pointOf(
            texture,
            shape.size.map((size) => (random.percent(60) ? random.pick(edges(size)) : random.below(size * 256) / 256)),
            random.below(layersOf(texture)),
          ),
        );
        const name = typeof addressMode === 'string' ? addressMode : addressMode.join(' ');
        return textureJob(
          `places/${geometryOf(shape)}/${shape.size.join('x')}/${name}/${filtered}`,
          { op: 'tex' },
          texture,
          texels,
          rows,
        );
      });
    }),
  );
}

/** Normalized coordinates at and next to multiples of one texel, for sizes that are not powers of two. */
function exactEdges(): readonly Job[] {
  return [3, 5, 7, 12, 100, 1000, 4095].flatMap((width) =>
    (['clamp', 'wrap'] as const).map((addressMode) => {
      const texture: Texture = { type: 'f32', size: [width], normalizedCoordinates: true, addressMode };
      const rows = series(64, 0, 1).flatMap((i) => {
        const edge = width < 64 ? i - 16 : random.below(3 * width) - width;
        return around(f(edge / width)).map((bits) => [bits]);
      });
      return textureJob(`places/edges/${width}/${addressMode}`, { op: 'tex' }, texture, texelsOf(texture, ramp), rows);
    }),
  );
}

/** Border colors in all formats. */
function borders(): readonly Job[] {
  const colors: readonly (readonly number[])[] = [
    [0.25, -3, 100, 0.7],
    [1 / 3, -1 / 3, 1e-3, -0.5],
    [7.5, 300, -129, 70000],
    [1e30, 65520, 0.9, 2],
  ];
  return everyType.flatMap((type) =>
    colors.flatMap((color, i) =>
      [false, true].flatMap((isFiltered) => {
        const isNormalized = /^[us](8|16)$/.test(type);
        if (isFiltered && !isNormalized && !type.startsWith('f')) return [];
        const format = isFiltered ? asFloats(type) : { type };
        const texture: Texture = {
          ...format,
          size: [4],
          channels: 4,
          addressMode: 'border',
          filter: isFiltered ? 'linear' : 'point',
          border: color,
        };
        const to = type.startsWith('f') || isFiltered ? 'f32' : integerResult(type);
        const rows = series(32, -1.5, 1 / 8).map((x) => [f(x)]);
        const id = `places/borders/${type} ${isFiltered ? 'linear' : 'point'}/${i}`;
        return [textureJob(id, { op: 'tex', to }, texture, randomTexels(texture, random, 3), rows)];
      }),
    ),
  );
}

export function integers(): readonly Job[] {
  return shapes.slice(0, 5).flatMap((shape) =>
    modes.flatMap((addressMode) =>
      [false, true].flatMap((normalizedCoordinates) => {
        const isLinear = normalizedCoordinates === (addressMode === 'wrap');
        const base: Texture = { type: 'f32', ...shape, addressMode, border, normalizedCoordinates };
        const texture: Texture = isLinear ? { ...base, filter: 'linear' } : base;
        const texels = texelsOf(texture, ({ x, y, z, layer }) => 1 + x + 32 * y + 1024 * z + 4096 * layer);
        const rows = series(128, 0, 1).map(() => [
          ...(shape.layers === undefined
            ? []
            : [random.pick(random.percent(70) ? [0, 1, 2] : integersNear(shape.layers))]),
          ...shape.size.map((size) => (random.percent(60) ? random.below(size) : random.pick(integersNear(size)))),
        ]);
        const id = `integers/${geometryOf(shape)}/${addressMode}/${normalizedCoordinates ? 'normalized' : 'texels'}`;
        const form = { op: 'tex', from: 's32' } as const;
        const moved = rows.map((row) => [...row, ...shape.size.map(() => word(random.below(16) - 8))]);
        return [
          textureJob(id, form, texture, texels, rows),
          ...(isLinear ? [textureJob(`${id}/offset`, { ...form, hasOffset: true }, texture, texels, moved)] : []),
        ];
      }),
    ),
  );
}

export function layers(): readonly Job[] {
  return shapes
    .filter((shape) => shape.layers !== undefined)
    .map((shape) => {
      const texture: Texture = { type: 'f32', ...shape };
      const texels = texelsOf(texture, ({ x, y, layer }) => x + 16 * y + 256 * layer);
      const indices = [...series(24, -8, 1).map(word), ...farIntegers, 2047, 2048, 2049, f(1), f(-1)];
      const rows = indices.map((index) => [index, ...pointOf(texture, [1.5, 1.5], 2).slice(1)]);
      return textureJob(`layers/${geometryOf(shape)}`, { op: 'tex' }, texture, texels, rows);
    });
}

export function gathers(): readonly Job[] {
  const flat = shapes.filter((shape) => shape.size.length === 2);
  return [...flat.flatMap(gathersOf), ...gatherPlaces()];
}

/** Gathers of all components and formats, at the same points. */
function gathersOf(shape: Pick<Texture, 'size' | 'layers' | 'cube'>): readonly Job[] {
  const rows = randomRows({ type: 'f32', ...shape, normalizedCoordinates: true }, 64);
  const ask = (component: string, options: Omit<Texture, 'size'>): Job =>
    gather(component, { ...shape, ...options }, rows);
  const plain = ['r', 'g', 'b', 'a'].flatMap((component, i) =>
    modes.map((addressMode, k) =>
      ask(component, {
        type: everyType[(2 * i + k) % 8] ?? 'f32',
        channels: 4,
        addressMode,
        filter: filters[(i + k) % 2] ?? 'point',
      }),
    ),
  );
  const formats = everyType.flatMap((type) =>
    channelCounts.map((channels) => ask(channels === 1 ? 'r' : 'g', { type, channels })),
  );
  const missing = ['g', 'b', 'a'].flatMap((component) =>
    (['f32', 's16', 'u8'] as const).map((type) => ask(component, { type, channels: component === 'g' ? 1 : 2 })),
  );
  return [...plain, ...formats, ...missing];
}

function gather(component: string, options: Texture, rows: readonly Row[]): Job {
  const { type, filter = 'point', channels = 1, addressMode = 'clamp' } = options;
  const format = filter === 'linear' ? asFloats(type) : { type };
  const isFloat = type.startsWith('f') || format.normalizedTexels === true;
  const usedFilter = isFloat ? filter : 'point';
  const texture: Texture = { ...options, ...format, filter: usedFilter, border, normalizedCoordinates: true };
  const to = isFloat ? 'f32' : integerResult(type);
  const texels = texelsOf(texture, (_, i) => ((i * 37) % 251) - 100);
  const mode = typeof addressMode === 'string' ? addressMode : '';
  const id = `gathers/${geometryOf(texture)}/${component}/${mode}/${type} ${channels} to ${to}, ${usedFilter}`;
  return textureJob(id, { op: `tld4.${component}`, to }, texture, texels, rows);
}

/** Jobs that show which four texels a gather reads, with and without offsets. */
function gatherPlaces(): readonly Job[] {
  const numbered = ({ x, y, layer }: Spot): number => x + 16 * y + 256 * layer;
  const shape = { size: [8, 5] };
  return modes
    .flatMap((addressMode) =>
      [false, true].flatMap((normalizedCoordinates) =>
        [false, true].map((hasOffset) => {
          const texture: Texture = { type: 'f32', ...shape, addressMode, normalizedCoordinates, border };
          const rows = series(128, 0, 1).map((i) => {
            const at = i < 64 ? [1 + i / 64, 2.5] : shape.size.map((size) => random.pick(edges(size)));
            const offset = [0, 1].map(() => word(random.percent(70) ? random.below(16) - 8 : random.below(256) - 128));
            return [...pointOf(texture, at), ...(hasOffset ? offset : [])];
          });
          const id = `gathers/places/${addressMode}/${normalizedCoordinates ? 'normalized' : 'texels'}${hasOffset ? '/offset' : ''}`;
          return textureJob(id, { op: 'tld4.r', hasOffset }, texture, texelsOf(texture, numbered), rows);
        }),
      ),
    )
    .concat(
      [-1, 1].map((sign) => {
        const texture: Texture = { type: 'f32', size: [8, 8] };
        const ties = nearTies.map((e) => pointOf(texture, [3.5 + (sign * e) / 64, 3.5 + e / 4]));
        return textureJob(
          `gathers/places/close to centers/${sign}`,
          { op: 'tld4.r' },
          texture,
          texelsOf(texture, numbered),
          ties,
        );
      }),
    );
}

export function offsets(): readonly Job[] {
  return shapes.slice(0, 5).flatMap((shape) =>
    modes.flatMap((addressMode, i) =>
      ['tex', 'tex.level'].map((op, k) => {
        const filter = filters[(i + k) % 2] ?? 'point';
        const texture: Texture = {
          ...pyramid,
          ...shape,
          levels: op === 'tex' ? 1 : 3,
          levelFilter: 'point',
          addressMode,
          filter,
          border,
        };
        const texels = texelsOf(
          texture,
          ({ x, y, z, layer, level }) => x + 16 * y + 256 * z + 4096 * layer + 16384 * level,
        );
        const rows = randomRows(texture, 96).map((row) => [
          ...row,
          ...(op === 'tex' ? [] : [f(random.below(3))]),
          ...shape.size.map(() => word(random.percent(70) ? random.below(16) - 8 : random.below(200) - 100)),
        ]);
        return textureJob(
          `offsets/${op}/${geometryOf(shape)}/${addressMode}/${filter}`,
          { op, hasOffset: true },
          texture,
          texels,
          rows,
        );
      }),
    ),
  );
}

export function residency(): readonly Job[] {
  return shapes.map((shape) => {
    const texture: Texture = { type: 'f32', ...shape, normalizedCoordinates: true, addressMode: 'border', border };
    const rows = randomRows(texture, 64);
    return textureJob(
      `residency/${geometryOf(shape)}`,
      { op: 'tex', hasPredicate: true },
      texture,
      randomTexels(texture, random),
      rows,
    );
  });
}
