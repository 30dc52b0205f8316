/** Jobs that load from surfaces and store to them. */
import type { Job } from '../../test/hardware/job.ts';
import {
  channelBytes,
  geometries,
  randomTexels,
  type Row,
  series,
  type Surface,
  surfaceJob,
  surfaceProgram,
} from './texture-parts.ts';
import { integersNear, random, word } from './texture-values.ts';

export type SurfaceGeometry = '1d' | '2d' | '3d' | 'a1d' | 'a2d';

/** Surfaces whose rows have 48, 48, 16, 48 and 40 bytes. */
export const surfaceShapes: Readonly<Record<SurfaceGeometry, Surface>> = {
  '1d': { type: 'u16', channels: 2, size: [12] },
  '2d': { type: 'u8', channels: 2, size: [24, 5] },
  '3d': { type: 'u32', channels: 1, size: [4, 3, 2] },
  a1d: { type: 'f16', channels: 4, size: [6], layers: 3 },
  a2d: { type: 'u32', channels: 2, size: [5, 4], layers: 2 },
};

export interface Access {
  readonly geometry: SurfaceGeometry;
  readonly bits: 8 | 16 | 32 | 64;
  readonly lanes: 1 | 2 | 4;
  readonly outside: 'trap' | 'clamp' | 'zero';
}

export const surfaceOperand = (geometry: SurfaceGeometry): string =>
  `[%t, {${geometries[geometry].point.map((i) => `%r${i}`).join(', ')}}]`;

export const coordinateCount = (geometry: SurfaceGeometry): number => Math.max(...geometries[geometry].point) + 1;

const letterOf = (bits: number): string => (bits === 64 ? 'w' : bits === 32 ? 'd' : 'h');

/** The registers of an access, as an operand. */
function lanesOf({ bits, lanes }: Access): string {
  const list = series(lanes, 0, 1).map((i) => `%${letterOf(bits)}${i}`);
  return lanes === 1 ? (list[0] ?? '') : `{${list.join(', ')}}`;
}

const wordsOf = ({ bits, lanes }: Access): number => Math.ceil((bits * lanes) / 32);

const modifiers = ({ geometry, bits, lanes, outside }: Access): string =>
  `b.${geometry}${lanes > 1 ? `.v${lanes}` : ''}.b${bits}.${outside}`;

function loadProgram(access: Access): ReturnType<typeof surfaceProgram> {
  const { geometry, bits, lanes } = access;
  const store = series(lanes, 0, 1).map((i) => `st.global.b${bits} [%out+${(i * bits) / 8}], %${letterOf(bits)}${i};`);
  return surfaceProgram(coordinateCount(geometry), wordsOf(access), [
    `suld.${modifiers(access)} ${lanesOf(access)}, ${surfaceOperand(geometry)};`,
    ...store,
  ]);
}

function storeProgram(access: Access): ReturnType<typeof surfaceProgram> {
  const { geometry, bits, lanes } = access;
  const start = 4 * coordinateCount(geometry);
  const load = series(lanes, 0, 1).map(
    (i) => `ld.global.b${bits} %${letterOf(bits)}${i}, [%in+${start + (i * bits) / 8}];`,
  );
  // A thread's values at %in may not be aligned to 8 bytes, so 64-bit values are combined from two words.
  const halves = series(lanes, 0, 1).map(
    (i) => `mov.b64 %w${i}, {%r${start / 4 + 2 * i}, %r${start / 4 + 2 * i + 1}};`,
  );
  return surfaceProgram(coordinateCount(geometry) + wordsOf(access), 0, [
    ...(bits === 64 ? halves : load),
    `sust.${modifiers(access)} ${surfaceOperand(geometry)}, ${lanesOf(access)};`,
  ]);
}

const rowBytes = ({ type, channels = 1, size }: Surface): number => channelBytes(type) * channels * (size[0] ?? 1);

/**
 * Random coordinates inside a surface or, if `isOutside` is true, also around it. The first coordinate is a multiple of
 * `bytes`.
 */
function randomCoordinates(surface: Surface, bytes: number, isOutside: boolean): Row {
  const steps = Math.floor(rowBytes(surface) / bytes);
  const pick = (count: number): number =>
    isOutside && random.percent(40) ? random.pick(integersNear(count)) : random.below(count);
  const first = isOutside && random.percent(40) ? bytes * (random.below(steps + 6) - 3) : bytes * random.below(steps);
  const layer = surface.layers === undefined ? [] : [pick(surface.layers)];
  return [...layer, word(first), ...surface.size.slice(1).map(pick)];
}

/** All places of a surface, each of them once. */
function everyPlace({ size, layers: count, ...surface }: Surface, bytes: number): readonly Row[] {
  const firsts = series(Math.floor(rowBytes({ ...surface, size }) / bytes), 0, bytes);
  let rows: readonly Row[] = firsts.map((first) => [first]);
  for (const extent of size.slice(1)) rows = rows.flatMap((row) => series(extent, 0, 1).map((i) => [...row, i]));
  return count === undefined ? rows : rows.flatMap((row) => series(count, 0, 1).map((layer) => [layer, ...row]));
}

export const names: readonly SurfaceGeometry[] = ['1d', '2d', '3d', 'a1d', 'a2d'];

const widths: readonly Pick<Access, 'bits' | 'lanes'>[] = ([8, 16, 32, 64] as const).flatMap((bits) =>
  ([1, 2, 4] as const).filter((lanes) => bits * lanes <= 128).map((lanes) => ({ bits, lanes })),
);

/** Accesses of all widths to 2D surfaces, and of a few widths to other surfaces. */
const accesses: readonly Access[] = names.flatMap((geometry) =>
  widths
    .filter(
      ({ bits, lanes }) =>
        geometry === '2d' ||
        (bits === 8 && lanes === 4) ||
        (bits === 32 && lanes === 1) ||
        (bits === 64 && lanes === 1),
    )
    .flatMap((width) =>
      (['clamp', 'zero', 'trap'] as const).map((outside): Access => ({ geometry, ...width, outside })),
    ),
);

export function surfaces(): readonly Job[] {
  return accesses.flatMap((access) => {
    const surface = surfaceShapes[access.geometry];
    const bytes = (access.bits * access.lanes) / 8;
    const texels = randomTexels(surface, random);
    const places = series(96, 0, 1).map(() => randomCoordinates(surface, bytes, access.outside !== 'trap'));
    const stored = everyPlace(surface, bytes).filter((_, i) => i % 3 === 0);
    const rows = stored.map((row) => [...row, ...series(wordsOf(access), 0, 1).map(() => random.bits())]);
    return [
      surfaceJob(`surfaces/suld.${modifiers(access)}`, loadProgram(access), surface, texels, places),
      surfaceJob(`surfaces/sust.${modifiers(access)}`, storeProgram(access), surface, texels, rows),
      ...storesOutside(access, surface, texels),
    ];
  });
}

/** Stores of a single thread outside of a surface. */
function storesOutside(access: Access, surface: Surface, texels: Buffer): readonly Job[] {
  const { geometry, bits, lanes, outside } = access;
  if (outside === 'trap' || (bits * lanes !== 32 && bits * lanes !== 64)) return [];
  const bytes = (bits * lanes) / 8;
  const inside = [...(surface.layers === undefined ? [] : [1]), bytes, ...surface.size.slice(1).map(() => 1)];
  const first = surface.layers === undefined ? 0 : 1;
  const sizes = [
    ...(surface.layers === undefined ? [] : [surface.layers]),
    rowBytes(surface),
    ...surface.size.slice(1),
  ];
  return inside.flatMap((_, i) =>
    [-1, 0].map((side) => {
      const step = i === first ? bytes : 1;
      const row = inside.map((at, k) => (k === i ? word(side < 0 ? -step : (sizes[k] ?? 0)) : at));
      const value = series(wordsOf(access), 0, 1).map(() => random.bits());
      const id = `surfaces/outside/sust.${modifiers(access)}/${side < 0 ? 'before' : 'after'} ${i} of ${geometry}`;
      return surfaceJob(id, storeProgram(access), surface, texels, [[...row, ...value]]);
    }),
  );
}

/** Loads that begin in a row and end beyond it. */
export function straddling(): readonly Job[] {
  return ([32, 64] as const).flatMap((bits) =>
    (['clamp', 'zero'] as const).map((outside) => {
      const access: Access = { geometry: '2d', bits, lanes: 1, outside };
      const surface: Surface = { type: 'u8', size: [21, 3] };
      const rows = series(8, -2, 1).flatMap((i) => series(5, -1, 1).map((y) => [word((i * bits) / 8), word(y)]));
      return surfaceJob(
        `surfaces/straddling/suld.${modifiers(access)}`,
        loadProgram(access),
        surface,
        randomTexels(surface, random),
        rows,
      );
    }),
  );
}

/** Accesses that are not aligned and, at the end, one that is outside a surface, with `.trap`. */
export function errors(): readonly Job[] {
  const surface = surfaceShapes['2d'];
  const ask = (what: string, access: Access, at: number): Job =>
    surfaceJob(`errors/${what}`, loadProgram(access), surface, randomTexels(surface, random), [[at, 1]]);
  return [
    ask('not aligned, .clamp', { geometry: '2d', bits: 32, lanes: 1, outside: 'clamp' }, 6),
    ask('not aligned, .zero', { geometry: '2d', bits: 32, lanes: 1, outside: 'zero' }, 6),
    ask('not aligned, odd .zero', { geometry: '2d', bits: 16, lanes: 1, outside: 'zero' }, 3),
    ask('outside, .trap', { geometry: '2d', bits: 32, lanes: 1, outside: 'trap' }, 48),
  ];
}
