/**
 * Reads small checkpoints that follow the rules of other tools. Their bytes and values are computed here from the
 * definitions of the layouts, without any of ptxlab's readers or writers.
 */
import { describe, expect, test } from 'vitest';
import {
  compared,
  dice,
  expectClose,
  f32,
  fileOf,
  type Made,
  original,
  product,
} from '../../../test/tensors/made-checkpoints.ts';
import { awq, gptq, packQuantized } from '../../../test/tensors/packed-integers.ts';
import { safetensorsBytes, type StoredTensor, type StoredTensors } from '../../../test/tensors/safetensors-bytes.ts';
import { memorySink, memorySource } from '../bytes.ts';
import { planConversion } from '../conversion-plan.ts';
import { convertFile } from '../convert-file.ts';
import { openTensorFile } from '../open.ts';
import { modelOf } from './model-tensors.ts';

/** The sixteen values of e2m1 in the order of their codes. */
const fp4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6];

/**
 * OCP's E4M3: a sign bit, 4 exponent bits with bias 7, and 3 fraction bits. If all bits below the sign are ones, the
 * value is NaN.
 */
function e4m3(code: number): number {
  const [exponent, fraction] = [(code >> 3) & 15, code & 7];
  const magnitude = exponent === 0 ? fraction / 512 : (1 + fraction / 8) * 2 ** (exponent - 7);
  return (code & 0x80) === 0 ? magnitude : -magnitude;
}

/**
 * Returns random bytes, each of which contains two e2m1 codes (the first one in the low nibble), and the values of
 * these codes in the same order.
 */
function nibbles(count: number, random: () => number): readonly [bytes: Uint8Array, values: readonly number[]] {
  const codes = Array.from({ length: count }, () => Math.floor(random() * 16));
  const bytes = Uint8Array.from({ length: count / 2 }, (_, i) => (codes[2 * i] ?? 0) | ((codes[2 * i + 1] ?? 0) << 4));
  return [bytes, codes.map((code) => fp4[code] ?? 0)];
}

/**
 * `weight` is e4m3. `weight_scale_inv` contains one f32 for each block of 128 x 128 elements; the elements of the block
 * are multiplied by it.
 */
function deepSeek(name: string, [rows, columns]: readonly [number, number]): Made {
  const random = dice(rows * 31 + columns);
  const codes = Uint8Array.from({ length: rows * columns }, () => {
    const code = Math.floor(random() * 256);
    return (code & 0x7f) === 0x7f ? 0 : code;
  });
  const [down, across] = [Math.ceil(rows / 128), Math.ceil(columns / 128)];
  const scales = Array.from({ length: down * across }, () => Math.fround(random() / 100));
  const values = Array.from(codes, (code, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    return e4m3(code) * (scales[Math.floor(row / 128) * across + Math.floor(column / 128)] ?? 0);
  });
  return {
    tensors: {
      [name]: { dtype: 'F8_E4M3', shape: [rows, columns], bytes: codes },
      [`${name}_scale_inv`]: f32([down, across], scales),
    },
    shape: [rows, columns],
    values,
  };
}

interface Nvfp4Names {
  readonly codes: string;
  readonly second: string;
  readonly isDivided: boolean;
  readonly others: StoredTensors;
}

/**
 * A tensor of u8 elements, each of which contains a pair of codes; `_scale` contains one e4m3 scale for every 16 codes,
 * and there is a second scale for the tensor or for each expert.
 */
function nvfp4(name: string, shape: readonly number[], names: Nvfp4Names, seconds: readonly number[] = [0.125]): Made {
  const random = dice(product(shape));
  const columns = shape.at(-1) ?? 0;
  const [bytes, units] = nibbles(product(shape), random);
  const scales = Uint8Array.from({ length: product(shape) / 16 }, () => Math.floor(random() * 0x7e));
  const span = product(shape) / seconds.length;
  const values = units.map((unit, i) => {
    const second = seconds[Math.floor(i / span)] ?? 0;
    return unit * e4m3(scales[Math.floor(i / 16)] ?? 0) * (names.isDivided ? 1 / second : second);
  });
  const leading = shape.slice(0, -1);
  return {
    tensors: {
      [name + names.codes]: { dtype: 'U8', shape: [...leading, columns / 2], bytes },
      [`${name}_scale`]: { dtype: 'F8_E4M3', shape: [...leading, columns / 16], bytes: scales },
      [name + names.second]: f32(seconds.length === 1 && !names.isDivided ? [] : [seconds.length], seconds),
      ...names.others,
    },
    shape,
    values,
  };
}

const modelopt: Nvfp4Names = {
  codes: '',
  second: '_scale_2',
  isDivided: false,
  others: {
    'model.layers.0.mlp.up_proj.input_scale': f32([], [3]),
    'model.layers.0.self_attn.k_proj.k_scale': f32([], [2]),
  },
};
const compressed: Nvfp4Names = {
  codes: '_packed',
  second: '_global_scale',
  isDivided: true,
  others: { 'model.layers.0.mlp.up_proj.input_global_scale': f32([1], [3]) },
};

/** Blocks of 16 bytes with two codes each; every block has a scale of 2^(byte - 127). */
function gptOss(name: string, [experts, rows, groups]: readonly [number, number, number], dot = '_'): Made {
  const random = dice(experts + rows + groups);
  const [bytes, units] = nibbles(experts * rows * groups * 32, random);
  const scales = Uint8Array.from({ length: experts * rows * groups }, () => 110 + Math.floor(random() * 30));
  return {
    tensors: {
      [`${name}${dot}blocks`]: { dtype: 'U8', shape: [experts, rows, groups, 16], bytes },
      [`${name}${dot}scales`]: { dtype: 'U8', shape: [experts, rows, groups], bytes: scales },
    },
    shape: [experts, rows, groups * 32],
    values: units.map((unit, i) => unit * 2 ** ((scales[Math.floor(i / 32)] ?? 0) - 127)),
  };
}

/** `weight` is e4m3, with one bf16 scale per row. */
function channelFp8(name: string): Made {
  const codes = Uint8Array.from({ length: 6 * 10 }, (_, i) => (i * 37) % 127);
  const scales = Uint16Array.from({ length: 6 }, (_, i) => 0x3f80 + i * 16);
  const scaleOf = (row: number): number =>
    new Float32Array(Uint32Array.of((scales[row] ?? 0) << 16).buffer)[0] ?? Number.NaN;
  return {
    tensors: {
      [name]: { dtype: 'F8_E4M3', shape: [6, 10], bytes: codes },
      [`${name}_scale`]: { dtype: 'BF16', shape: [6, 1], bytes: new Uint8Array(scales.buffer) },
    },
    shape: [6, 10],
    values: Array.from(codes, (code, i) => e4m3(code) * scaleOf(Math.floor(i / 10))),
  };
}

/** e4m3 with one ue8m0 scale, stored as a byte, per 32 elements. */
function mxfp8(name: string): Made {
  const codes = Uint8Array.from({ length: 3 * 96 }, (_, i) => (i * 29) % 127);
  const scales = Uint8Array.from({ length: 9 }, (_, i) => 120 + i);
  return {
    tensors: {
      [name]: { dtype: 'F8_E4M3', shape: [3, 96], bytes: codes },
      [`${name}_scale`]: { dtype: 'U8', shape: [3, 3], bytes: scales },
    },
    shape: [3, 96],
    values: Array.from(codes, (code, i) => e4m3(code) * 2 ** ((scales[Math.floor(i / 32)] ?? 0) - 127)),
  };
}

/** Pairs of e2m1 codes, with one ue8m0 scale, stored as a byte, for every 32 codes. */
function mxfp4(name: string, codes: string): Made {
  const [bytes, units] = nibbles(4 * 64, dice(7));
  const scales = Uint8Array.from({ length: 8 }, (_, i) => 124 + i);
  return {
    tensors: {
      [name + codes]: { dtype: 'U8', shape: [4, 32], bytes },
      [`${name}_scale`]: { dtype: 'U8', shape: [4, 2], bytes: scales },
    },
    shape: [4, 64],
    values: units.map((unit, i) => unit * 2 ** ((scales[Math.floor(i / 32)] ?? 0) - 127)),
  };
}

const weight = 'model.layers.0.mlp.up_proj.weight';
const upProjection = 'model.layers.0.mlp.up_proj';
const experts = 'model.layers.0.mlp.experts.gate_up_proj';

const layouts: Readonly<Record<string, readonly [name: string, made: Made]>> = {
  'DeepSeek, whole squares': [weight, deepSeek(weight, [256, 384])],
  'DeepSeek, squares cut off': [weight, deepSeek(weight, [200, 130])],
  'DeepSeek, one square': [weight, deepSeek(weight, [64, 100])],
  'DeepSeek, a name without a prefix': ['weight', deepSeek('weight', [129, 5])],
  'NVFP4 of ModelOpt': [weight, nvfp4(weight, [6, 64], modelopt)],
  'NVFP4 of ModelOpt, one block': [weight, nvfp4(weight, [1, 16], modelopt)],
  'NVFP4 of ModelOpt, experts': [experts, nvfp4(experts, [3, 5, 32], modelopt)],
  'NVFP4 of ModelOpt, a second scale per expert': [experts, nvfp4(experts, [3, 5, 32], modelopt, [0.5, 3, 7])],
  'NVFP4 of compressed-tensors': [weight, nvfp4(weight, [6, 64], compressed, [1792])],
  'NVFP4 of compressed-tensors, rows of 48': [weight, nvfp4(weight, [7, 48], compressed, [11])],
  'MXFP4 of ModelOpt': [weight, mxfp4(weight, '')],
  'MXFP4 of compressed-tensors': [weight, mxfp4(weight, '_packed')],
  'MXFP8 of ModelOpt': [weight, mxfp8(weight)],
  'gpt-oss': [experts, gptOss(experts, [2, 6, 3])],
  'gpt-oss, one expert and one group': [experts, gptOss(experts, [1, 3, 1])],
  'gpt-oss, original names': ['block.0.mlp.mlp1_weight', gptOss('block.0.mlp.mlp1_weight', [2, 4, 2], '.')],
  'float-quantized of compressed-tensors': [weight, channelFp8(weight)],
  'pack-quantized int4': [weight, packQuantized(weight, { bits: 4, shape: [6, 64], group: 32, hasZeros: false })],
  'pack-quantized int4, zero points': [
    weight,
    packQuantized(weight, { bits: 4, shape: [11, 64], group: 16, hasZeros: true }),
  ],
  'pack-quantized int4, a scale per row, words not full': [
    weight,
    packQuantized(weight, { bits: 4, shape: [5, 27], group: 27, hasZeros: true }),
  ],
  'pack-quantized int4, reordered columns': [
    weight,
    packQuantized(weight, { bits: 4, shape: [3, 64], group: 16, hasZeros: true, isReordered: true }),
  ],
  'pack-quantized int8': [weight, packQuantized(weight, { bits: 8, shape: [6, 64], group: 64, hasZeros: false })],
  'pack-quantized int8, zero points': [
    weight,
    packQuantized(weight, { bits: 8, shape: [7, 96], group: 32, hasZeros: true }),
  ],
  GPTQ: [weight, gptq(upProjection, { bits: 4, shape: [16, 64], group: 32, hasZeros: true }, 1, true)],
  'GPTQ, symmetric, without an index': [
    weight,
    gptq(upProjection, { bits: 4, shape: [8, 24], group: 12, hasZeros: false }, 1, false),
  ],
  'GPTQ, reordered columns': [
    weight,
    gptq(upProjection, { bits: 4, shape: [8, 64], group: 16, hasZeros: true, isReordered: true }, 1, true),
  ],
  'GPTQ, 8 bits': [weight, gptq(upProjection, { bits: 8, shape: [8, 32], group: 32, hasZeros: true }, 1, true)],
  'GPTQ, 2 bits': [weight, gptq(upProjection, { bits: 2, shape: [16, 32], group: 16, hasZeros: true }, 1, true)],
  'GPTQ v2, symmetric': [weight, gptq(upProjection, { bits: 4, shape: [8, 64], group: 16, hasZeros: false }, 0, true)],
  AWQ: [weight, awq(upProjection, { bits: 4, shape: [16, 64], group: 32, hasZeros: true })],
  'AWQ, one group': [weight, awq(upProjection, { bits: 4, shape: [8, 16], group: 16, hasZeros: true })],
};

describe.each(Object.entries(layouts))('%s', (_, [name, made]) => {
  test('is one tensor, with the shape of its elements, and no warning', async () => {
    const { tensors, lookAlikes } = modelOf(await fileOf(made.tensors));
    const weights = tensors.filter(({ isActivationScale }) => !isActivationScale);
    expect(weights.map(({ entry }) => [entry.name, entry.shape])).toEqual([[name, made.shape]]);
    expect(lookAlikes).toEqual([]);
  });

  test('has the values of the original', async () => {
    const [wanted, found] = await compared(await original(made, name), await fileOf(made.tensors));
    expectClose(found, wanted);
  });

  test('becomes a plain tensor', async () => {
    const file = await fileOf(made.tensors);
    const plan = planConversion(file, 'safetensors', { to: 'f64' });
    const bytes = new Uint8Array(plan.layout.size);
    await convertFile(plan, file, { ...memorySource(bytes), ...memorySink(bytes) });
    const out = plan.layout.tensors.find((entry) => entry.name === name);
    expect(out?.shape).toEqual(made.shape);
    const data = bytes.slice(out?.offset, (out?.offset ?? 0) + (out?.byteLength ?? 0));
    expect([...new Float64Array(data.buffer)]).toEqual(made.values.map(Math.fround));
    // Scales of activations are copied unchanged.
    const others = plan.work.filter(({ kind }) => kind === 'copy').map(({ entry }) => entry.name);
    expect(others).toEqual(Object.keys(made.tensors).filter((one) => /input_|k_scale/.test(one)));
  });

  test('is read from several files, with the scales in a different file', async () => {
    const names = Object.keys(made.tensors);
    const weightMap = Object.fromEntries(names.map((one, i) => [one, `part-${i}.safetensors`]));
    const index = Buffer.from(JSON.stringify({ metadata: {}, weight_map: weightMap }));
    const parts = new Map(
      Object.entries(made.tensors).map(([one, stored], i) => [
        `part-${i}.safetensors`,
        safetensorsBytes({ [one]: stored }),
      ]),
    );
    const file = await openTensorFile(memorySource(index), {
      name: 'model.safetensors.index.json',
      openBeside: (part) => Promise.resolve(memorySource(parts.get(part) ?? new Uint8Array(0))),
    });
    const [wanted, found] = await compared(await original(made, name), file);
    expectClose(found, wanted);
  });
});

test('experts of gpt-oss are compared with the matrices of transformers, whose axes are swapped', async () => {
  const made = gptOss(experts, [2, 6, 3]);
  const [count, rows, columns] = [2, 6, 96];
  const swapped = Array.from({ length: count * rows * columns }, (_, i) => {
    const [expert, column, row] = [Math.floor(i / (rows * columns)), Math.floor(i / rows) % columns, i % rows];
    return made.values[(expert * rows + row) * columns + column] ?? Number.NaN;
  });
  const plain = await fileOf({ [experts]: f32([count, columns, rows], swapped) });
  const [wanted, found] = await compared(plain, await fileOf(made.tensors));
  expect(found).toEqual(made.values);
  expect(wanted).toEqual(found);
});

describe('tensors that fit no layout are shown as they are stored, with a warning', () => {
  const fp8 = (...shape: readonly number[]): StoredTensor => ({
    dtype: 'F8_E4M3',
    shape,
    bytes: new Uint8Array(product(shape)),
  });
  const u8 = (...shape: readonly number[]): StoredTensor => ({
    dtype: 'U8',
    shape,
    bytes: new Uint8Array(product(shape)),
  });
  const i32 = (...shape: readonly number[]): StoredTensor => ({
    dtype: 'I32',
    shape,
    bytes: new Uint8Array(4 * product(shape)),
  });
  const ones = (...shape: readonly number[]): StoredTensor => f32(shape, Array<number>(product(shape)).fill(1));

  test.each<[string, StoredTensors, readonly string[]]>([
    ['scales of an unknown shape', { w: fp8(4, 64), w_scale_inv: ones(3, 5) }, ['w_scale_inv']],
    ['scales of bytes that are not pairs', { w: u8(4, 64), w_scale: ones(4, 1) }, ['w_scale']],
    ['NVFP4 without its second scale', { w: u8(4, 32), w_scale: fp8(4, 4) }, ['w_scale']],
    ['packed codes without scales', { w_packed: u8(4, 32) }, ['w_packed']],
    ['packed codes without the global scale', { w_packed: u8(4, 32), w_scale: fp8(4, 4) }, ['w_packed', 'w_scale']],
    ['blocks without scales', { w_blocks: u8(2, 4, 3, 16) }, ['w_blocks']],
    ['blocks with too few scales', { w_blocks: u8(2, 4, 3, 16), w_scales: u8(2, 4, 2) }, ['w_blocks', 'w_scales']],
    ['a name that is taken', { w_blocks: u8(4, 1, 16), w_scales: u8(4, 1), w: ones(4) }, ['w_blocks', 'w_scales']],
    ['scales without codes', { w_scale_inv: ones(1, 1) }, ['w_scale_inv']],
    [
      'codes with a zero point',
      { w: fp8(4, 64), w_scale: ones(4, 1), w_zero_point: u8(4, 1) },
      ['w_scale', 'w_zero_point'],
    ],
    ['integers of compressed-tensors', { w_packed: i32(4, 8), w_scale: ones(4, 1) }, ['w_packed', 'w_scale']],
    [
      'GPTQ with three bits',
      { 'l.qweight': i32(12, 32), 'l.scales': ones(1, 32), 'l.qzeros': i32(1, 3) },
      ['l.qweight'],
    ],
    ['GPTQ without zero points', { 'l.qweight': i32(8, 8), 'l.scales': ones(1, 8) }, ['l.qweight']],
    [
      'AWQ in rows, as in the GEMV format',
      { 'l.qweight': i32(64, 4), 'l.scales': ones(64, 8), 'l.qzeros': i32(64, 1) },
      ['l.qweight'],
    ],
    [
      'packed integers of another shape',
      {
        w_packed: i32(4, 8),
        w_scale: ones(4, 1),
        w_shape: { dtype: 'I32', shape: [2], bytes: new Uint8Array(Int32Array.of(4, 99).buffer) },
      },
      ['w_packed', 'w_scale'],
    ],
    ['both names of scales', { w: fp8(2, 2), w_scale: ones(1), w_scale_inv: ones(1) }, ['w_scale_inv']],
  ])('%s', async (_, tensors, names) => {
    const { lookAlikes, tensors: found } = modelOf(await fileOf(tensors));
    expect(lookAlikes.map(({ name }) => name)).toEqual(names);
    for (const name of names) expect(found.map(({ entry }) => entry.name)).toContain(name);
  });

  test('codes and scales that only another tool understands are copied', async () => {
    const file = await fileOf({ w: fp8(4, 64), w_scale_inv: ones(3, 5), v: ones(2) });
    const kinds = planConversion(file, 'safetensors', { to: 'bf16' }).work.map(({ entry, kind }) => [entry.name, kind]);
    expect(Object.fromEntries(kinds)).toEqual({ w: 'copy', w_scale_inv: 'copy', v: 'convert' });
  });

  test.each<[string, StoredTensors]>([
    ['a norm and its scale', { norm: ones(4), norm_scale: ones(4) }],
    [
      'a parameter that is called a scale',
      { logit_scale: ones(), 'layer.0.scale': ones(4), 'blocks.0.scale': ones(1) },
    ],
    ['scales of activations', { 'l.input_scale': ones(), 'l.k_scale': ones(), 'l.v_scale': ones() }],
    ['fp8 without scales', { w: fp8(4, 4) }],
  ])('no warning about %s', async (_, tensors) => {
    expect(modelOf(await fileOf(tensors)).lookAlikes).toEqual([]);
  });
});
