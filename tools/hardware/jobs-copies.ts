/**
 * Jobs about the copy engine: copies and reductions of bytes, and of boxes and pixels of tensors.
 *
 * tsx tools/hardware/jobs-copies.ts > JOBS.jsonl
 * tsx tools/hardware/jobs-copies.ts faults > JOBS.jsonl
 *
 * The second command prints jobs that may fault on a GPU: operations that do not fit the type, misaligned addresses,
 * and so on.
 */
import type { TensorElement } from '../../src/device.ts';
import { bulkJobs, emptyBulkCopy } from './copies-bulk.ts';
import { changed, input, job, type NumberType, pairsOf, print, Random, results, u16, u32 } from './copies-parts.ts';
import {
  Contents,
  elements,
  loadModule,
  type MapOptions,
  multicastModule,
  type Part,
  randomPixels,
  randomTile,
  sharedBytes,
  storeModule,
} from './copies-tensors.ts';
import type { Job, JobArgument } from '../../test/hardware/job.ts';

const random = new Random(2026);
const contents = new Contents(new Random(7));

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const bytesOf = (type: TensorElement): number => elements.find(([name]) => name === type)?.[1] ?? 0;
const valuesOf = (type: TensorElement): NumberType => elements.find(([name]) => name === type)?.[2] ?? 'u8';
const upTo = (bytes: number, unit: number): number => Math.ceil(bytes / unit) * unit;
const ranks = [1, 2, 3, 4, 5];

// --- jobs from parts --------------------------------------------------------------------------------------------------

interface LoadChoices {
  /** The offset of the part in shared memory. */
  readonly place?: number;
  readonly byPointer?: boolean;
  readonly space?: string;
  /** The number of bytes that are expected to arrive; by default, all bytes of the part. */
  readonly arriving?: number;
}

/** Copies a part to shared memory. The output also contains some bytes before and after it. */
function load(id: string, part: Part, tensor: Uint8Array, choices: LoadChoices = {}): Job {
  const { place = 128, byPointer = false, space, arriving } = choices;
  const { options, at, offsets = [], bytes } = part;
  const isIm2col = options.im2col !== undefined;
  const size = place + upTo(sharedBytes(part), 128) + 64;
  const source = loadModule({
    rank: at.length,
    byPointer,
    ...(space !== undefined && { space }),
    ...(isIm2col && { mode: '.im2col', offsets: offsets.length }),
  });
  return job(id, source, [
    input(tensor),
    { kind: 'tensorMap', buffer: 0, options, ...(byPointer && { byPointer }) },
    results(size + 16),
    u32(size),
    u32(place),
    u32(arriving ?? bytes),
    ...at.map((one) => u32(one)),
    ...(isIm2col ? offsets.map((one) => u16(one)) : []),
  ]);
}

const loading = (id: string, part: Part, choices: LoadChoices = {}): Job =>
  load(id, part, contents.of(valuesOf(part.options.type)), choices);

/** Copies data to a tensor, or combines the data with the tensor. */
function store(
  id: string,
  part: Part,
  source: string,
  [tensor, data]: readonly [Uint8Array, Uint8Array],
  place = 0,
): Job {
  return job(id, source, [
    changed(tensor),
    { kind: 'tensorMap', buffer: 0, options: part.options },
    input(data),
    u32(data.length),
    u32(place),
    ...part.at.map((coordinate) => u32(coordinate)),
  ]);
}

function storing(id: string, part: Part, source: string, place = 128): Job {
  const values = valuesOf(part.options.type);
  const data = contents.of(values, 'box').subarray(0, place + upTo(sharedBytes(part), 16));
  return store(id, part, source, [contents.of(values), data], place);
}

const reduce = (rank: number, op: string, mode = '.tile'): string =>
  storeModule(rank, 'cp.reduce.async.bulk.tensor', `${mode}.bulk_group`, `.${op}`);

// --- loads ------------------------------------------------------------------------------------------------------------

const tiledLoads = (): readonly Job[] =>
  elements.flatMap(([type, bytes]) =>
    ranks.flatMap((rank) =>
      times(rank < 4 ? 3 : 2).map((i) =>
        loading(`load/${type}/${rank}d/${i}`, randomTile(type, bytes, rank, random), {
          place: 128 * random.from(0, 3),
          byPointer: random.once(5),
          space: random.once(3) ? 'cta' : 'cluster',
        }),
      ),
    ),
  );

/** A part without a swizzle that is large enough for all special values of a type. */
const whole = (type: TensorElement, rows = 64): Part => {
  const row = 16;
  const options: MapOptions = { type, dimensions: [row, rows], box: [row, rows] };
  return { options, at: [0, 0], bytes: row * rows * bytesOf(type) };
};

const floatTypes = ['f16', 'bf16', 'f32', 'f32.ftz', 'f64', 'tf32', 'tf32.ftz'] as const;

const specialLoads = (): readonly Job[] =>
  floatTypes.map((type) => loading(`load-special/${type}`, whole(type, type === 'f64' ? 32 : 64)));

const tf32Words = (): Uint8Array => {
  const low = [
    0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x2fff, 0x3000, 0x3001, 0x3fff, 0x7ff000, 0x7fffff, 0x7ff001, 0x400000,
    0x400fff,
  ];
  const exponents = [0, 1, 2, 100, 127, 253, 254, 255];
  const signs = [0, 0x8000_0000];
  const all = exponents.flatMap((exponent) =>
    signs.flatMap((sign) => low.map((bits) => (sign | (exponent << 23) | bits) >>> 0)),
  );
  return new Uint8Array(Uint32Array.from(all).buffer);
};

/** Ties, values next to ties, and values that round up to the next exponent, for every class of exponents. */
const roundedLoads = (): readonly Job[] =>
  (['f32', 'f32.ftz', 'tf32', 'tf32.ftz'] as const).flatMap((type) => [
    load(`load-rounding/${type}`, whole(type, 16), tf32Words()),
    store(`store-rounding/${type}`, whole(type, 16), storeModule(2), [new Uint8Array(1024), tf32Words()]),
  ]);

/**
 * Jobs that show which bits of the shared memory address a swizzle uses, and where rows are stored if they are shorter
 * than the swizzle.
 */
const swizzledLoads = (): readonly Job[] =>
  ([32, 64, 128] as const).flatMap((swizzle) => [
    ...times(8).map((i) =>
      loading(
        `swizzle/${swizzle}/at-${128 * i}`,
        {
          options: { type: 'u8', dimensions: [swizzle, 16], box: [swizzle, 16], swizzle },
          at: [0, 0],
          bytes: 16 * swizzle,
        },
        { place: 128 * i },
      ),
    ),
    ...[16, 32, 48, 64, 80, 96, 112]
      .filter((row) => row < swizzle)
      .map((row) =>
        loading(`swizzle/${swizzle}/rows-of-${row}`, {
          options: { type: 'u8', dimensions: [row, 24], box: [row, 24], swizzle },
          at: [0, 0],
          bytes: 24 * row,
        }),
      ),
    ...times(3).map((i) =>
      loading(`swizzle/${swizzle}/3d/${i}`, randomTile('u16', 2, 3, random, { swizzle, mostBytes: 2048 }), {
        place: 128 * random.from(0, 9),
      }),
    ),
  ]);

/**
 * Jobs that show how many bytes arrive if elements are outside the tensor, or are skipped because of element strides.
 */
const countedLoads = (): readonly Job[] => [
  loading('count/outside', { ...whole('u32', 8), at: [100, 100] }),
  loading('count/outside-nan', {
    options: { type: 'f32', dimensions: [16, 8], box: [16, 8], fill: 'nan' },
    at: [-16, 0],
    bytes: 512,
  }),
  ...(['f16', 'bf16', 'f32', 'f32.ftz', 'f64', 'tf32', 'tf32.ftz'] as const).map((type) =>
    loading(`fill-nan/${type}`, {
      options: { type, dimensions: [8, 4], box: [16, 6], fill: 'nan' },
      at: [-16 / bytesOf(type), -1],
      bytes: 96 * bytesOf(type),
    }),
  ),
  ...[2, 3, 5, 8].map((step) =>
    loading(`element-stride/first-${step}`, {
      options: { type: 'u32', dimensions: [32, 4], box: [16, 4], elementStrides: [step, 1] },
      at: [4, 0],
      bytes: 256,
    }),
  ),
  ...[2, 3, 4, 5, 7, 8].map((step) =>
    loading(`element-stride/second-${step}`, {
      options: { type: 'u32', dimensions: [4, 30], box: [4, 9], elementStrides: [1, step] },
      at: [0, step % 2 === 0 ? -3 : 4],
      bytes: 16 * Math.ceil(9 / step),
    }),
  ),
];

const farLoads = (): readonly Job[] =>
  [
    [0x7fff_fff8, 0],
    [-0x8000_0000, 0],
    [0, 0x7fff_ffff],
    [0, -0x8000_0000],
    [-8, 0x7fff_fffe],
  ].map((at) => loading(`far/${at.join()}`, { ...whole('u16', 4), at }));

const multicastLoads = (): readonly Job[] =>
  times(12).map((i) => {
    const [rank, mask, issuer] = [1 + (i % 5), [3, 1, 2, 3][i % 4] as number, random.from(0, 1)];
    const part = randomTile('u16', 2, rank, random, { mostBytes: 1024 });
    const { options, at, bytes } = part;
    const size = 256 + upTo(sharedBytes(part), 128) + 64;
    const args: readonly JobArgument[] = [
      input(contents.of('u16')),
      { kind: 'tensorMap', buffer: 0, options },
      results(2 * size + 32),
      u32(size),
      u32(256),
      u32(bytes),
      u16(mask),
      u32(issuer),
      ...at.map((one) => u32(one)),
    ];
    const shape = { grid: [2, 1, 1], cluster: [2, 1, 1] } as const;
    return job(`multicast/${rank}d/mask-${mask}/from-${issuer}/${i}`, multicastModule(rank), args, shape);
  });

const pixelTypes = ['u8', 'f16', 'bf16', 'f32', 'tf32', 'u64'] as const;

const pixelJobs = (): readonly Job[] =>
  pixelTypes.flatMap((type) =>
    [3, 4, 5].flatMap((rank) => [
      ...times(4).map((i) => loading(`im2col/${type}/${rank}d/${i}`, randomPixels(type, bytesOf(type), rank, random))),
      storing(
        `im2col-store/${type}/${rank}d`,
        randomPixels(type, bytesOf(type), rank, random, true),
        storeModule(rank, 'cp.async.bulk.tensor', '.im2col_no_offs.bulk_group'),
      ),
    ]),
  );

const pixelReductions = (): readonly Job[] =>
  [3, 4, 5].map((rank) =>
    storing(
      `im2col-reduce/${rank}d`,
      randomPixels('u32', 4, rank, random, true),
      reduce(rank, 'add', '.im2col_no_offs'),
    ),
  );

// --- stores and reductions --------------------------------------------------------------------------------------------

const tiledStores = (): readonly Job[] =>
  elements.flatMap(([type, bytes]) =>
    ranks.map((rank) =>
      storing(`store/${type}/${rank}d`, randomTile(type, bytes, rank, random, { stored: true }), storeModule(rank)),
    ),
  );

const swizzledStores = (): readonly Job[] =>
  ([32, 64, 128] as const).flatMap((swizzle) =>
    [0, 128, 384, 640].map((place) =>
      storing(
        `store-swizzle/${swizzle}/at-${place}`,
        {
          options: { type: 'u8', dimensions: [swizzle, 12], box: [swizzle, 12], swizzle },
          at: [0, 1],
          bytes: 12 * swizzle,
        },
        storeModule(2),
        place,
      ),
    ),
  );

const operations = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor'] as const;

/** For each operation, the types to which it can be applied according to the ISA, explicitly or by implication. */
const allowed: Readonly<Record<(typeof operations)[number], readonly TensorElement[]>> = {
  add: ['u32', 's32', 'u64', 'f16', 'bf16', 'f32', 'f32.ftz'],
  min: ['u32', 's32', 'u64', 's64', 'f16', 'bf16'],
  max: ['u32', 's32', 'u64', 's64', 'f16', 'bf16'],
  inc: ['u32'],
  dec: ['u32'],
  and: ['u32', 's32', 'u64'],
  or: ['u32', 's32', 'u64'],
  xor: ['u32', 's32', 'u64'],
};

/** A reduction of every pair of special values. */
function special(op: string, type: TensorElement): Job {
  const values = valuesOf(type);
  const rows = /f/.test(values) ? 64 : 16;
  const [old, value] = pairsOf(values, 16 * rows, new Random(rows));
  return store(`reduce-special/${op}/${type}`, whole(type, rows), reduce(2, op), [old, value]);
}

const reductions = (): readonly Job[] =>
  operations.flatMap((op) =>
    allowed[op].flatMap((type) => [
      special(op, type),
      ...times(op === 'add' ? 3 : 1).map((i) => {
        const rank = random.from(1, 5);
        return storing(
          `reduce/${op}/${type}/${rank}d/${i}`,
          randomTile(type, bytesOf(type), rank, random, { stored: true }),
          reduce(rank, op),
        );
      }),
    ]),
  );

// --- jobs that may fault ----------------------------------------------------------------------------------------------

/** Combinations of operations and types that the ISA does not mention. */
const doubtful: readonly (readonly [op: (typeof operations)[number], type: TensorElement])[] = [
  ['add', 'tf32'],
  ['add', 'tf32.ftz'],
  ['add', 'f64'],
  ['add', 's64'],
  ['min', 'f32'],
  ['max', 'f32.ftz'],
  ['min', 'f64'],
  ['inc', 's32'],
  ['dec', 'u64'],
  ['and', 'f32'],
  ['and', 's64'],
  ['xor', 'f16'],
  ['add', 'u16'],
  ['min', 'u16'],
  ['max', 'tf32'],
  ['or', 'tf32'],
  ['xor', 'f64'],
  ['or', 'u8'],
];

const outsideCorners = (): readonly Job[] => {
  const options: MapOptions = {
    type: 'u32',
    dimensions: [4, 6, 5, 2],
    im2col: { lowerCorner: [-1, -1], upperCorner: [0, -1], channelsPerPixel: 4, pixelsPerColumn: 24 },
  };
  const starts = [
    [0, 6, 0, 0],
    [0, -2, 0, 0],
    [0, 0, 4, 0],
    [0, 0, 0, 2],
    [0, 0, 0, -1],
    [0, 9, -5, 0],
  ];
  const offStep = { ...options, elementStrides: [1, 2, 2, 1] };
  return [
    ...starts.map((at) => loading(`im2col-outside/${at.join()}`, { options, at, offsets: [0, 0], bytes: 384 })),
    ...[
      [0, 0, 0, 0],
      [0, 2, -1, 0],
    ].map((at) => loading(`im2col-off-step/${at.join()}`, { options: offStep, at, offsets: [1, 0], bytes: 384 })),
  ];
};

/** Stores that begin before or after a tensor, or not at a multiple of 16 bytes. */
const outsideStores = (): readonly Job[] =>
  [
    [8, 0, 0],
    [0, 6, 0],
    [0, 0, 5],
    [0, 7, 9],
    [-4, 0, 0],
    [0, -1, 0],
    [0, 0, -1],
    [-8, -2, -2],
    [2, 0, 0],
  ].map((at) => {
    const options: MapOptions = { type: 'u32', dimensions: [8, 6, 5], box: [8, 2, 2] };
    return storing(`store-outside/${at.join()}`, { options, at, bytes: 128 }, storeModule(3));
  });

type Corners = readonly [
  lower: readonly number[],
  upper: readonly number[],
  at: readonly number[],
  steps?: readonly number[],
];

/** The corners of im2col maps, the coordinates at which a store begins, and element strides. */
const storedPixels: readonly Corners[] = [
  [
    [0, 0],
    [0, 0],
    [0, 1, 1, 0],
  ],
  [
    [0, 0],
    [-1, -1],
    [4, 1, 1, 0],
  ],
  [
    [1, 1],
    [0, 0],
    [0, 1, 1, 0],
  ],
  [
    [1, 1],
    [1, 1],
    [0, 1, 1, 0],
  ],
  [
    [-1, -1],
    [-1, -1],
    [0, 1, 1, 0],
  ],
  [
    [-1, 0],
    [0, 0],
    [0, 1, 1, 0],
  ],
  [
    [0, -1],
    [0, 0],
    [0, 1, 1, 0],
  ],
  [
    [0, 0],
    [1, 0],
    [0, 1, 1, 0],
  ],
  [
    [0, 0],
    [0, 1],
    [0, 1, 1, 0],
  ],
  [
    [0, 0],
    [0, 0],
    [0, 2, 1, 0],
    [1, 2, 1, 1],
  ],
  [
    [0, 0],
    [0, 0],
    [0, 1, 2, 0],
    [1, 1, 2, 1],
  ],
  [
    [0, 0],
    [0, 0],
    [8, 1, 1, 0],
  ],
  [
    [0, 0],
    [0, 0],
    [-4, 1, 1, 0],
  ],
  [
    [0, 0],
    [0, 0],
    [0, 1, 1, 2],
  ],
  [
    [0, 0],
    [0, 0],
    [0, 1, 1, -1],
  ],
  [
    [0, 0],
    [0, 0],
    [0, 5, 4, 1],
  ],
  [
    [0, 0],
    [0, 0],
    [0, 6, 1, 0],
  ],
  [[0], [0], [0, 3, 1]],
  [[0], [-2], [0, 3, 1]],
  [[1], [0], [0, 3, 1]],
  [[-1], [0], [0, 3, 1]],
  [[0], [1], [0, 3, 1]],
  [[-1], [-1], [0, 3, 1]],
  [[1], [1], [0, 3, 1]],
  [[0], [0], [0, -1, 1]],
];

/** Stores of pixels inside and outside of the images. */
const outsidePixels = (): readonly Job[] =>
  storedPixels.map(([lowerCorner, upperCorner, at, steps]) => {
    const options: MapOptions = {
      type: 'u32',
      dimensions: [8, 6, 5, 2].slice(0, at.length),
      im2col: { lowerCorner, upperCorner, channelsPerPixel: 4, pixelsPerColumn: 7 },
      ...(steps !== undefined && { elementStrides: steps }),
    };
    const stepped = steps === undefined ? '' : `/steps-${steps.join()}`;
    return storing(
      `im2col-store-outside/${lowerCorner.join()}/${upperCorner.join()}${stepped}/at-${at.join()}`,
      { options, at, bytes: 7 * 16 },
      storeModule(at.length, 'cp.async.bulk.tensor', '.im2col_no_offs.bulk_group'),
    );
  });

const misaligned = (): readonly Job[] => [
  ...[16, 64].map((place) => loading(`misaligned/at-${place}`, whole('u32', 4), { place })),
  storing('misaligned/store-at-64', whole('u32', 4), storeModule(2), 64),
];

const mismatched = (): readonly Job[] => [
  loading('mismatch/rank-3-map-2d', {
    options: { type: 'u32', dimensions: [4, 4, 4], box: [4, 2, 2] },
    at: [0, 0],
    bytes: 64,
  }),
  loading('mismatch/rank-1-map-2d', { options: { type: 'u32', dimensions: [64], box: [16] }, at: [0, 0], bytes: 64 }),
];

/** Maps that the driver is expected to reject on this GPU, or whose elements the GPU cannot copy. */
const newer = (): readonly Job[] =>
  (
    [
      ['b4x16', { type: 'b4x16', dimensions: [128, 4], box: [64, 2] }, 64],
      ['b4x16_p64', { type: 'b4x16_p64', dimensions: [256, 4], box: [128, 2] }, 128],
      ['b6x16_p32', { type: 'b6x16_p32', dimensions: [256, 4], box: [128, 2] }, 192],
      ['swizzle-96', { type: 'u8', dimensions: [96, 4], box: [96, 4], swizzle: 96 }, 384],
      ['atom-32', { type: 'u8', dimensions: [128, 8], box: [128, 8], swizzle: 128, swizzleAtom: 32 }, 1024],
    ] as const
  ).map(([name, options, bytes]) => loading(`newer/${name}`, { options, at: [0, 0], bytes }));

const faults = (): readonly Job[] => [
  emptyBulkCopy(),
  ...newer(),
  ...outsideCorners(),
  ...doubtful.map(([op, type]) => special(op, type)),
  ...mismatched(),
  ...outsideStores(),
  ...outsidePixels(),
  ...misaligned(),
];

const certain = (): readonly Job[] => [
  ...roundedLoads(),
  ...specialLoads(),
  ...countedLoads(),
  ...farLoads(),
  ...swizzledLoads(),
  ...reductions(),
  ...swizzledStores(),
  ...bulkJobs(new Random(12)),
  ...multicastLoads(),
  ...pixelJobs(),
  ...pixelReductions(),
  ...tiledStores(),
  ...tiledLoads(),
];

print(process.argv[2] === 'faults' ? faults() : certain());
