/** Jobs about queries, and about textures that the driver may refuse. */
import type { Job } from '../../test/hardware/job.ts';
import {
  f,
  geometryOf,
  queryJob,
  series,
  type Surface,
  surfaceJob,
  surfaceProgram,
  texelsOf,
  type Texture,
  textureJob,
} from './texture-parts.ts';
import { channelCounts, everyType, pyramid, shapes, word } from './texture-values.ts';

export function refused(): readonly Job[] {
  const options: Readonly<Record<string, Texture>> = {
    'levels without normalized coordinates': { ...pyramid, normalizedCoordinates: false },
    'linear integers': { type: 'u8', size: [16, 16], filter: 'linear' },
    'linear words': { type: 'u32', size: [16, 16], filter: 'linear' },
    'least level above the greatest': { ...pyramid, leastLevel: 3, greatestLevel: 1 },
    'too many levels': { ...pyramid, levels: 6 },
    'normalized words': { type: 'u32', size: [16, 16], normalizedTexels: true },
  };
  return Object.entries(options).map(([name, texture]) => {
    const rows = series(64, 0, 1).map((i) => [f(i / 4), f(0.3), f(i / 16)]);
    const to = texture.type.startsWith('u') ? 'u32' : 'f32';
    return textureJob(
      `refused/${name}`,
      { op: 'tex.level', to },
      texture,
      texelsOf(texture, (_, i) => i),
      rows,
    );
  });
}

const textureQueries = [
  'width',
  'height',
  'depth',
  'array_size',
  'num_mipmap_levels',
  'num_samples',
  'channel_data_type',
  'channel_order',
  'normalized_coords',
  'memory_layout',
  'filter_mode',
  'addr_mode_0',
  'addr_mode_1',
  'addr_mode_2',
  'force_unnormalized_coords',
];

const surfaceQueries = [
  'width',
  'height',
  'depth',
  'array_size',
  'channel_data_type',
  'channel_order',
  'memory_layout',
];

const asking = (instruction: string): ReturnType<typeof surfaceProgram> =>
  surfaceProgram(1, 1, [instruction, 'st.global.b32 [%out], %d0;'], 'ask');

/** Textures that differ in all fields. */
const queried: readonly Texture[] = [
  ...shapes.map(
    (shape, i): Texture => ({ ...shape, type: everyType[i] ?? 'f32', channels: channelCounts[i % 3] ?? 1 }),
  ),
  {
    type: 'u8',
    normalizedTexels: true,
    size: [8, 4],
    channels: 4,
    filter: 'linear',
    addressMode: ['wrap', 'mirror', 'clamp'],
    normalizedCoordinates: true,
  },
  { type: 's16', normalizedTexels: true, size: [6, 3], channels: 2, addressMode: ['border', 'clamp', 'wrap'] },
  { ...pyramid, size: [13, 7], levels: 4, leastLevel: 1, filter: 'linear' },
  { type: 'f16', size: [5, 9, 3], levels: 3, normalizedCoordinates: true },
];

export function queries(): readonly Job[] {
  return queried.flatMap((texture, i) => {
    const texels = texelsOf(texture, () => 0);
    const rows = [...series(8, 0, 1), 31, 32, 33, word(-1), 0x8000_0000].map((level) => [level]);
    const name = `${i} ${geometryOf(texture)}`;
    return [
      ...textureQueries.map((field) =>
        queryJob(`queries/txq/${field}/${name}`, asking(`txq.${field}.b32 %d0, [%t];`), texture, texels, [[0]]),
      ),
      ...['width', 'height', 'depth'].map((field) =>
        queryJob(
          `queries/txq level/${field}/${name}`,
          asking(`txq.level.${field}.b32 %d0, [%t], %r0;`),
          texture,
          texels,
          rows,
        ),
      ),
    ];
  });
}

/** Queries that might end in an error on a GPU. */
export function riskyQueries(): readonly Job[] {
  const surfaces = shapes
    .slice(0, 6)
    .map((shape, i): Surface => ({ ...shape, type: everyType[i] ?? 'f32', channels: channelCounts[i % 3] ?? 1 }));
  const ofSurfaces = surfaces.flatMap((surface, i) =>
    surfaceQueries.map((field) =>
      surfaceJob(
        `queries/suq/${field}/${i} ${geometryOf(surface)}`,
        asking(`suq.${field}.b32 %d0, [%t];`),
        surface,
        texelsOf(surface, () => 0),
        [[0]],
      ),
    ),
  );
  const kinds = ['texref', 'samplerref', 'surfref'].flatMap((kind) => {
    const program = asking(`istypep.${kind} %p, %t; selp.b32 %d0, 1, 0, %p;`);
    const plain: Surface = { type: 'f32', size: [4, 4] };
    return [
      queryJob(
        `queries/istypep/${kind} of a texture`,
        program,
        plain,
        texelsOf(plain, () => 0),
        [[0]],
      ),
      surfaceJob(
        `queries/istypep/${kind} of a surface`,
        program,
        plain,
        texelsOf(plain, () => 0),
        [[0]],
      ),
    ];
  });
  return [...ofSurfaces, ...kinds];
}
