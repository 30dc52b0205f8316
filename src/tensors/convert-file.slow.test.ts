/** Tests that converting a file piece by piece produces the same result as converting each tensor as a whole. */
import { describe, expect, test } from 'vitest';
import { filled } from '../../test/filled.ts';
import { convert } from '../arrays/convert.ts';
import { quantize } from '../arrays/quantized/quantize.ts';
import type { FormatName } from '../numerics/formats.ts';
import { memorySink, memorySource } from './bytes.ts';
import type { ConversionChoice } from './conversion-choice.ts';
import { planConversion } from './conversion-plan.ts';
import { convertFile, type Position } from './convert-file.ts';
import { layoutFile } from './layout.ts';
import { openTensorFile } from './open.ts';
import type { Container } from './containers.ts';
import type { TensorFile, TensorPlan } from './tensor-file.ts';
import { modelOf } from './checkpoints/model-tensors.ts';
import { scaledValues } from './scales.ts';
import { tensorValues } from './tensor-values.ts';

interface Given extends TensorPlan {
  readonly data: ArrayBufferView;
}

async function fileOf(container: Container, ...tensors: readonly Given[]): Promise<TensorFile> {
  const layout = layoutFile(container, tensors);
  const bytes = new Uint8Array(layout.size);
  bytes.set(layout.header);
  for (const { name, offset } of layout.tensors) {
    const { data } = tensors.find((one) => one.name === name) as Given;
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
  }
  await layout.finish?.({ ...memorySource(bytes), ...memorySink(bytes) });
  return openTensorFile(memorySource(bytes), { container });
}

interface Converted {
  readonly file: TensorFile;
  readonly bytes: Uint8Array;
}

async function converted(file: TensorFile, container: Container, choice: ConversionChoice): Promise<Converted> {
  const plan = planConversion(file, container, choice);
  const bytes = new Uint8Array(plan.layout.size);
  await convertFile(plan, file, { ...memorySource(bytes), ...memorySink(bytes) });
  return { bytes, file: await openTensorFile(memorySource(bytes), { container }) };
}

async function stored({ file, bytes }: Converted, name: string): Promise<Uint8Array> {
  const entry = file.tensors.find((one) => one.name === name);
  if (entry === undefined) throw new Error(`no '${name}' among ${file.tensors.map((one) => one.name).join(', ')}`);
  return bytes.subarray(entry.offset, entry.offset + entry.byteLength);
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Whether two byte arrays are equal. Comparing them as Buffers is fast even for megabytes. */
function same(a: Uint8Array, b: ArrayBufferView): boolean {
  return Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(bytesOf(b));
}

/**
 * Shapes with more elements than fit into one piece. The rows of the first shape end in the middle of a block or tile;
 * those of the second shape do not.
 */
const shapes = [
  [1100, 1000],
  [1088, 1024],
] as const;

function valuesOf([rows, columns]: readonly [number, number]): Float32Array {
  return filled(new Float32Array(rows * columns), (i) => Math.sin(i * 0.7) * 2 ** ((i % 23) - 11));
}

describe.each(shapes)('%i x %i f32', (...shape) => {
  const values = valuesOf(shape);
  const given: Given = { name: 'w', dtype: 'F32', shape, data: values };

  test.each(['mxfp8', 'mxfp8_e5m2', 'mxfp6', 'mxfp4', 'nvfp4'] as const)('to %s', async (to) => {
    const found = await converted(await fileOf('safetensors', given), 'safetensors', { to });
    const whole = quantize(values, { to, shape: [...shape], packing: to.includes('p8') ? undefined : 'low-first' });
    expect(same(await stored(found, 'w'), whole.codes)).toBe(true);
    expect(same(await stored(found, 'w_scale'), whole.scales)).toBe(true);
    if (to === 'nvfp4') {
      expect(same(await stored(found, 'w_scale_2'), Float32Array.of(whole.tensorScale))).toBe(true);
    }
  });

  test.each(['tensor', 'row', 'tile'] as const)('to e4m3 with one scale per %s', async (scale) => {
    const found = await converted(await fileOf('safetensors', given), 'safetensors', { to: 'e4m3', scale });
    const whole = quantize(values, { to: 'e4m3', shape: [...shape], granularity: scale });
    expect(same(await stored(found, 'w'), whole.codes)).toBe(true);
    expect(same(await stored(found, 'w_scale'), whole.scales)).toBe(true);
  });

  test.each(['e4m3', 'e2m1', 'e2m3', 'f16', 'f64'] as const)('to %s', async (to) => {
    const packing = to === 'e2m1' || to === 'e2m3' ? ({ packing: 'low-first' } as const) : {};
    const found = await converted(await fileOf('safetensors', given), 'safetensors', { to });
    expect(same(await stored(found, 'w'), convert(values, { to, ...packing }))).toBe(true);
  });

  test('to e4m3 and nvfp4 by stochastic rounding', async () => {
    const random = { rounding: 'rs', seed: 12n } as const;
    const plain = await converted(await fileOf('safetensors', given), 'safetensors', { to: 'e4m3', ...random });
    expect(same(await stored(plain, 'w'), convert(values, { to: 'e4m3', ...random }))).toBe(true);
    const blocks = await converted(await fileOf('safetensors', given), 'safetensors', { to: 'nvfp4', ...random });
    const whole = quantize(values, { to: 'nvfp4', shape: [...shape], packing: 'low-first', ...random });
    expect(same(await stored(blocks, 'w'), whole.codes)).toBe(true);
  });
});

test.each(['mxfp8', 'nvfp4', 'e4m3'] as const)(
  'one row that is longer than a piece and ends within a block, to %s',
  async (to) => {
    const shape = [2 ** 20 + 2 ** 18 + 8];
    const values = filled(new Float32Array(shape[0] ?? 0), (i) => Math.cos(i) * 3);
    const file = await fileOf('safetensors', { name: 'w', dtype: 'F32', shape, data: values });
    const scale = to === 'e4m3' ? 'row' : undefined;
    const found = await converted(file, 'safetensors', { to, scale });
    const whole = quantize(values, {
      to,
      shape,
      granularity: scale,
      packing: to === 'nvfp4' ? 'low-first' : undefined,
    });
    expect(same(await stored(found, 'w'), whole.codes)).toBe(true);
    expect(same(await stored(found, 'w_scale'), whole.scales)).toBe(true);
  },
);

test.each(['f16', 'bf16'] as const)('%s is quantized in the same way as its values', async (from) => {
  const values = convert(valuesOf([8, 64]), { to: from });
  const dtype = from === 'f16' ? 'F16' : 'BF16';
  const file = await fileOf('safetensors', { name: 'w', dtype, shape: [8, 64], data: values });
  const found = await converted(file, 'safetensors', { to: 'mxfp8' });
  expect(same(await stored(found, 'w'), quantize(values, { to: 'mxfp8', from, shape: [8, 64] }).codes)).toBe(true);
});

test('quantized values are close to the original ones', async () => {
  const values = valuesOf([4, 256]);
  const file = await fileOf('safetensors', { name: 'w', dtype: 'F32', shape: [4, 256], data: values });
  for (const choice of [
    { to: 'nvfp4' },
    { to: 'mxfp8' },
    { to: 'e4m3', scale: 'row' },
    { to: 's8', scale: 'tile' },
  ] as const) {
    const found = (await converted(file, 'safetensors', choice)).file;
    const entry = found.tensors.find(({ name }) => name === 'w');
    const scales = modelOf(found).tensors.find(({ entry: { name } }) => name === 'w')?.scales;
    if (entry === undefined || !scales) throw new Error('no scales');
    const back = (await (await scaledValues(found, entry, scales)).load(0, 1024))();
    const largest = Math.max(...values.map(Math.abs));
    expect(Math.max(...values.map((value, i) => Math.abs(value - (back[i] ?? 0))))).toBeLessThan(largest / 5);
  }
});

describe('GGUF', () => {
  test.each(['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0', 'mxfp4', 'nvfp4'] as const)('to %s', async (to) => {
    const values = valuesOf([16, 128]).map((value) => value / 64);
    const file = await fileOf('safetensors', { name: 'w', dtype: 'F32', shape: [16, 128], data: values });
    const { file: found } = await converted(file, 'gguf', { to });
    const [entry] = found.tensors;
    if (entry === undefined) throw new Error('no tensor');
    const back = (await tensorValues(found, entry).load(0, 2048))();
    for (let block = 0; block < 2048; block += 32) {
      const amax = Math.max(...values.subarray(block, block + 32).map(Math.abs));
      for (let i = block; i < block + 32; i++) {
        const error = Math.abs((values[i] ?? 0) - (back[i] ?? 0));
        expect(error).toBeLessThanOrEqual(
          amax / (to === 'q8_0' ? 250 : to.startsWith('q5') ? 15 : to.startsWith('q4') ? 7 : 4),
        );
      }
    }
  });

  test('q8_0 rounds ties away from zero, as ggml does', async () => {
    const values = Float32Array.from({ length: 32 }, (_, i) => (i === 0 ? 127 : i - 16.5));
    const file = await fileOf('safetensors', { name: 'w', dtype: 'F32', shape: [32], data: values });
    const found = await converted(file, 'gguf', { to: 'q8_0' });
    const codes = new Int8Array((await stored(found, 'w')).slice(2).buffer);
    expect([codes[0], codes[1], codes[16], codes[17], codes[31]]).toEqual([127, -16, -1, 1, 15]);
  });

  test('its blocks become numbers in other formats', async () => {
    const values = valuesOf([2, 64]);
    const file = await fileOf('safetensors', { name: 'w', dtype: 'F32', shape: [2, 64], data: values });
    const { file: blocks } = await converted(file, 'gguf', { to: 'q8_0' });
    const back = await converted(blocks, 'npz', { to: 'f32' });
    expect(back.file.tensors).toMatchObject([{ name: 'w', dtype: '<f4', shape: [2, 64] }]);
  });
});

describe('unchanged tensors', () => {
  const tensors: readonly Given[] = [
    { name: 'w', dtype: 'F32', shape: [4], data: Float32Array.of(1, 2, 3, 4) },
    { name: 'norm', dtype: 'F32', shape: [4], data: Float32Array.of(1, Number.NaN, 3, 4) },
    { name: 'ids', dtype: 'I64', shape: [2], data: BigInt64Array.of(5n, -1n) },
    { name: 'mask', dtype: 'BOOL', shape: [2], data: Uint8Array.of(0, 1) },
    { name: 'old', dtype: 'F8_E4M3', shape: [2], data: Uint8Array.of(0xff, 0x38) },
  ];

  test('integers, opaque types, tensors not selected, and those that already have the format', async () => {
    const file = await fileOf('safetensors', ...tensors);
    const plan = planConversion(file, 'safetensors', { to: 'e4m3', takes: (name) => name !== 'norm' });
    const kinds = Object.fromEntries(plan.work.map(({ entry, kind }) => [entry.name, kind]));
    expect(kinds).toEqual({ w: 'convert', norm: 'copy', ids: 'copy', mask: 'copy', old: 'copy' });
    const found = await converted(file, 'safetensors', { to: 'e4m3', takes: (name) => name !== 'norm' });
    expect([...(await stored(found, 'old'))]).toEqual([0xff, 0x38]);
    expect([...(await stored(found, 'w'))]).toEqual([0x38, 0x40, 0x44, 0x48]);
  });

  test("a container refuses what it cannot hold, with the tensor's name", async () => {
    const file = await fileOf('safetensors', ...tensors);
    expect(() => planConversion(file, 'gguf', { to: 'f16' })).toThrow(/"mask".*GGUF.*BOOL/);
    expect(() => planConversion(file, 'npy', { to: 'f16' })).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });

  test('booleans and complex numbers are copied between safetensors and .npz', async () => {
    const complex = Float32Array.of(1, 2, 3, 4);
    const file = await fileOf(
      'safetensors',
      { name: 'b', dtype: 'BOOL', shape: [3], data: Uint8Array.of(0, 1, 1) },
      { name: 'c', dtype: 'C64', shape: [2], data: complex },
    );
    const there = await converted(file, 'npz', { to: 'f16' });
    const back = await converted(there.file, 'safetensors', { to: 'f16' });
    const types = (one: Converted): readonly string[] => one.file.tensors.map(({ dtype }) => dtype).toSorted();
    expect([types(there), types(back)]).toEqual([
      ['<c8', '|b1'],
      ['BOOL', 'C64'],
    ]);
    for (const one of [there, back]) {
      expect([...(await stored(one, 'b'))]).toEqual([0, 1, 1]);
      expect(same(await stored(one, 'c'), complex)).toBe(true);
    }
  });

  test('dense fp4 becomes one byte per element in .npy', async () => {
    const file = await fileOf('safetensors', { name: 'w', dtype: 'F4', shape: [4], data: Uint8Array.of(0x21, 0x43) });
    const found = await converted(file, 'npz', { to: 'f32', takes: () => false });
    expect([...(await stored(found, 'w'))]).toEqual([1, 2, 3, 4]);
  });
});

test.each([
  ['bad-choice', { to: 'q8_0' }, 'safetensors'],
  ['bad-choice', { to: 'q4_1' }, 'safetensors'],
  ['bad-choice', { to: 'q4_k' }, 'gguf'],
  ['bad-choice', { to: 'Q6_K' }, 'safetensors'],
  ['bad-choice', { to: 'mxfp4', scale: 'row' }, 'safetensors'],
  ['bad-choice', { to: 'e4m3', scale: 'row', rounding: 'rz' }, 'safetensors'],
  ['bad-choice', { to: 'e4m3', scale: 'row', saturate: false }, 'safetensors'],
  ['bad-choice', { to: 'e4m3', scale: 'row', semantics: 'torch' }, 'safetensors'],
  ['bad-choice', { to: 'mxfp8' }, 'gguf'],
  ['bad-choice', { to: 'q8_0', saturate: false }, 'gguf'],
  ['bad-choice', { to: 'mxfp4', semantics: 'ocp' }, 'gguf'],
  ['bad-choice', { to: 'nvfp4', rounding: 'rs' }, 'gguf'],
  ['bad-choice', { to: 'nvfp4', scaleRule: 'up' }, 'safetensors'],
  ['unsupported', { to: 'e4m3' }, 'gguf'],
  ['unknown-format', { to: 'e4m9' }, 'safetensors'],
  ['rounding-required', { to: 'ue8m0' }, 'safetensors'],
  ['not-offered', { to: 'e4m3', saturate: false }, 'safetensors'],
  ['unknown-scheme', { to: 'f16', scale: 'row' }, 'safetensors'],
] as const)('%s: %o in a %s file', async (code, choice, container) => {
  const file = await fileOf('safetensors', { name: 'w', dtype: 'F32', shape: [64], data: new Float32Array(64) });
  expect(() => planConversion(file, container, choice as ConversionChoice)).toThrow(expect.objectContaining({ code }));
});

test('a conversion can resume at every position that it reports', async () => {
  const values = valuesOf(shapes[0]);
  const formats: readonly FormatName[] = ['f32', 'f32'];
  const file = await fileOf(
    'safetensors',
    ...formats.map((_, i): Given => ({ name: `w${i}`, dtype: 'F32', shape: shapes[0], data: values })),
  );
  const plan = planConversion(file, 'safetensors', { to: 'nvfp4' });
  const bytes = new Uint8Array(plan.layout.size);
  const sink = { ...memorySource(bytes), ...memorySink(bytes) };
  const reached: (readonly [Position, Uint8Array])[] = [];
  await convertFile(plan, file, sink, { onProgress: (position) => void reached.push([position, bytes.slice()]) });
  expect(reached.length).toBeGreaterThan(4);
  for (const [from, before] of reached) {
    await convertFile(plan, file, { ...memorySource(before), ...memorySink(before) }, { from });
    expect(same(before, bytes)).toBe(true);
  }
});

test('a signal ends it', async () => {
  const file = await fileOf('safetensors', { name: 'w', dtype: 'F32', shape: [64], data: new Float32Array(64) });
  const plan = planConversion(file, 'safetensors', { to: 'e4m3' });
  const bytes = new Uint8Array(plan.layout.size);
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  await expect(convertFile(plan, file, { ...memorySource(bytes), ...memorySink(bytes) }, { signal })).rejects.toBe(
    reason,
  );
});

test('slow writes still write the data that was read, however fast reading continues', async () => {
  const data = filled(new Uint8Array(2 ** 25 + 2 ** 23), (i) => (i >>> 23) + i);
  const file = await fileOf('safetensors', { name: 'w', dtype: 'U8', shape: [data.length], data });
  const plan = planConversion(file, 'safetensors', { to: 'e4m3' });
  const bytes = new Uint8Array(plan.layout.size);
  const write = async (offset: number, part: Uint8Array): Promise<void> => {
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    bytes.set(part, offset);
  };
  await convertFile(plan, file, { ...memorySource(bytes), write });
  const [entry] = plan.layout.tensors;
  expect(same(bytes.subarray(entry?.offset ?? 0, plan.layout.size), data)).toBe(true);
});
