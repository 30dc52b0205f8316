/** Texels, kernels and coordinates of jobs that read textures or access surfaces. */
import { numberBits } from '../../src/numerics/number-bits.ts';
import type { TexelOptions, TextureOptions } from '../../src/device.ts';
import type { RandomSource } from '../../test/differential/random-source.ts';
import type { Job, JobArgument } from '../../test/hardware/job.ts';

export type Texture = Omit<TextureOptions, 'texels'>;
export type Surface = Omit<TexelOptions, 'texels'>;
export type TexelName = TexelOptions['type'];

// --- numbers ----------------------------------------------------------------------------------------------------------

/** The bits of a number that is rounded to f32. */
export const f = (value: number): number => Number(numberBits('f32', value));

/** The numbers `from`, `from + step` and so on. */
export const series = (count: number, from: number, step: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => from + i * step);

/** A number of either sign between 2^-spread and 2^(spread+1). */
export function wideFloat(random: RandomSource, spread: number): number {
  const size = 2 ** (random.below(2 * spread + 1) - spread) * (1 + random.fraction());
  return random.percent(50) ? -size : size;
}

function bytesOfWords(words: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(words).buffer);
}

// --- texels -----------------------------------------------------------------------------------------------------------

/** The position of a channel of a texel. For cubes, the layers are the faces. */
export interface Spot {
  readonly level: number;
  readonly layer: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly channel: number;
}

type Write = (view: DataView, at: number, value: number) => void;

const writers: Readonly<Record<TexelName, readonly [bytes: number, write: Write]>> = {
  u8: [1, (view, at, value) => view.setUint8(at, value)],
  s8: [1, (view, at, value) => view.setInt8(at, value)],
  u16: [2, (view, at, value) => view.setUint16(at, value, true)],
  s16: [2, (view, at, value) => view.setInt16(at, value, true)],
  u32: [4, (view, at, value) => view.setUint32(at, value, true)],
  s32: [4, (view, at, value) => view.setInt32(at, value, true)],
  f16: [2, (view, at, value) => view.setUint16(at, Number(numberBits('f16', value)), true)],
  f32: [4, (view, at, value) => view.setUint32(at, f(value), true)],
};

export const channelBytes = (type: TexelName): number => writers[type][0];

/** All channels of all texels, in the order in which they are in memory. */
function spotsOf({ size, layers, cube, levels = 1, channels = 1 }: Texture): readonly Spot[] {
  const depth = (layers ?? 1) * (cube === true ? 6 : 1);
  return series(levels, 0, 1).flatMap((level) => {
    const [width = 1, height = 1, slices = 1] = [0, 1, 2].map((i) => Math.max(1, (size[i] ?? 1) >> level));
    return series(depth * slices * height * width * channels, 0, 1).map((index) => {
      let rest = index;
      const next = (count: number): number => {
        const found = rest % count;
        rest = (rest - found) / count;
        return found;
      };
      const [channel, x, y, z] = [next(channels), next(width), next(height), next(slices)];
      return { level, layer: rest, x, y, z, channel };
    });
  });
}

/** The bytes of texels with the given values. */
export function texelsOf(texture: Texture, valueAt: (spot: Spot, index: number) => number): Buffer {
  const spots = spotsOf(texture);
  const [bytes, write] = writers[texture.type];
  const texels = Buffer.alloc(spots.length * bytes);
  const view = new DataView(texels.buffer, texels.byteOffset, texels.byteLength);
  spots.forEach((spot, i) => write(view, i * bytes, valueAt(spot, i)));
  return texels;
}

/** Texels with random bits; floats are finite and differ by a factor of at most 4^spread. */
export function randomTexels(texture: Texture, random: RandomSource, spread = 8): Buffer {
  const isFloat = texture.type.startsWith('f');
  return texelsOf(texture, () => (isFloat ? wideFloat(random, spread) : random.bits() | 0));
}

/** Texels with the given bits. If there are more texels, the bits are repeated. */
export function texelsOfBits(texture: Texture, bits: readonly number[]): Buffer {
  const texels = texelsOf(texture, () => 0);
  const bytes = channelBytes(texture.type);
  for (let i = 0; i < texels.length / bytes; i++) texels.writeUIntLE(bits[i % bits.length] ?? 0, i * bytes, bytes);
  return texels;
}

// --- instructions ------------------------------------------------------------------------------------------------------

interface Geometry {
  /** For each element of the coordinate operand, the index of the coordinate in the point. */
  readonly point: readonly number[];
  /** The same for the operands with derivatives and offsets. */
  readonly step: readonly number[];
}

export const geometries = {
  '1d': { point: [0], step: [0] },
  '2d': { point: [0, 1], step: [0, 1] },
  '3d': { point: [0, 1, 2, 2], step: [0, 1, 2, 2] },
  a1d: { point: [0, 1], step: [0] },
  a2d: { point: [0, 1, 2, 2], step: [0, 1] },
  cube: { point: [0, 1, 2, 2], step: [0, 1, 2, 2] },
  acube: { point: [0, 1, 2, 3], step: [0, 1, 2, 2] },
} as const satisfies Readonly<Record<string, Geometry>>;

export type GeometryName = keyof typeof geometries;

const countOf = (list: readonly number[]): number => Math.max(...list) + 1;

/** The geometry of a texture, as it is written in a mnemonic. */
export function geometryOf({ size, layers, cube }: Pick<Texture, 'size' | 'layers' | 'cube'>): GeometryName {
  if (cube === true) return layers === undefined ? 'cube' : 'acube';
  if (size.length === 3) return '3d';
  if (size.length === 2) return layers === undefined ? '2d' : 'a2d';
  return layers === undefined ? '1d' : 'a1d';
}

/** An instruction that reads a texture. */
export interface Form {
  /** `tex`, `tex.base`, `tex.level`, `tex.grad`, or `tld4` with a component. */
  readonly op: string;
  readonly geometry: GeometryName;
  /** The type of results, `f32` by default. */
  readonly to?: 'f32' | 's32' | 'u32' | 'f16' | 'f16x2';
  /** The type of coordinates, `f32` by default. */
  readonly from?: 'f32' | 's32';
  readonly hasOffset?: boolean;
  /** Whether the instruction sets a predicate that says if the texels are resident. */
  readonly hasPredicate?: boolean;
}

/** An operand that is a list of registers. */
const operand = (list: readonly number[], start: number): string => `{${list.map((i) => `%r${start + i}`).join(', ')}}`;

const kernelOf = (name: string, body: readonly string[]): string => `.version 9.0
.target sm_90
.address_size 64
.visible .entry ${name}(.param .u64 texels, .param .u64 handle, .param .u64 in, .param .u64 out)
{
.reg .pred %p;
.reg .b16 %h<4>;
.reg .b32 %r<20>, %d<6>, %i, %n, %first;
.reg .b64 %t, %in, %out, %w<4>;
mov.u32 %i, %ctaid.x;
mov.u32 %n, %ntid.x;
mov.u32 %first, %tid.x;
mad.lo.u32 %i, %i, %n, %first;
ld.param.u64 %t, [handle];
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
${body.join('\n')}
ret;
}
`;

/** Instructions that compute the addresses of a thread's words, and load its numbers. */
const loads = (wordsIn: number, wordsOut: number): readonly string[] => [
  `mad.wide.u32 %in, %i, ${4 * wordsIn}, %in;`,
  `mad.wide.u32 %out, %i, ${4 * wordsOut}, %out;`,
  ...series(wordsIn, 0, 1).map((i) => `ld.global.b32 %r${i}, [%in+${4 * i}];`),
];

/** For each type of result, the registers, the type of the stores, and the number of bytes per register. */
const resultRegisters = {
  f32: { registers: ['%d0', '%d1', '%d2', '%d3'], store: 'b32', bytes: 4 },
  s32: { registers: ['%d0', '%d1', '%d2', '%d3'], store: 'b32', bytes: 4 },
  u32: { registers: ['%d0', '%d1', '%d2', '%d3'], store: 'b32', bytes: 4 },
  f16: { registers: ['%h0', '%h1', '%h2', '%h3'], store: 'b16', bytes: 2 },
  f16x2: { registers: ['%d0', '%d1'], store: 'b32', bytes: 4 },
} as const;

interface Program {
  readonly source: string;
  readonly kernel: string;
  readonly wordsIn: number;
  readonly wordsOut: number;
}

/** The number of elements in each operand of a form. */
function operandCounts({ op, geometry, hasOffset }: Form): Readonly<Record<'point' | 'level' | 'offset', number>> {
  const { point, step } = geometries[geometry];
  const level = op === 'tex.level' ? 1 : op === 'tex.grad' ? 2 * countOf(step) : 0;
  return { point: countOf(point), level, offset: hasOffset === true ? countOf(step) : 0 };
}

/** A kernel in which each thread executes one instruction. */
function programOf(form: Form): Program {
  const { op, geometry, to = 'f32', from = 'f32', hasOffset, hasPredicate } = form;
  const { point, step } = geometries[geometry];
  const counts = operandCounts(form);
  const { registers, store, bytes } = resultRegisters[to];
  const words = (registers.length * bytes) / 4;
  const rest =
    op === 'tex.level'
      ? [`%r${counts.point}`]
      : op === 'tex.grad'
        ? [operand(step, counts.point), operand(step, counts.point + countOf(step))]
        : [];
  if (hasOffset === true) rest.push(operand(step, counts.point + counts.level));
  const list = `{${registers.join(', ')}}${hasPredicate === true ? '|%p' : ''}`;
  const mnemonic = `${op}.${geometry}.v${registers.length}.${to}.${from}`;
  const wordsIn = counts.point + counts.level + counts.offset;
  const wordsOut = words + (hasPredicate === true ? 1 : 0);
  const body = [
    ...loads(wordsIn, wordsOut),
    `${[`${mnemonic} ${list}, [%t, ${operand(point, 0)}]`, ...rest].join(', ')};`,
    ...registers.map((one, i) => `st.global.${store} [%out+${bytes * i}], ${one};`),
    ...(hasPredicate === true ? ['selp.b32 %d5, 1, 0, %p;', `st.global.b32 [%out+${4 * words}], %d5;`] : []),
  ];
  return { source: kernelOf('read', body), kernel: 'read', wordsIn, wordsOut };
}

/**
 * A kernel in which each thread executes the given instructions on a surface. `%w` are 64-bit registers, `%d` are
 * 32-bit registers, and `%h` are 16-bit registers.
 */
export function surfaceProgram(
  wordsIn: number,
  wordsOut: number,
  instructions: readonly string[],
  kernel = 'access',
): Program {
  return { source: kernelOf(kernel, [...loads(wordsIn, wordsOut), ...instructions]), kernel, wordsIn, wordsOut };
}

// --- jobs --------------------------------------------------------------------------------------------------------------

/** The numbers that a thread reads, as words. */
export type Row = readonly number[];

const warp = 32;

function jobOf(id: string, program: Program, argument: JobArgument, texels: Buffer, rows: readonly Row[]): Job {
  const { source, kernel, wordsIn, wordsOut } = program;
  const wrong = rows.find((row) => row.length !== wordsIn);
  if (wrong !== undefined) throw new Error(`${id}: ${wrong.length} numbers for a thread that reads ${wordsIn}`);
  const blocks = Math.ceil(rows.length / warp);
  // The last threads use the last row again. A single row is used by a single thread, so that a store happens only
  // once.
  const threads = rows.length === 1 ? 1 : blocks * warp;
  const words = series(threads, 0, 1).flatMap((i) => [...(rows[Math.min(i, rows.length - 1)] ?? [])]);
  const isSurface = argument.kind === 'surface';
  return {
    id,
    source,
    kernel,
    grid: [blocks, 1, 1],
    block: [Math.min(warp, threads), 1, 1],
    args: [
      { kind: 'buffer', size: texels.length, bytes: texels.toString('hex'), ...(isSurface && { returned: true }) },
      argument,
      { kind: 'buffer', size: 4 * words.length, bytes: bytesOfWords(words).toString('hex') },
      { kind: 'buffer', size: Math.max(4, 4 * threads * wordsOut), returned: true },
    ],
  };
}

/** A job that reads a texture. */
export function textureJob(
  id: string,
  form: Omit<Form, 'geometry'> & Partial<Pick<Form, 'geometry'>>,
  options: Texture,
  texels: Buffer,
  rows: readonly Row[],
): Job {
  return queryJob(id, programOf({ geometry: geometryOf(options), ...form }), options, texels, rows);
}

/** A job that runs a program with a texture. */
export function queryJob(id: string, program: Program, options: Texture, texels: Buffer, rows: readonly Row[]): Job {
  return jobOf(id, program, { kind: 'texture', buffer: 0, options }, texels, rows);
}

/** A job that runs a program with a surface. */
export function surfaceJob(id: string, program: Program, options: Surface, texels: Buffer, rows: readonly Row[]): Job {
  return jobOf(id, program, { kind: 'surface', buffer: 0, options }, texels, rows);
}

// --- points ------------------------------------------------------------------------------------------------------------

/** The point of a cube that is `s` and `t` away from the middle of a face, in units of half a face. */
export function cubePoint(face: number, s: number, t: number, length = 1): readonly number[] {
  const points: readonly (readonly number[])[] = [
    [length, -t, -s],
    [-length, -t, s],
    [s, length, t],
    [s, -length, -t],
    [s, -t, length],
    [-s, -t, -length],
  ];
  return points[face] ?? [];
}

/** The words for a point and its layer. The coordinates are given in texels. For cubes, the layer is the face. */
export function pointOf(texture: Texture, at: readonly number[], layer = 0): Row {
  const { size, cube, layers, normalizedCoordinates } = texture;
  if (cube === true) {
    const [s = 0, t = 0] = [0, 1].map((i) => (2 * (at[i] ?? 0)) / (size[i] ?? 1) - 1);
    const point = cubePoint(layer % 6, s, t).map(f);
    return layers === undefined ? point : [Math.floor(layer / 6), ...point];
  }
  const point = size.map((count, i) => f((at[i] ?? 0) / (normalizedCoordinates === true ? count : 1)));
  return layers === undefined ? point : [layer, ...point];
}
