/** Reductions of boxes into tensors, and copies of four rows of a matrix (gather4 and scatter4). */
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions, type LaunchResult, tensorMap, type TensorMapOptions } from '../../src/device.ts';
import { f16Value, numberBits } from '../../src/numerics/number-bits.ts';
import { ways } from './run.ts';

const most = 1024;

/**
 * A kernel that copies `size` bytes of `data` to shared memory, runs `instruction`, and copies the bytes back. `%c0` to
 * `%c4` are coordinates, and `tile` is the copy in shared memory.
 */
function moduleOf(instruction: string): string {
  const move = (of: string): string => `mov.u32 %r4, 0; mov.u64 %rd5, %rd2; mov.u32 %r5, tile;
${of}: ${
    of === 'out'
      ? 'ld.shared.b32 %r6, [%r5]; st.global.b32 [%rd5], %r6;'
      : 'ld.global.b32 %r6, [%rd5]; st.shared.b32 [%r5], %r6;'
  } add.u32 %r4, %r4, 4; add.u64 %rd5, %rd5, 4; add.u32 %r5, %r5, 4; setp.lt.u32 %p1, %r4, %r3; @%p1 bra ${of};`;
  return `.version 8.7
.target sm_100a
.address_size 64
.shared .align 1024 .b8 tile[${most}];
.shared .align 8 .b64 object;
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 data, .param .u32 size, .param .align 4 .b8 at[20]) {
.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b32 %c<5>; .reg .b64 %rd<8>;
mov.b64 %rd1, map; cvta.param.u64 %rd3, %rd1; ld.param.u64 %rd2, [data]; ld.param.u32 %r3, [size];
${[0, 1, 2, 3, 4].map((i) => `ld.param.s32 %c${i}, [at+${4 * i}];`).join(' ')}
${move('in')}
${instruction}
${move('out')}
ret; }
`;
}

const store = 'cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;';
const rows = '{%c0, %c1, %c2, %c3, %c4}';
const reduce = (op: string): string =>
  `cp.reduce.async.bulk.tensor.2d.global.shared::cta.${op}.tile.bulk_group [%rd3, {%c0, %c1}], [tile]; ${store}`;
const scatter = `cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd3, ${rows}], [tile]; ${store}`;
const reduceRows = `cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4.bulk_group [%rd3, ${rows}], [tile]; ${store}`;
const gather = `mbarrier.init.shared::cta.b64 [object], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], %r3;
cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [tile], [%rd3, ${rows}], [object];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [object], 0; @!%p1 bra wait;`;

interface Run {
  readonly instruction: string;
  readonly tensor: ArrayBufferView;
  readonly options: Omit<TensorMapOptions, 'tensor'>;
  readonly data: ArrayBufferView;
  readonly at: readonly number[];
}

async function run(
  { instruction, tensor, options, data, at }: Run,
  way: LaunchOptions,
): Promise<{ readonly result: LaunchResult; readonly tensor: Uint8Array; readonly data: Uint8Array }> {
  const device = await Device.create({ gpu: 'B200' });
  const [inTensor, inData] = [device.alloc(tensor), device.alloc(data)];
  const map = tensorMap({ ...options, tensor: inTensor });
  const coordinates = Int32Array.from({ length: 5 }, (_, i) => at[i] ?? 0);
  const args = [map, inData, data.byteLength, new Uint8Array(coordinates.buffer)];
  const result = await device
    .load(moduleOf(instruction))
    .kernel('k')
    .launch({ args, ...way });
  return { result, tensor: inTensor.read(), data: inData.read() };
}

const [width, height, boxWidth, boxHeight] = [16, 4, 8, 2];
const options = (type: TensorMapOptions['type']) => ({ type, dimensions: [width, height], box: [boxWidth, boxHeight] });

/** For each element of the box at (column, row), its index in the tensor; null for elements outside the tensor. */
function placesOf(column: number, row: number): readonly (number | null)[] {
  return Array.from({ length: boxWidth * boxHeight }, (_, i) => {
    const [x, y] = [column + (i % boxWidth), row + Math.floor(i / boxWidth)];
    return x >= 0 && x < width && y >= 0 && y < height ? y * width + x : null;
  });
}

const signed = (value: number): number => value | 0;
const words: readonly (readonly [op: string, type: 'u32' | 's32', of: (old: number, value: number) => number])[] = [
  ['add', 'u32', (old, value) => old + value],
  ['add', 's32', (old, value) => old + value],
  ['min', 'u32', Math.min],
  ['max', 'u32', Math.max],
  ['min', 's32', (old, value) => Math.min(signed(old), signed(value))],
  ['max', 's32', (old, value) => Math.max(signed(old), signed(value))],
  ['inc', 'u32', (old, value) => (old >= value ? 0 : old + 1)],
  ['dec', 'u32', (old, value) => (old === 0 || old > value ? value : old - 1)],
  ['and', 'u32', (old, value) => old & value],
  ['or', 's32', (old, value) => old | value],
  ['xor', 'u32', (old, value) => old ^ value],
];

describe.each(Object.entries(ways))('%s', (_, way) => {
  test.each(words)('.%s of %s, partly outside of the tensor', async (op, type, of) => {
    const tensor = Uint32Array.from({ length: width * height }, (__, i) => Math.imul(i + 3, 2654435761) >>> 0);
    const data = Uint32Array.from({ length: boxWidth * boxHeight }, (__, i) => Math.imul(i + 11, 2246822519) >>> 0);
    const found = await run({ instruction: reduce(op), tensor, options: options(type), data, at: [12, 3] }, way);
    expect(found.result).toMatchObject({ ok: true });
    const expected = tensor.slice();
    placesOf(12, 3).forEach((at, i) => {
      if (at !== null) expected[at] = of(tensor[at] ?? 0, data[i] ?? 0);
    });
    expect([...new Uint32Array(found.tensor.slice().buffer)]).toEqual([...expected]);
  });

  test.each(['f32.ftz', 'tf32.ftz'] as const)('sums of %s numbers, without subnormal ones', async (type) => {
    const floats = new Float32Array(width * height).fill(1e-40);
    const data = new Float32Array(boxWidth * boxHeight).fill(1.5);
    data[0] = 1e-40;
    const sums = await run(
      { instruction: reduce('add'), tensor: floats, options: options(type), data, at: [0, 0] },
      way,
    );
    expect([...new Float32Array(sums.tensor.slice().buffer, 0, 2)]).toEqual([0, 1.5]);
  });

  test('sums of halves, and of f32 numbers, also of subnormal ones', async () => {
    const halves = Uint16Array.from({ length: width * height }, (__, i) => Number(numberBits('f16', i / 3)));
    const box = Uint16Array.from({ length: boxWidth * boxHeight }, (__, i) => Number(numberBits('f16', -i * 0.7)));
    const found = await run(
      { instruction: reduce('add'), tensor: halves, options: options('f16'), data: box, at: [8, 0] },
      way,
    );
    const expected = halves.slice();
    placesOf(8, 0).forEach((at, i) => {
      const sum = f16Value(halves[at ?? 0] ?? 0) + f16Value(box[i] ?? 0);
      expected[at ?? 0] = Number(numberBits('f16', sum));
    });
    expect([...new Uint16Array(found.tensor.slice().buffer)]).toEqual([...expected]);

    const floats = new Float32Array(width * height).fill(1e-40);
    const data = new Float32Array(boxWidth * boxHeight).fill(1.5);
    data[0] = 1e-40;
    const sums = await run(
      { instruction: reduce('add'), tensor: floats, options: options('f32'), data, at: [0, 0] },
      way,
    );
    expect([...new Float32Array(sums.tensor.slice().buffer, 0, 2)]).toEqual([2 * Math.fround(1e-40), 1.5]);
  });

  test('64-bit elements', async () => {
    const tensor = new BigUint64Array(width * height).fill(2n ** 64n - 1n);
    const data = BigUint64Array.from({ length: boxWidth * boxHeight }, (__, i) => BigInt(i));
    const found = await run({ instruction: reduce('add'), tensor, options: options('u64'), data, at: [0, 0] }, way);
    expect([...new BigUint64Array(found.tensor.slice().buffer, 0, 3)]).toEqual([2n ** 64n - 1n, 0n, 1n]);
  });

  const matrix = { type: 's32', dimensions: [width, 10], box: [8, 1] } as const;
  const wanted = [4, 7, -1, 0, 9];
  const tensor = Int32Array.from({ length: width * 10 }, (__, i) => i);
  const data = Int32Array.from({ length: 32 }, (__, i) => 1000 + i);

  test('gathers four rows, with zeros for one that is outside', async () => {
    const found = await run({ instruction: gather, tensor, options: matrix, data, at: wanted }, way);
    expect(found.result).toMatchObject({ ok: true });
    const expected = wanted
      .slice(1)
      .flatMap((row) => Array.from({ length: 8 }, (__, i) => (row < 0 ? 0 : row * width + 4 + i)));
    expect([...new Int32Array(found.data.slice().buffer)]).toEqual(expected);
  });

  test.each([
    ['scatters', scatter, 0],
    ['adds', reduceRows, 1],
  ])('%s four rows, without one that is outside', async (__, instruction, share) => {
    const found = await run({ instruction, tensor, options: matrix, data, at: wanted }, way);
    expect(found.result).toMatchObject({ ok: true });
    const expected = tensor.slice();
    wanted.slice(1).forEach((row, i) => {
      if (row < 0) return;
      for (let x = 0; x < 8; x++) {
        const at = row * width + 4 + x;
        expected[at] = share * (tensor[at] ?? 0) + (data[8 * i + x] ?? 0);
      }
    });
    expect([...new Int32Array(found.tensor.slice().buffer)]).toEqual([...expected]);
  });
});

test.each<readonly [what: string, instruction: string, options: Omit<TensorMapOptions, 'tensor'>, message: string]>([
  ['bytes', reduce('min'), options('u8'), 'the tensor map has elements of type u8, to which .min cannot be applied'],
  [
    'minima of floats',
    reduce('max'),
    options('f32'),
    'the tensor map has elements of type f32, to which .max cannot be',
  ],
  ['bits of halves', reduce('xor'), options('f16'), 'the tensor map has elements of type f16, to which .xor cannot be'],
  [
    'boxes with several rows',
    gather,
    options('s32'),
    'the tensor map has boxes with 2 rows, but the instruction needs',
  ],
  [
    'volumes',
    gather,
    { type: 's32', dimensions: [8, 2, 2], box: [8, 1, 1] },
    'the tensor map describes a tensor with 3 dimensions, but the instruction copies parts of a tensor with 2 dimensions',
  ],
])('a fault: %s', async (_, instruction, given, message) => {
  const [tensor, data] = [new Uint8Array(4096), new Uint8Array(64)];
  const fitting = given.type === 'u8' ? { ...given, box: [16, 2] } : given;
  const { result } = await run({ instruction, tensor, options: fitting, data, at: [] }, {});
  expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6035', message: expect.stringContaining(message) } });
});
