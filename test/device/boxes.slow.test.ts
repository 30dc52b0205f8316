/** Copies of boxes of tensors (cp.async.bulk.tensor, mode tile) between global and shared memory. */
import { describe, expect, test } from 'vitest';
import { Device, type DeviceBuffer, type LaunchResult, tensorMap, type TensorMapOptions } from '../../src/device.ts';
import { boxKernel, mostBoxBytes } from './box-kernel.ts';
import { ways } from './run.ts';

interface Case {
  readonly name: string;
  readonly options: Omit<TensorMapOptions, 'tensor'> & { readonly box: readonly number[] };
  readonly elementBytes: number;
  readonly coordinates: readonly number[];
}

const cases: readonly Case[] = [
  { name: 'inside', options: { type: 'f32', dimensions: [32, 8], box: [8, 4] }, elementBytes: 4, coordinates: [16, 3] },
  { name: 'one dimension', options: { type: 'u8', dimensions: [512], box: [64] }, elementBytes: 1, coordinates: [32] },
  {
    name: 'before the start',
    options: { type: 'f16', dimensions: [40, 6], box: [16, 8] },
    elementBytes: 2,
    coordinates: [-8, -2],
  },
  {
    name: 'beyond the end, with gaps between rows',
    options: { type: 'f16', dimensions: [20, 6], strides: [64], box: [16, 4] },
    elementBytes: 2,
    coordinates: [8, 4],
  },
  {
    name: 'filled with NaN',
    options: { type: 'bf16', dimensions: [20, 4], strides: [48], box: [8, 4], fill: 'nan' },
    elementBytes: 2,
    coordinates: [16, 2],
  },
  ...([32, 64, 128] as const).flatMap((swizzle): readonly Case[] => [
    {
      name: `swizzle of ${swizzle} bytes`,
      options: { type: 'f16', dimensions: [128, 32], box: [swizzle / 2, 16], swizzle },
      elementBytes: 2,
      coordinates: [8, 5],
    },
    {
      name: `swizzle of ${swizzle} bytes with shorter rows`,
      options: { type: 'f32', dimensions: [16, 32], box: [4, 16], swizzle },
      elementBytes: 4,
      coordinates: [8, 5],
    },
  ]),
  {
    name: 'three dimensions, every second and every third',
    options: { type: 's32', dimensions: [8, 10, 12], box: [4, 5, 7], elementStrides: [1, 2, 3] },
    elementBytes: 4,
    coordinates: [4, 1, 5],
  },
  {
    name: 'five dimensions',
    options: { type: 'u64', dimensions: [4, 3, 2, 3, 2], box: [2, 2, 2, 2, 2] },
    elementBytes: 8,
    coordinates: [2, 1, 1, 2, 1],
  },
];

/**
 * The number of elements in a row of a tensor, after the size of the row has been rounded up to a multiple of 16 bytes.
 */
const filledRow = ({ options, elementBytes }: Case): number =>
  (Math.ceil(((options.dimensions[0] ?? 0) * elementBytes) / 16) * 16) / elementBytes;

/**
 * Calls `each` for every element of a box, with the element's offset in shared memory and its offset in the tensor,
 * which is null for elements outside the tensor. Rows of the tensor have `inRow` elements. Returns the size of the box
 * in bytes.
 */
function eachElement(
  { options, elementBytes, coordinates }: Case,
  inRow: number,
  each: (inShared: number, inTensor: number | null) => void,
): number {
  const { dimensions, box, swizzle = 0 } = options;
  const strides = [elementBytes, ...(options.strides ?? [])];
  for (let i = strides.length; i < dimensions.length; i++)
    strides.push((strides[i - 1] ?? 0) * (dimensions[i - 1] ?? 0));
  const steps = dimensions.map((_, i) => (i === 0 ? 1 : (options.elementStrides?.[i] ?? 1)));
  const lengths = box.map((length, i) => Math.ceil(length / (steps[i] ?? 1)));
  const count = lengths.reduce((product, length) => product * length, 1);
  const rowBytes = (box[0] ?? 0) * elementBytes;
  for (let index = 0; index < count; index++) {
    let rest = index;
    let place: number | null = 0;
    lengths.forEach((length, i) => {
      const at: number = (coordinates[i] ?? 0) + (rest % length) * (steps[i] ?? 1);
      rest = Math.floor(rest / length);
      place =
        place === null || at < 0 || at >= (i === 0 ? inRow : (dimensions[i] ?? 0))
          ? null
          : place + at * (strides[i] ?? 0);
    });
    const row = Math.floor(index / (box[0] ?? 1));
    const linear = row * Math.max(swizzle, rowBytes) + ((index * elementBytes) % rowBytes);
    const chunk = (linear >> 4) ^ ((linear >> 7) & (swizzle === 0 ? 0 : swizzle / 16 - 1));
    each(chunk * 16 + (linear % 16), place);
  }
  return count * elementBytes;
}

const tensorBytes = 8192;
const pattern = (bytes: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => (Math.imul(i + seed, 2654435761) >>> 13) & 0xff);

async function run(
  given: Case,
  isLoad: boolean,
  [tensor, box]: readonly [Uint8Array, Uint8Array],
  way: object,
): Promise<{ readonly result: LaunchResult; readonly tensor: Uint8Array; readonly box: Uint8Array }> {
  const device = await Device.create({ gpu: 'H100' });
  const [inTensor, inBox] = [device.alloc(tensor), device.alloc(box)];
  const map = tensorMap({ ...given.options, tensor: inTensor });
  const size = eachElement(given, 0, () => undefined);
  const args = [map, inBox, isLoad ? mostBoxBytes : box.length, size, ...given.coordinates];
  const text = boxKernel({ dimensions: given.coordinates.length, isLoad });
  const result = await device
    .load(text)
    .kernel('k')
    .launch({ args, ...way });
  return { result, tensor: inTensor.read(), box: inBox.read() };
}

for (const [way, options] of Object.entries(ways)) {
  describe(way, () => {
    for (const one of cases) {
      test(`to shared memory: ${one.name}`, async () => {
        const [tensor, expected] = [pattern(tensorBytes, 1), new Uint8Array(mostBoxBytes)];
        const isNan = one.options.fill === 'nan';
        eachElement(one, one.options.dimensions[0] ?? 0, (inShared, inTensor) => {
          for (let i = 0; i < one.elementBytes; i++)
            expected[inShared + i] =
              inTensor === null ? (isNan ? ([0xf7, 0x7f][i] ?? 0) : 0) : (tensor[inTensor + i] ?? 0);
        });
        const { result, box } = await run(one, true, [tensor, new Uint8Array(mostBoxBytes)], {
          ...options,
          uninitialized: 'zero',
        });
        expect(result).toMatchObject({ ok: true });
        expect([...box]).toEqual([...expected]);
      });

      test(`to global memory: ${one.name}`, async () => {
        const [tensor, box] = [pattern(tensorBytes, 1), pattern(mostBoxBytes, 7)];
        const expected = tensor.slice();
        eachElement(one, filledRow(one), (inShared, inTensor) => {
          if (inTensor !== null)
            for (let i = 0; i < one.elementBytes; i++) expected[inTensor + i] = box[inShared + i] ?? 0;
        });
        const found = await run(one, false, [tensor, box], { ...options });
        if (one.coordinates.some((at) => at < 0)) {
          expect(found.result).toMatchObject({ ok: false, fault: { code: 'PTX6035' } });
          return;
        }
        expect(found.result).toMatchObject({ ok: true });
        expect([...found.tensor]).toEqual([...expected]);
      });
    }

    test('a tensor that extends beyond its buffer', async () => {
      const given: Case = {
        name: '',
        options: { type: 'f32', dimensions: [32, 100], box: [8, 4] },
        elementBytes: 4,
        coordinates: [0, 63],
      };
      const { result } = await run(given, true, [pattern(tensorBytes, 1), new Uint8Array(mostBoxBytes)], {
        ...options,
      });
      expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6001', space: 'global' } });
    });

    test.each([
      ['load', 0],
      ['load', 128],
      ['store', 0],
      ['store', 128],
    ] as const)('a %s of a row that ends beyond the buffer, with a swizzle of %i bytes', async (access, swizzle) => {
      const given: Case = {
        name: '',
        options: { type: 'f32', dimensions: [64], box: [32], swizzle },
        elementBytes: 4,
        coordinates: [16],
      };
      const { result } = await run(given, access === 'load', [pattern(144, 1), pattern(128, 2)], { ...options });
      const message = `${access} of 16 bytes at 0x10090 in global memory`;
      const fault = { code: 'PTX6001', message: expect.stringContaining(message) as string };
      expect(result).toMatchObject({ ok: false, fault });
    });

    test('a row that ends beyond shared memory', async () => {
      const device = await Device.create({ gpu: 'H100' });
      const tensor = device.alloc(4096);
      const map = tensorMap({ tensor, type: 'u8', dimensions: [256, 4], box: [128, 2] });
      const text = boxKernel({ dimensions: 2, isLoad: true })
        .replace(`tile[${mostBoxBytes}]`, 'tile[192]')
        .replace('.shared .align 8 .b64 object;', '')
        .replace('.shared .align 1024', '.shared .align 8 .b64 object;\n.shared .align 1024');
      const result = await device
        .load(text)
        .kernel('k')
        .launch({ args: [map, tensor, 192, 256, 0, 0], ...options });
      const message = 'store of 16 bytes at 0x4c0 in shared memory';
      expect(result).toMatchObject({
        ok: false,
        fault: { code: 'PTX6001', message: expect.stringContaining(message) as string },
      });
    });

    test('bytes that are not a tensor map', async () => {
      const device = await Device.create({ gpu: 'H100' });
      const box = device.alloc(mostBoxBytes);
      const kernel = device.load(boxKernel({ dimensions: 2, isLoad: true })).kernel('k');
      const result = await kernel.launch({ args: [pattern(128, 1), box, 16, 16, 0, 0], ...options });
      const message = 'the tensor map has bits that no tensor map of ptxlab has';
      expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6035', message } });
    });

    test.each([
      [
        'PTX6035',
        'the tensor map has elements of type u8, so the first coordinate must be a multiple of 16, not 8',
        0,
        8,
      ],
      ['PTX6002', 'copy in units of 128 bytes at 0x40 in shared memory is not aligned to 128', 64, 0],
    ] as const)('%s: %s', async (code, message, place, column) => {
      const device = await Device.create({ gpu: 'H100' });
      const tensor = device.alloc(4096);
      const map = tensorMap({ tensor, type: 'u8', dimensions: [64, 4], box: [16, 1] });
      const text = boxKernel({ dimensions: 2, isLoad: true }).replace('[tile], [%rd3', `[tile+${place}], [%rd3`);
      const result = await device
        .load(text)
        .kernel('k')
        .launch({ args: [map, tensor, 16, 16, column, 0], ...options });
      expect(result).toMatchObject({ ok: false, fault: { code, message } });
    });

    test('a tensor map with another number of dimensions', async () => {
      const device = await Device.create({ gpu: 'H100' });
      const box = device.alloc(mostBoxBytes);
      const map = tensorMap({ tensor: box, type: 'u8', dimensions: [64], box: [16] });
      const result = await device
        .load(boxKernel({ dimensions: 2, isLoad: true }))
        .kernel('k')
        .launch({ args: [map, box, 16, 16, 0, 0], ...options });
      expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6035' } });
    });
  });
}

/** Each of the two blocks of a cluster copies half of a box to both blocks. */
const sharedHalves = `.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) .reqnctapercluster 2 {
.shared .align 128 .b8 tile[256]; .shared .align 8 .b64 object;
.reg .pred %p<2>; .reg .b16 %h; .reg .b32 %r<10>; .reg .b64 %rd<6>;
mov.b64 %rd1, map; cvta.param.u64 %rd3, %rd1; ld.param.u64 %rd2, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %ctaid.x;
mbarrier.init.shared::cta.b64 [object], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 256;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
mov.u32 %r3, tile; shl.b32 %r4, %r1, 7; add.u32 %r3, %r3, %r4; shl.b32 %r5, %r2, 3; mov.u16 %h, 3;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%rd3, {0, %r5}], [object], %h;
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [object], 0; @!%p1 bra wait;
mul.wide.u32 %rd4, %r2, 256; add.u64 %rd2, %rd2, %rd4; mov.u32 %r6, 0; mov.u32 %r7, tile;
store: ld.shared.b32 %r8, [%r7]; st.global.b32 [%rd2], %r8; add.u32 %r6, %r6, 4; add.u32 %r7, %r7, 4; add.u64 %rd2, %rd2, 4;
setp.lt.u32 %p1, %r6, 256; @%p1 bra store;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret; }
`;

test.each(Object.entries({ ...ways, 'two workers': { workers: 2 } }))(
  'to both blocks of a cluster: %s',
  async (_, options) => {
    const device = await Device.create({ gpu: 'H100' });
    const values = Int32Array.from({ length: 4 * 32 }, (__, i) => i);
    const [tensor, out] = [device.alloc(values), device.alloc(4 * 256)];
    const map = tensorMap({ tensor, type: 's32', dimensions: [4, 32], box: [4, 8] });
    const kernel = device.load(sharedHalves).kernel('k');
    const result = await kernel.launch({ grid: 4, args: [map, out], ...options });
    expect(result).toMatchObject({ ok: true });
    const [first, second] = [[...values.subarray(0, 64)], [...values.subarray(64)]];
    expect([...new Int32Array(out.read().buffer)]).toEqual([...first, ...first, ...second, ...second]);
  },
);

describe('tensorMap refuses', () => {
  const valid = { type: 'f16', dimensions: [64, 64], box: [32, 8] } as const;
  const column = { lowerCorner: [0, 0], upperCorner: [0, 0], channelsPerPixel: 8, pixelsPerColumn: 4 };
  const bad: readonly (readonly [string, object])[] = [
    ["option 'type' of tensorMap must be", { type: 'e4m3' }],
    ["option 'tensor' is missing", { tensor: undefined }],
    ["option 'dimensions[1]' of tensorMap must be a whole number from 1 to 2^32", { dimensions: [64, 0] }],
    ['a tensor has 1 to 5 dimensions, not 6', { dimensions: [8, 1, 1, 1, 1, 1], box: [8, 1, 1, 1, 1, 1] }],
    ['box must contain 2 numbers, not 1', { box: [32] }],
    ['strides must be multiples of 16 bytes, not 72', { strides: [72] }],
    ['a row of the box must be a multiple of 16 bytes, not 20', { box: [10, 8] }],
    ['a row of 64 bytes exceeds the swizzle of 32 bytes', { swizzle: 32 }],
    ['a swizzle of 64 bytes has no atom 32', { swizzle: 64, swizzleAtom: 32 }],
    ["option 'swizzleAtom' of tensorMap must be 16, 32, 32-flip-8 or 64", { swizzle: 128, swizzleAtom: 128 }],
    ["option 'swizzle' of tensorMap must be 0, 32, 64, 96 or 128", { swizzle: 16 }],
    ["option 'box' or 'im2col' is missing", { box: undefined }],
    ["only one of the options 'box' and 'im2col' can be given", { im2col: {} }],
    ['a tensor of images has 3 to 5 dimensions, not 2', { box: undefined, im2col: {} }],
    ["option 'im2col.lowerCorner' is missing", { dimensions: [64, 8, 8, 2], box: undefined, im2col: {} }],
    [
      'im2col.upperCorner must be between -128 and 127 in 4 dimensions, not 128',
      { dimensions: [64, 8, 8, 2], box: undefined, im2col: { ...column, upperCorner: [0, 128] } },
    ],
    [
      'the corners of im2col leave no pixels along dimension 1: from 0 to -1',
      { dimensions: [64, 8, 8, 2], box: undefined, im2col: { ...column, upperCorner: [-8, 0] } },
    ],
    [
      "option 'im2col.pixelsPerColumn' of tensorMap must be a whole number from 1 to 1024",
      { dimensions: [64, 8, 8, 2], box: undefined, im2col: { ...column, pixelsPerColumn: 1025 } },
    ],
    [
      'the channels of a pixel must be a multiple of 16 bytes, not 8',
      { dimensions: [64, 8, 8, 2], box: undefined, im2col: { ...column, channelsPerPixel: 4 } },
    ],
    [
      'the map has 63 elements of type b4x16 in a row, but needs a multiple of 2',
      { type: 'b4x16', dimensions: [63, 8], strides: [32] },
    ],
    [
      'the map has boxes with 32 elements of type b6x16_p32, but needs boxes with 128',
      { type: 'b6x16_p32', dimensions: [128, 64] },
    ],
    [
      'the map has a swizzle that cannot be used with elements of type b4x16_p64',
      { type: 'b4x16_p64', dimensions: [128, 64], box: [128, 1], swizzle: 64 },
    ],
    [
      'strides must be multiples of 32 bytes, not 80',
      { type: 'b4x16_p64', dimensions: [128, 64], box: [128, 1], strides: [80] },
    ],
    ['elements of type u16 cannot be filled with NaN', { type: 'u16', fill: 'nan' }],
    ['the address of the tensor must be a multiple of 16, not 0x8', { tensor: 8n }],
  ];
  for (const [message, changes] of bad) {
    test(message, async () => {
      const device = await Device.create();
      const tensor: DeviceBuffer = device.alloc(8192);
      expect(() => tensorMap({ tensor, ...valid, ...changes })).toThrow(
        expect.objectContaining({ code: 'bad-option', message: expect.stringContaining(message) as string }) as Error,
      );
    });
  }
});
