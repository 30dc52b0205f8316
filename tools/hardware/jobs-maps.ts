/**
 * Jobs about the 128 bytes of tensor maps: how the driver encodes them, and what tensormap.replace changes.
 *
 * tsx tools/hardware/jobs-maps.ts > JOBS.jsonl
 * tsx tools/hardware/jobs-maps.ts faults > JOBS.jsonl
 *
 * The second command prints jobs that may fault: copies with maps that a kernel has made from zeros, or from maps of
 * another rank.
 */
import { tensorElementTypes } from '../../src/isa/tensor-map-fields.ts';
import { copyWords, input, job, mixedValues, moduleOf, print, Random, results, u32, words } from './copies-parts.ts';
import {
  declared,
  elements,
  filled,
  type MapOptions,
  type Part,
  randomTile,
  sharedBytes,
  shown,
} from './copies-tensors.ts';
import type { Job, JobArgument, TensorMapArgument } from '../../test/hardware/job.ts';

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

const mapOf = (options: MapOptions): TensorMapArgument => ({ kind: 'tensorMap', buffer: 0, options, byPointer: true });
const unused: JobArgument = { kind: 'buffer', size: 16 };

// --- what the driver encodes ------------------------------------------------------------------------------------------

/** Outputs the bytes that follow the tensor's address in the map. */
const echo = moduleOf(
  ['u64 memory', 'map tensor', 'u64 out'],
  `add.u64 %tensor, %tensor, 8; ${copyWords('show', ['global', '%tensor'], ['global', '%out'], '120').replace('ld.global', 'ld')}`,
);

const encoded = (id: string, options: MapOptions): Job =>
  job(`map-bytes/${id}`, echo, [unused, { kind: 'tensorMap', buffer: 0, options }, results(120)]);

const base: MapOptions = {
  type: 'f32',
  dimensions: [64, 32, 16, 8, 4],
  strides: [256, 8192, 131_072, 1_048_576],
  box: [8, 4, 3, 2, 1],
};

const replaced = (list: readonly number[] | undefined, at: number, value: number): readonly number[] =>
  (list ?? [1, 1, 1, 1, 1]).map((one, i) => (i === at ? value : one));

const changedEach = (
  name: 'dimensions' | 'strides' | 'box' | 'elementStrides',
  values: readonly number[],
): readonly Job[] =>
  times(name === 'strides' ? 4 : 5).flatMap((at) =>
    values.map((value) => encoded(`${name}-${at}/${value}`, { ...base, [name]: replaced(base[name], at, value) })),
  );

const pixelBase: MapOptions = {
  type: 'f32',
  dimensions: [64, 32, 16, 8],
  strides: [256, 8192, 131_072],
  im2col: { lowerCorner: [0, 0], upperCorner: [0, 0], channelsPerPixel: 8, pixelsPerColumn: 16 },
};
const pixels = (id: string, change: Partial<NonNullable<MapOptions['im2col']>>): Job =>
  encoded(`im2col/${id}`, {
    ...pixelBase,
    im2col: { ...(pixelBase.im2col as NonNullable<MapOptions['im2col']>), ...change },
  });

const corners: readonly (readonly number[])[] = [
  [1],
  [-1],
  [100],
  [-1, 0],
  [0, -1],
  [1, 2],
  [-128, 127],
  [127, -128],
  [-1, 0, 0],
  [0, 1, 0],
  [0, 0, -1],
  [15, -16, 3],
];
const cornerJobs = (): readonly Job[] =>
  corners.flatMap((corner) => {
    const rank = corner.length + 2;
    const zeros = corner.map(() => 0);
    const options: MapOptions = {
      type: 'f32',
      dimensions: [64, 300, 300, 300, 4].slice(0, rank - 1).concat(4),
      im2col: { lowerCorner: zeros, upperCorner: zeros, channelsPerPixel: 8, pixelsPerColumn: 16 },
    };
    const im2col = options.im2col as NonNullable<MapOptions['im2col']>;
    return [
      encoded(`im2col/lower/${corner.join()}`, { ...options, im2col: { ...im2col, lowerCorner: corner } }),
      encoded(`im2col/upper/${corner.join()}`, { ...options, im2col: { ...im2col, upperCorner: corner } }),
    ];
  });

const encodings = (): readonly Job[] => [
  ...elements.map(([type, bytes]) =>
    encoded(`type/${type}`, {
      ...base,
      type,
      dimensions: replaced(base.dimensions, 0, 256 / bytes),
      box: [16, 4, 3, 2, 1],
    }),
  ),
  ...times(5).map((i) =>
    encoded(`rank/${i + 1}`, {
      type: 'u8',
      dimensions: base.dimensions.slice(0, i + 1),
      strides: (base.strides ?? []).slice(0, i),
      box: [16, 4, 3, 2, 1].slice(0, i + 1),
    }),
  ),
  ...([0, 32, 64, 128] as const).map((swizzle) => encoded(`swizzle/${swizzle}`, { ...base, swizzle })),
  encoded('fill/nan', { ...base, fill: 'nan' }),
  encoded('fill/zeros', { ...base, fill: 'zeros' }),
  ...changedEach('dimensions', [1, 2, 5, 255, 65_536, 2 ** 31 + 3, 2 ** 32]),
  ...changedEach('strides', [16, 48, 0x123450, 2 ** 32 + 16, 2 ** 39, 2 ** 40 - 16]),
  // Matrices with similar sizes whose rows do not overlap, in case the driver requires this.
  ...[1, 5, 255, 65_536, 2 ** 31 + 3, 2 ** 32].map((size) =>
    encoded(`dimensions-0/apart/${size}`, {
      type: 'u8',
      dimensions: [size, 3],
      strides: [2 ** 33],
      box: [16, 2],
    }),
  ),
  ...[16, 48, 0x123450, 2 ** 32 + 16, 2 ** 39, 2 ** 40 - 16].map((stride) =>
    encoded(`strides-0/apart/${stride}`, { type: 'f32', dimensions: [4, 3], strides: [stride], box: [4, 2] }),
  ),
  ...changedEach('box', [4, 12, 100, 256]),
  ...changedEach('elementStrides', [1, 2, 3, 5, 8]),
  encoded('packed/u8', { type: 'u8', dimensions: [32, 7, 9], box: [16, 2, 3] }),
  ...cornerJobs(),
  ...[1, 2, 17, 255, 256, 257, 1000, 1024].map((count) => pixels(`pixels/${count}`, { pixelsPerColumn: count })),
  ...[4, 8, 64, 252, 256].map((count) => pixels(`channels/${count}`, { channelsPerPixel: count })),
  encoded('im2col/steps', { ...pixelBase, elementStrides: [1, 2, 3, 1] }),
  encoded('im2col/fill', { ...pixelBase, fill: 'nan' }),
  encoded('im2col/swizzle', { ...pixelBase, swizzle: 32 }),
];

// --- what tensormap.replace changes -----------------------------------------------------------------------------------

const wide = (field: string): boolean => field === 'global_address' || field === 'global_stride';
const instruction = (field: string, space: string, at: string, operands: string): string =>
  `tensormap.replace.tile.${field}.${space}.b1024.b${wide(field) ? 64 : 32} [${at}], ${operands};`;

/**
 * Copies the 128 bytes of a map from global to shared memory, changes the map, and outputs it. The tensor's address is
 * output only if the code has changed it. A single thread runs this code.
 */
const oneChange = (change: string): string => `${times(16)
  .map((i) => `ld.global.b64 %rd2, [%tensor+${8 * i}]; st.shared.b64 [map+${8 * i}], %rd2;`)
  .join('\n')}
${change}
${times(16)
  .slice(change.includes('global_address') ? 0 : 1)
  .map((i) => `ld.shared.b64 %rd2, [map+${8 * i}]; st.global.b64 [%out+${8 * i}], %rd2;`)
  .join('\n')}
add.u64 %out, %out, 128;`;

/** Replaces a field of the map with each of the values, and outputs all of the resulting maps. */
const changeLoop = (field: string, ordinal: number | null): string =>
  moduleOf(
    ['u64 memory', 'u64 tensor', 'u64 out', 'u64 values', 'u32 count'],
    `mov.u32 %r5, map; mov.u32 %r6, 0;
next: ld.global.b64 %rd3, [%values]; add.u64 %values, %values, 8; cvt.u32.u64 %r7, %rd3;
${oneChange(instruction(field, 'shared::cta', '%r5', `${ordinal === null ? '' : `${ordinal}, `}${wide(field) ? '%rd3' : '%r7'}`))}
add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %count; @%p1 bra next;`,
    '.shared .align 128 .b8 map[128];',
  );

const changeConstants = (field: string, values: readonly number[]): string =>
  moduleOf(
    ['u64 memory', 'u64 tensor', 'u64 out'],
    `mov.u32 %r5, map; ${values.map((value) => oneChange(instruction(field, 'shared::cta', '%r5', String(value)))).join('\n')}`,
    '.shared .align 128 .b8 map[128];',
  );

const single = (width: number): readonly bigint[] => times(width).map((bit) => 1n << BigInt(bit));
const ones = (width: number): bigint => (1n << BigInt(width)) - 1n;

const values: Readonly<Record<string, readonly (number | bigint)[]>> = {
  global_address: [0, ...single(64), ones(64), 0x7f12_3456_7890n],
  rank: [...times(9), 255],
  box_dim: [...times(10), ...single(16), 255, 257, ones(32)],
  global_dim: [0, ...single(32), 3, ones(32), 0x1234_5678],
  global_stride: [0, ...single(64), 48, ones(64), 0x12_3456_7890n],
  element_stride: [...times(10), 16, 255, 256, ones(32)],
};
const constants: Readonly<Record<string, readonly number[]>> = {
  elemtype: times(13),
  interleave_layout: [0, 1, 2],
  swizzle_mode: [0, 1, 2, 3],
  fill_mode: [0, 1],
};

const ordinals = (field: string): readonly (number | null)[] =>
  field === 'global_stride' ? [0, 1, 2, 3] : field === 'global_address' || field === 'rank' ? [null] : [0, 1, 2, 3, 4];

const starts: readonly (readonly [name: string, map: JobArgument])[] = [
  ['map', mapOf({ ...base, elementStrides: [1, 2, 3, 1, 2], swizzle: 64, fill: 'nan' })],
  ['zeros', { kind: 'buffer', size: 128 }],
  ['ones', input(new Uint8Array(128).fill(255))],
];

const replacements = (): readonly Job[] =>
  starts.flatMap(([start, map]) => [
    ...Object.entries(values).flatMap(([field, list]) =>
      ordinals(field).map((ordinal) => {
        const id = `replace-bytes/${start}/${field}${ordinal === null ? '' : `-${ordinal}`}`;
        const args = [unused, map, results(128 * list.length), input(words(list, 64)), u32(list.length)];
        return job(id, changeLoop(field, ordinal), args, { block: [1, 1, 1] });
      }),
    ),
    ...Object.entries(constants).map(([field, list]) =>
      job(`replace-bytes/${start}/${field}`, changeConstants(field, list), [unused, map, results(128 * list.length)], {
        block: [1, 1, 1],
      }),
    ),
  ]);

// --- copies with changed maps ----------------------------------------------------------------------------------------

/** The element types of sm_90. The index of a type is its number in tensormap.replace. */
const elementNumbers: readonly string[] = tensorElementTypes.slice(0, tensorElementTypes.indexOf('b4x16'));

/** Instructions that replace fields; `%memory` is the address of the tensor. */
interface Change {
  readonly name: string;
  readonly text: (space: string, at: string) => string;
}

const constantChange = (field: string, value: number): Change => ({
  name: `${field}-${value}`,
  text: (space, at) => instruction(field, space, at, String(value)),
});

const numberChange = (field: string, ordinal: number | null, value: number): Change => ({
  name: `${field}${ordinal === null ? '' : `-${ordinal}`}-${value}`,
  text: (space, at) => {
    const [type, register] = wide(field) ? ['u64', '%rd20'] : ['u32', '%r20'];
    const operands = `${ordinal === null ? '' : `${ordinal}, `}${register}`;
    return `mov.${type} ${register}, ${value}; ${instruction(field, space, at, operands)}`;
  },
});

const addressChange = (offset: number): Change => ({
  name: `global_address+${offset}`,
  text: (space, at) => `add.u64 %rd20, %memory, ${offset}; ${instruction('global_address', space, at, '%rd20')}`,
});

/** Changes that give every field the value that it has in the map of a part. */
function allChanges({ options }: Part): readonly Change[] {
  const { type, dimensions, strides = [], box = [], elementStrides = [], swizzle = 0, fill } = options;
  const numbers = (field: string, list: readonly number[]): readonly Change[] =>
    list.map((value, i) => numberChange(field, i, value));
  return [
    addressChange(0),
    numberChange('rank', null, dimensions.length - 1),
    ...numbers('box_dim', box),
    ...numbers('global_dim', dimensions),
    ...numbers('global_stride', strides),
    ...numbers('element_stride', elementStrides),
    constantChange('elemtype', elementNumbers.indexOf(type)),
    constantChange('interleave_layout', 0),
    constantChange('swizzle_mode', { 0: 0, 32: 1, 64: 2, 128: 3, 96: 4 }[swizzle]),
    constantChange('fill_mode', fill === 'nan' ? 1 : 0),
  ];
}

/**
 * Changes a copy of the map, stores it in the buffer `made`, and copies a part with it. Parameters: tensor, map, made,
 * out, size, place, arriving, coordinates.
 */
function changedModule(rank: number, changes: readonly Change[]): string {
  const at = times(rank).map((i) => `c${i}`);
  return moduleOf(
    [
      'u64 memory',
      'u64 tensor',
      'u64 made',
      'u64 out',
      'u32 size',
      'u32 place',
      'u32 arriving',
      ...at.map((name) => `s32 ${name}`),
    ],
    `${filled} mov.u32 %r5, map;
${copyWords('fetch', ['global', '%tensor'], ['shared', '%r5'], '128')}
@%p1 bra ready; mbarrier.init.shared::cta.b64 [object], 1;
ready: fence.proxy.async; bar.sync 0; @%p1 bra replaced;
${changes.map(({ text }) => text('shared::cta', '%r5')).join('\n')}
replaced: bar.sync 0; bar.warp.sync -1; cvta.to.global.u64 %rd21, %made; cvt.u64.u32 %rd22, %r5;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd21], [%rd22], 128;
fence.proxy.tensormap::generic.acquire.gpu [%made], 128; @%p1 bra issued;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], %arriving; add.u32 %r5, %r1, %place;
cp.async.bulk.tensor.${rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%made, {${at.map((name) => `%${name}`).join(', ')}}], [object];
issued: ${shown}`,
    `${declared}\n.shared .align 128 .b8 map[128];`,
  );
}

const upTo = (bytes: number, unit: number): number => Math.ceil(bytes / unit) * unit;

function changedCopy(id: string, map: JobArgument, part: Part, changes: readonly Change[], contents: Uint8Array): Job {
  const { at, bytes } = part;
  const size = 128 + upTo(sharedBytes(part), 128) + 64;
  return job(`replace-copy/${id}`, changedModule(at.length, changes), [
    input(contents),
    map,
    { kind: 'buffer', size: 128 },
    results(size + 16),
    u32(size),
    u32(128),
    u32(bytes),
    ...at.map((one) => u32(one)),
  ]);
}

/** The map of a matrix. A box of this matrix is copied after one field of the map has changed. */
const matrix: MapOptions = { type: 'f32', dimensions: [16, 12], strides: [64], box: [8, 6] };
const changesOfMatrix: readonly (readonly [Change, bytes: number])[] = [
  [addressChange(256), 192],
  [numberChange('global_dim', 0, 5), 192],
  [numberChange('global_dim', 1, 3), 192],
  [numberChange('box_dim', 0, 4), 96],
  [numberChange('box_dim', 1, 9), 288],
  [numberChange('global_stride', 0, 96), 192],
  [numberChange('element_stride', 1, 2), 96],
  [numberChange('element_stride', 0, 2), 192],
  [constantChange('fill_mode', 1), 192],
  [constantChange('fill_mode', 0), 192],
  [constantChange('swizzle_mode', 1), 192],
  [constantChange('swizzle_mode', 2), 192],
  [constantChange('swizzle_mode', 3), 192],
  ...['u32', 's32', 'f32.ftz', 'tf32', 'tf32.ftz'].map(
    (type) => [constantChange('elemtype', elementNumbers.indexOf(type)), 192] as const,
  ),
];

const contentsOf = new Random(3);
const floatContents = mixedValues('f32', 1024, contentsOf);

const changedMatrices = (): readonly Job[] =>
  changesOfMatrix.flatMap(([change, bytes]) =>
    [
      [4, 1],
      [-4, -1],
    ].map((at) => {
      const part: Part = { options: matrix, at, bytes };
      return changedCopy(`${change.name}/at-${at.join()}`, mapOf(matrix), part, [change], floatContents);
    }),
  );

/** Jobs that change the element type of a map that rounds to tf32. */
const noLongerRounded = (): readonly Job[] =>
  ['u32', 'f32', 'f32.ftz', 'f16'].map((type) => {
    const change = constantChange('elemtype', elementNumbers.indexOf(type));
    const part: Part = { options: matrix, at: [0, 0], bytes: type === 'f16' ? 96 : 192 };
    return changedCopy(`from-tf32/${type}`, mapOf({ ...matrix, type: 'tf32' }), part, [change], floatContents);
  });

/** Jobs that turn the map of one random part into the map of another. */
function rewritten(random: Random): readonly Job[] {
  return times(16).map((i) => {
    const [type, bytes] = elements[i % elements.length] as (typeof elements)[number];
    const rank = 1 + (i % 5);
    const before = randomTile('u8', 1, rank, random);
    const after = randomTile(type, bytes, rank, random);
    return changedCopy(`all/${type}/${rank}d/${i}`, mapOf(before.options), after, allChanges(after), floatContents);
  });
}

function fromOtherRank(random: Random): readonly Job[] {
  return [
    [5, 2],
    [1, 3],
    [2, 1],
    [3, 5],
  ].map(([from = 1, to = 1]) => {
    const before = randomTile('u8', 1, from, random);
    const after = randomTile('f16', 2, to, random);
    return changedCopy(`rank-${from}-to-${to}`, mapOf(before.options), after, allChanges(after), floatContents);
  });
}

const fromZeros = (random: Random): readonly Job[] =>
  [1, 2, 3, 5].map((rank) => {
    const part = randomTile('f32', 4, rank, random);
    return changedCopy(`from-zeros/${rank}d`, { kind: 'buffer', size: 128 }, part, allChanges(part), floatContents);
  });

const certain = (): readonly Job[] => [
  ...encodings(),
  ...replacements(),
  ...changedMatrices(),
  ...noLongerRounded(),
  ...rewritten(new Random(41)),
];

print(process.argv[2] === 'faults' ? [...fromOtherRank(new Random(43)), ...fromZeros(new Random(42))] : certain());
