/** Jobs that convert values to the format of a surface, and that reduce texels. */
import type { Job } from '../../test/hardware/job.ts';
import {
  f,
  randomTexels,
  type Row,
  series,
  type Surface,
  surfaceJob,
  surfaceProgram,
  type TexelName,
  texelsOfBits,
} from './texture-parts.ts';
import { channelCounts, everyType, infinity, nan, random, word } from './texture-values.ts';
import {
  type Access,
  coordinateCount,
  names,
  type SurfaceGeometry,
  surfaceOperand,
  surfaceShapes,
} from './textures-surfaces.ts';

/** Words that show how values are converted to a format. */
const convertible: readonly number[] = [
  ...[0, 1, 2, 127, 128, 129, 255, 256, 257, 32767, 32768, 65535, 65536, 65537].flatMap((value) => [
    value,
    word(-value),
  ]),
  ...[0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 127.5, 255, 256, 65504, 65519.9, 65520, 1e6, 1e10].flatMap((value) => [
    f(value),
    f(-value),
  ]),
  ...[1 / 255, 0.5 / 255, 1.5 / 255, 1 / 3, 2 ** -14, 2 ** -24, 2 ** -25, 1.5 * 2 ** -25, 1e-30].map(f),
  ...[1 + 2 ** -11, 1 + 3 * 2 ** -11, 1 + 2 ** -11 + 2 ** -20, 2049, 2051].map(f),
  infinity,
  0xff80_0000,
  nan,
  0x7fc1_2345,
  0x7f80_0001,
  0xffc0_0000,
  0x7fff_ffff,
  0x8000_0000,
  0x7f7f_ffff,
  1,
];

export function formatted(): readonly Job[] {
  const lanes: readonly (1 | 2 | 4)[] = [1, 2, 4];
  const all = everyType.flatMap((type) =>
    channelCounts.flatMap((channels) =>
      lanes.map((count) => {
        const surface: Surface = { type, channels, size: [32, 4] };
        const rows = series(128, 0, 1).map((i) => [
          i % 32,
          i >> 5,
          ...series(count, 0, 1).map((k) => convertible[(i + 37 * k) % convertible.length] ?? 0),
        ]);
        return formattedJob(
          `${type} ${channels}/v${count}`,
          surface,
          { geometry: '2d', lanes: count, outside: 'trap' },
          rows,
        );
      }),
    ),
  );
  const others = names.flatMap((geometry) =>
    (['clamp', 'zero'] as const).flatMap((outside) => {
      const surface = surfaceShapes[geometry];
      const layer = surface.layers === undefined ? [] : [1];
      return [-1, 1, surface.size[0] ?? 0].map((x) => {
        const row = [...layer, word(x), ...surface.size.slice(1).map(() => 1), 0x1234, f(1.5), 77, 5];
        return formattedJob(`${geometry}/${outside}/at ${x}`, surface, { geometry, lanes: 4, outside }, [row]);
      });
    }),
  );
  return [...all, ...others];
}

function formattedJob(what: string, surface: Surface, access: Omit<Access, 'bits'>, rows: readonly Row[]): Job {
  const { geometry, lanes, outside } = access;
  const start = coordinateCount(geometry);
  const list = series(lanes, start, 1)
    .map((i) => `%r${i}`)
    .join(', ');
  const vector = lanes > 1 ? `.v${lanes}` : '';
  const program = surfaceProgram(start + lanes, 0, [
    `sust.p.${geometry}${vector}.b32.${outside} ${surfaceOperand(geometry)}, ${lanes > 1 ? `{${list}}` : list};`,
  ]);
  return surfaceJob(`formatted/${what}`, program, surface, texelsOfBits(surface, [0x55]), rows);
}

interface Reduction {
  readonly kind: 'b' | 'p';
  readonly op: string;
  readonly type: string;
  readonly texel: TexelName;
}

const reductions: readonly Reduction[] = [
  ...['u32', 's32', 'u64'].map((type): Reduction => ({ kind: 'b', op: 'add', type, texel: 'u32' })),
  ...['min', 'max'].flatMap((op) =>
    ['u32', 's32', 'u64', 's64'].map((type): Reduction => ({ kind: 'b', op, type, texel: 'u32' })),
  ),
  ...['and', 'or'].map((op): Reduction => ({ kind: 'b', op, type: 'b32', texel: 'u32' })),
  ...['add', 'min', 'max', 'and', 'or'].flatMap((op) =>
    (['u32', 's32', 'f32'] as const).map((texel): Reduction => ({ kind: 'p', op, type: 'b32', texel })),
  ),
  ...['min', 'max'].flatMap((op) =>
    (['u32', 's32'] as const).map((texel): Reduction => ({ kind: 'p', op, type: 'b64', texel })),
  ),
];

const reductionShapes: readonly (readonly [SurfaceGeometry, readonly number[]])[] = [
  ['1d', [8]],
  ['2d', [8, 3]],
  ['3d', [4, 2, 2]],
];

/** Reductions by many threads on the same texels. */
export function reduced(): readonly Job[] {
  return reductions.flatMap((reduction, i) =>
    reductionShapes.flatMap(([geometry, size], k) =>
      (['clamp', 'zero'] as const)
        .filter((_, side) => geometry === '2d' || (i + k + side) % 2 === 0)
        .map((outside) => reducedJob(reduction, geometry, size, outside)),
    ),
  );
}

function reducedJob(
  reduction: Reduction,
  geometry: SurfaceGeometry,
  size: readonly number[],
  outside: Access['outside'],
): Job {
  const { kind, op, type, texel } = reduction;
  const isWide = type.endsWith('64');
  const surface: Surface = { type: texel, channels: isWide ? 2 : 1, size };
  const start = coordinateCount(geometry);
  const unit = kind === 'p' ? 1 : isWide ? 8 : 4;
  const rows = series(32, 0, 1).map(() => [
    word(unit * (random.below((size[0] ?? 1) + 2) - 1)),
    ...size.slice(1).map((extent) => (random.percent(90) ? random.below(extent) : word(random.pick([-1, extent])))),
    random.bits(),
    ...(isWide ? [random.bits()] : []),
  ]);
  const value = isWide ? [`mov.b64 %w0, {%r${start}, %r${start + 1}};`] : [];
  const program = surfaceProgram(start + (isWide ? 2 : 1), 0, [
    ...value,
    `sured.${kind}.${op}.${geometry}.${type}.${outside} ${surfaceOperand(geometry)}, ${isWide ? '%w0' : `%r${start}`};`,
  ]);
  return surfaceJob(
    `reduced/sured.${kind}.${op}.${geometry}.${type}.${outside}/${texel}`,
    program,
    surface,
    randomTexels(surface, random),
    rows,
  );
}
