/** Random tensor maps, and the kernels that copy parts of tensors. */
import type { TensorElement, TensorMapOptions } from '../../src/device.ts';
import { boundedWait, copyWords, mixedValues, moduleOf, type NumberType, type Random } from './copies-parts.ts';

export type MapOptions = Omit<TensorMapOptions, 'tensor'>;

/**
 * The element types that the driver supports on sm_90. For each, the size in bytes, and a type with the same special
 * values.
 */
export const elements: readonly (readonly [type: TensorElement, bytes: number, values: NumberType])[] = [
  ['u8', 1, 'u8'],
  ['u16', 2, 'u16'],
  ['u32', 4, 'u32'],
  ['s32', 4, 'u32'],
  ['u64', 8, 'u64'],
  ['s64', 8, 'u64'],
  ['f16', 2, 'f16'],
  ['bf16', 2, 'bf16'],
  ['f32', 4, 'f32'],
  ['f32.ftz', 4, 'f32'],
  ['f64', 8, 'f64'],
  ['tf32', 4, 'f32'],
  ['tf32.ftz', 4, 'f32'],
];

const isFloat = (type: TensorElement): boolean => /f/.test(type);

/** The maximum number of bytes that a part occupies in shared memory. */
const mostSharedBytes = 3584;

/** The size of the buffers that contain tensors. */
export const tensorBytes = 4096;

/** A tensor map, the part that an instruction copies, and its size in shared memory. */
export interface Part {
  readonly options: MapOptions;
  readonly at: readonly number[];
  readonly offsets?: readonly number[];
  readonly bytes: number;
}

/** The size of a part in shared memory. Rows that are shorter than the swizzle occupy as many bytes as the swizzle. */
export function sharedBytes({ options, bytes }: Part): number {
  const { box = [], im2col, swizzle = 0 } = options;
  const element = elements.find(([type]) => type === options.type);
  const row = (im2col?.channelsPerPixel ?? box[0] ?? 0) * (element?.[1] ?? 0);
  return swizzle > row ? (bytes / row) * swizzle : bytes;
}

const product = (values: readonly number[]): number => values.reduce((all, one) => all * one, 1);
const upTo16 = (bytes: number): number => Math.ceil(bytes / 16) * 16;

/**
 * Strides with some gaps, and the size of the whole tensor. In most cases, each stride is a multiple of the previous
 * one, as the driver's documentation requires; some strides break this rule.
 */
function stridesOf(dimensions: readonly number[], bytes: number, random: Random): [strides: number[], size: number] {
  const strides: number[] = [];
  let next = upTo16((dimensions[0] ?? 0) * bytes) + (random.once(3) ? 16 : 0);
  for (const size of dimensions.slice(1)) {
    strides.push(next);
    const odd = random.once(16) ? 16 : 0;
    next = next * (size + (random.once(4) ? 1 : 0)) + odd;
  }
  return [strides, next];
}

interface TileOptions {
  readonly swizzle?: 0 | 32 | 64 | 128;
  readonly rowBytes?: number;
  readonly mostBytes?: number;
  /** Whether the box is stored to the tensor. Such a box cannot begin before the tensor. */
  readonly stored?: boolean;
}

/** Rounds a coordinate down to a multiple of 16 bytes. The first coordinate of a part must be such a multiple. */
const aligned = (coordinate: number, bytes: number): number => Math.floor((coordinate * bytes) / 16) * (16 / bytes);

/** A random box, often partly outside of its tensor. */
export function randomTile(
  type: TensorElement,
  bytes: number,
  rank: number,
  random: Random,
  given: TileOptions = {},
): Part {
  const { swizzle = random.pick([0, 0, 0, 32, 64, 128] as const), mostBytes = 1536 } = given;
  const widest = swizzle === 0 ? 128 : swizzle;
  const rowBytes = given.rowBytes ?? random.pick([16, 32, 48, 64, 96, 128].filter((row) => row <= widest));
  const box = [rowBytes / bytes, ...Array.from({ length: rank - 1 }, () => random.from(1, rank > 3 ? 3 : 7))];
  const first = random.from(1, Math.max(2, Math.floor(box[0] as number) * 2));
  const dimensions = [first, ...box.slice(1).map((size) => random.from(1, size + 3))];
  const [strides, size] = stridesOf(dimensions, bytes, random);
  const steps = [1, ...box.slice(1).map(() => (random.once(4) ? random.from(2, 3) : 1))];
  const lengths = box.map((length, i) => Math.ceil(length / (steps[i] as number)));
  const total = product(lengths) * bytes;
  const inShared = (total / rowBytes) * Math.max(rowBytes, swizzle);
  if (size > tensorBytes || total > mostBytes || inShared > mostSharedBytes)
    return randomTile(type, bytes, rank, random, given);
  const at = dimensions.map((length, i) => {
    const longest = box[i] as number;
    const least = given.stored === true ? 0 : 1 - longest;
    const overlapping = random.from(least, length - 1);
    const outside = random.pick(given.stored === true ? [length] : [-longest, length]);
    const start = random.once(40)
      ? outside
      : random.pick([0, overlapping, overlapping, Math.max(0, length - Math.ceil(longest / 2))]);
    return i === 0 ? aligned(start, bytes) : start;
  });
  return {
    options: {
      type,
      dimensions,
      strides,
      box,
      elementStrides: steps,
      swizzle,
      fill: isFloat(type) && random.once(2) ? 'nan' : 'zeros',
    },
    at,
    bytes: total,
  };
}

/** Random pixels of images. */
export function randomPixels(type: TensorElement, bytes: number, rank: number, random: Random, stored = false): Part {
  const row = random.pick([16, 32, 64]);
  const channels = row / bytes;
  const inside = Array.from({ length: rank - 2 }, () => random.from(2, rank === 3 ? 9 : rank === 4 ? 5 : 4));
  const dimensions = [random.from(1, channels * 2), ...inside, random.from(1, 3)];
  const [strides, size] = stridesOf(dimensions, bytes, random);
  const lowerCorner = inside.map(() => (stored ? 0 : random.from(-2, 1)));
  const upperCorner = inside.map(() => random.from(-2, stored ? 0 : 2));
  const steps = inside.map(() => (random.once(3) ? 2 : 1));
  const lasts = inside.map((length, i) => length - 1 + (upperCorner[i] as number));
  const pixels = random.from(1, 28);
  const total = pixels * row;
  const isEmpty = lasts.some((last, i) => last < (lowerCorner[i] as number));
  if (isEmpty || size > tensorBytes || total > 2048) return randomPixels(type, bytes, rank, random, stored);
  const start = inside.map((_, i) => {
    const [low, step] = [lowerCorner[i] as number, steps[i] as number];
    return low + step * random.from(0, Math.floor(((lasts[i] as number) - low) / step));
  });
  return {
    options: {
      type,
      dimensions,
      strides,
      im2col: { lowerCorner, upperCorner, channelsPerPixel: channels, pixelsPerColumn: pixels },
      elementStrides: [1, ...steps, 1],
      swizzle: random.pick(([0, 0, 32, 64, 128] as const).filter((swizzle) => swizzle === 0 || swizzle >= row)),
      fill: isFloat(type) && random.once(2) ? 'nan' : 'zeros',
    },
    at: [
      random.pick([0, 0, aligned(random.from(stored ? 0 : 1 - channels, (dimensions[0] as number) - 1), bytes)]),
      ...start,
      random.from(0, (dimensions.at(-1) as number) - 1),
    ],
    offsets: inside.map(() => random.from(0, 3)),
    bytes: total,
  };
}

// --- contents ---------------------------------------------------------------------------------------------------------

/** Contents of buffers, which many jobs share so that files stay small. */
export class Contents {
  private readonly made = new Map<string, Uint8Array>();
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  of(values: NumberType, which: 'tensor' | 'box' = 'tensor'): Uint8Array {
    const key = `${which} ${/f/.test(values) ? values : 'bytes'}`;
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const bytes = values === 'f64' ? 8 : values === 'f32' ? 4 : 2;
    const fresh = /f/.test(values)
      ? mixedValues(values, tensorBytes / bytes, this.random)
      : this.random.bytes(tensorBytes);
    this.made.set(key, fresh);
    return fresh;
  }
}

// --- kernels ----------------------------------------------------------------------------------------------------------

export const tileBytes = 8192;
export const declared = `.shared .align 1024 .b8 tile[${tileBytes}];
.shared .align 8 .b64 object;`;

const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const list = (names: readonly string[]): string => `{${names.map((name) => `%${name}`).join(', ')}}`;

/** Fills shared memory with 0xa5, so that the output shows which bytes a copy has not written. */
export const filled = `mov.u32 %r1, tile; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; bra fill_test;
fill: add.u32 %r4, %r1, %r3; st.shared.b32 [%r4], 0xa5a5a5a5; add.u32 %r3, %r3, 128;
fill_test: setp.lt.u32 %p1, %r3, %size; @%p1 bra fill;
setp.ne.u32 %p1, %r2, 0;`;

/**
 * Waits for the mbarrier object, and copies the shared memory to `out`. The word after this copy is 1 if the phase is
 * complete.
 */
export const shown = `${boundedWait('object')} bar.sync 0;
${copyWords('show', ['shared', '%r1'], ['global', '%out'], '%size')}
@%p1 bra done; cvt.u64.u32 %rd1, %size; add.u64 %rd1, %out, %rd1; st.global.b32 [%rd1], %r39;
done:`;

interface LoadOptions {
  readonly rank: number;
  readonly mode?: string;
  readonly offsets?: number;
  /** Whether the parameter is the address of the map, instead of the map itself. */
  readonly byPointer?: boolean;
  readonly space?: string;
}

/**
 * Copies a part to `tile + place`. The output contains the first `size` bytes of the tile, and whether all bytes
 * arrived. Parameters: the tensor, map, out, size, place, arriving, coordinates, offsets.
 */
export function loadModule({
  rank,
  mode = '.tile',
  offsets = 0,
  byPointer = false,
  space = 'cluster',
}: LoadOptions): string {
  const [at, moved] = [numbered('c', rank), numbered('o', offsets)];
  const parameters = [
    'u64 memory',
    `${byPointer ? 'u64' : 'map'} tensor`,
    'u64 out',
    'u32 size',
    'u32 place',
    'u32 arriving',
    ...at.map((name) => `s32 ${name}`),
    ...moved.map((name) => `u16 ${name}`),
  ];
  return moduleOf(
    parameters,
    `${filled}
@%p1 bra ready; mbarrier.init.shared::cta.b64 [object], 1;
ready: fence.proxy.async; bar.sync 0; @%p1 bra issued;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], %arriving; add.u32 %r5, %r1, %place;
cp.async.bulk.tensor.${rank}d.shared::${space}.global${mode}.mbarrier::complete_tx::bytes [%r5], [%tensor, ${list(at)}], [object]${
      offsets === 0 ? '' : `, ${list(moved)}`
    };
issued: ${shown}`,
    declared,
  );
}

/**
 * Copies `size` bytes of `data` to shared memory, and then the part at `tile + place` to a tensor. `opcode` is the text
 * of the mnemonic before the number of dimensions, and `op` and `words` are at its end. Parameters: the tensor, map,
 * data, size, place, coordinates.
 */
export function storeModule(
  rank: number,
  opcode = 'cp.async.bulk.tensor',
  words = '.tile.bulk_group',
  op = '',
): string {
  const at = numbered('c', rank);
  return moduleOf(
    ['u64 memory', 'map tensor', 'u64 data', 'u32 size', 'u32 place', ...at.map((name) => `s32 ${name}`)],
    `mov.u32 %r1, tile; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0;
${copyWords('fetch', ['global', '%data'], ['shared', '%r1'], '%size')}
fence.proxy.async; bar.sync 0; @%p1 bra done; add.u32 %r5, %r1, %place;
${opcode}.${rank}d.global.shared::cta${op}${words} [%tensor, ${list(at)}], [%r5];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
done:`,
    declared,
  );
}

/**
 * In a cluster of two blocks, block `issuer` copies a part to the blocks in `mask`. Parameters: the tensor, map, out,
 * size, place, arriving, mask, issuer, coordinates. The output of the second block begins `size` + 16 bytes after that
 * of the first.
 */
export function multicastModule(rank: number): string {
  const at = numbered('c', rank);
  return moduleOf(
    [
      'u64 memory',
      'map tensor',
      'u64 out',
      'u32 size',
      'u32 place',
      'u32 arriving',
      'u16 mask',
      'u32 issuer',
      ...at.map((name) => `s32 ${name}`),
    ],
    `${filled} mov.u32 %r6, %cluster_ctarank;
add.u32 %r7, %size, 16; mul.lo.u32 %r7, %r7, %r6; cvt.u64.u32 %rd1, %r7; add.u64 %out, %out, %rd1;
cvt.u32.u16 %r8, %mask; shr.u32 %r8, %r8, %r6; and.b32 %r8, %r8, 1; mul.lo.u32 %r8, %r8, %arriving;
@%p1 bra ready; mbarrier.init.shared::cta.b64 [object], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], %r8;
ready: fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;
setp.ne.or.u32 %p2, %r6, %issuer, %p1; @%p2 bra issued; add.u32 %r5, %r1, %place;
cp.async.bulk.tensor.${rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%tensor, ${list(at)}], [object], %mask;
issued: ${shown} barrier.cluster.arrive; barrier.cluster.wait;`,
    declared,
  );
}
