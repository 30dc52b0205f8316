import { describe, expect, test } from 'vitest';
import { filled } from '../../test/filled.ts';
import { memorySource } from './bytes.ts';
import { modelOf } from './checkpoints/model-tensors.ts';
import { describeScales, type Scales, scaledValues } from './scales.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';
import type { FormatName } from '../numerics/formats.ts';

interface Stored {
  readonly format: FormatName;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView;
}

function fileOf(tensors: Readonly<Record<string, Stored>>): TensorFile {
  const entries = Object.entries(tensors).map(([name, { format, shape, data }]): TensorEntry => {
    const elements = shape.reduce((product, extent) => product * extent, 1);
    const packing = format === 'e2m1' ? 'dense' : 'whole';
    const { byteLength } = data;
    return { name, dtype: format, format, shape, elements, packing, offset: 0, byteLength, shard: null };
  });
  return {
    container: 'safetensors',
    tensors: entries,
    metadata: {},
    data: ({ name }) => {
      const { buffer, byteOffset, byteLength } = tensors[name]?.data ?? new Uint8Array(0);
      return memorySource(new Uint8Array(buffer, byteOffset, byteLength));
    },
  };
}

function e4m3(...shape: readonly number[]): Stored {
  const elements = shape.reduce((product, extent) => product * extent, 1);
  return { format: 'e4m3', shape, data: new Uint8Array(elements).fill(0x38) };
}

function f32(shape: readonly number[], ...values: readonly number[]): Stored {
  return { format: 'f32', shape, data: Float32Array.from(values) };
}

/** The scales of all tensors that have scales, by tensor name. */
function scalesOf(file: TensorFile): ReadonlyMap<string, Scales> {
  const { tensors } = modelOf(file);
  return new Map(tensors.flatMap(({ entry, scales }) => (scales === null ? [] : [[entry.name, scales] as const])));
}

/**
 * The values of the tensor `x`. All stored elements of `x` are 1, so each value is equal to the scale of the element.
 */
async function scalesIn(tensors: Readonly<Record<string, Stored>>): Promise<readonly number[]> {
  const file = fileOf(tensors);
  const scales = scalesOf(file).get('x');
  const entry = file.tensors.find(({ name }) => name === 'x');
  if (scales === undefined || entry === undefined) throw new Error('x has no scales');
  return [...(await (await scaledValues(file, entry, scales)).load(0, entry.elements))()];
}

describe('elements that share a scale', () => {
  test('one scale for the tensor', async () => {
    expect(await scalesIn({ x: e4m3(2, 2), x_scale: f32([], 3) })).toEqual([3, 3, 3, 3]);
    expect(await scalesIn({ x: e4m3(2, 2), x_scale: f32([1], 3) })).toEqual([3, 3, 3, 3]);
  });

  test.each([[[2]], [[2, 1]]])('one scale per row, of shape %j', async (shape) => {
    expect(await scalesIn({ x: e4m3(2, 3), x_scale: f32(shape, 3, 5) })).toEqual([3, 3, 3, 5, 5, 5]);
  });

  test('one scale per block along the last axis, the last block shorter', async () => {
    const found = await scalesIn({ x: e4m3(2, 40), x_scale: f32([2, 2], 3, 5, 7, 9) });
    const row = (first: number, second: number): number[] => [...Array(32).fill(first), ...Array(8).fill(second)];
    expect(found).toEqual([...row(3, 5), ...row(7, 9)]);
  });

  test('one scale per square tile', async () => {
    const found = await scalesIn({ x: e4m3(4, 4), x_scale: f32([2, 2], 1, 2, 3, 4) });
    expect(found).toEqual([1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4]);
  });

  test('one scale per expert', async () => {
    expect(await scalesIn({ x: e4m3(2, 1, 2), x_scale: f32([2, 1, 1], 3, 5) })).toEqual([3, 3, 5, 5]);
  });

  test('one scale per tile of a tensor with three axes, treated as a matrix', async () => {
    const found = await scalesIn({ x: e4m3(1, 4, 4), x_scale: f32([2, 2], 1, 2, 3, 4) });
    expect(found).toEqual([1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4]);
  });

  test('scales shared only along outer axes', async () => {
    const found = await scalesIn({ x: e4m3(4, 2, 1), x_scale: f32([2, 2, 1], 1, 2, 3, 4) });
    expect(found).toEqual([1, 2, 1, 2, 3, 4, 3, 4]);
  });
});

test('eight-bit scales, and a second scale for the tensor', async () => {
  const x: Stored = { format: 'e2m1', shape: [1, 32], data: new Uint8Array(16).fill(0x22) };
  const scale: Stored = { format: 'e4m3', shape: [1, 2], data: Uint8Array.of(0x38, 0x40) };
  const found = await scalesIn({ x, x_scale: scale, x_scale_2: f32([], 0.5) });
  expect(found).toEqual([...Array<number>(16).fill(0.5), ...Array<number>(16).fill(1)]);
});

test('a range is read with the scales of that range', async () => {
  const values = Float32Array.from({ length: 600 }, (_, i) => i);
  const file = fileOf({ x: e4m3(600, 2), x_scale: { format: 'f32', shape: [600, 1], data: values } });
  const [entry] = file.tensors as [TensorEntry];
  const scales = scalesOf(file).get('x');
  if (scales === undefined) throw new Error('x has no scales');
  const part = (await (await scaledValues(file, entry, scales)).load(512, 512))();
  expect([...part]).toEqual(Array.from({ length: 512 }, (_, i) => 256 + Math.floor(i / 2)));
});

test('later elements can have earlier scales', async () => {
  const values = Float32Array.from({ length: 1200 }, (_, i) => i);
  const file = fileOf({ x: e4m3(4, 600, 1), x_scale: { format: 'f32', shape: [2, 600, 1], data: values } });
  const [entry] = file.tensors as [TensorEntry];
  const scales = scalesOf(file).get('x');
  if (scales === undefined) throw new Error('x has no scales');
  const part = (await (await scaledValues(file, entry, scales)).load(512, 256))();
  expect([part[0], part[87], part[88], part[255]]).toEqual([512, 599, 0, 167]);
});

describe('every element gets the correct scale however a tensor is split', () => {
  test.each<[string, readonly number[], readonly number[]]>([
    ['squares of 128, rows that do not end within a chunk', [300, 700], [3, 6]],
    ['squares of 128, rows shorter than a chunk', [513, 130], [5, 2]],
    ['squares of 16', [48, 9000], [3, 563]],
    ['groups of three axes', [4, 8, 2000], [2, 4, 125]],
    ['groups along the first axis only', [4, 5, 77], [2, 5, 77]],
    ['groups along the middle axis only', [3, 40, 700], [3, 2, 700]],
    ['four axes', [4, 4, 6, 800], [2, 2, 3, 50]],
    ['three axes treated as a matrix', [3, 16, 9000], [3, 563]],
    ['a scale per row', [40, 60], [40]],
    ['blocks along rows', [70, 90], [70, 3]],
    ['one for all', [30, 40], [1]],
  ])('%s', async (_, shape, scaleShape) => {
    const count = scaleShape.reduce((product, extent) => product * extent, 1);
    const data = Float32Array.from({ length: count }, (__, i) => i + 1);
    const file = fileOf({ x: e4m3(...shape), x_scale: { format: 'f32', shape: scaleShape, data } });
    const [entry] = file.tensors as [TensorEntry];
    const values = await scaledValues(file, entry, scalesOf(file).get('x') as Scales);
    const wanted = filled(new Float32Array(entry.elements), (i) => plainScale(i, shape, scaleShape));
    for (const chunk of [256, 512, 3 * 256, 4096]) {
      const found: number[] = [];
      for (let at = 0; at < entry.elements; at += chunk) {
        found.push(...(await values.load(at, Math.min(chunk, entry.elements - at)))());
      }
      const wrong = found.findIndex((scale, i) => scale !== wanted[i]);
      expect([found.length, wrong]).toEqual([entry.elements, -1]);
    }
  });
});

/**
 * The expected scale of an element, computed from the position of the element on each axis. The numbers in the scale
 * tensor are 1, 2, 3, and so on.
 */
function plainScale(element: number, given: readonly number[], scaleShape: readonly number[]): number {
  if (scaleShape.length === 1 && scaleShape[0] === 1) return 1;
  const columns = given.at(-1) as number;
  const elements = given.reduce((product, extent) => product * extent, 1);
  const scales = scaleShape.length === 1 ? [...scaleShape, 1] : scaleShape;
  const shape = scales.length === given.length ? given : [elements / columns, columns];
  const usual = [16, 32, 64, 128];
  let [rest, index, stride] = [element, 0, 1];
  const axes = shape.map((extent, axis) => [extent, scales[axis] ?? 1] as const);
  for (const [extent, count] of axes.toReversed()) {
    const group = count === extent ? 1 : count === 1 ? extent : usual.find((one) => Math.ceil(extent / one) === count);
    index += Math.floor((rest % extent) / (group ?? extent / count)) * stride;
    stride *= count;
    rest = Math.floor(rest / extent);
  }
  return index + 1;
}

describe('tensors that are not scales', () => {
  test('a shape that does not fit', () => {
    expect(scalesOf(fileOf({ x: e4m3(2, 3), x_scale: f32([5], 1, 2, 3, 4, 5) })).size).toBe(0);
    expect(scalesOf(fileOf({ x: e4m3(2, 3), x_scale: f32([1, 2, 3], 1, 2, 3, 4, 5, 6) })).size).toBe(0);
  });

  test('a scale next to a tensor that does not need one', () => {
    expect(scalesOf(fileOf({ x: f32([1], 1), x_scale: f32([1], 1) })).size).toBe(0);
  });
});

test('in words', () => {
  const words = (x: Stored, scale: Stored): string => {
    const scales = scalesOf(fileOf({ x, x_scale: scale })).get('x');
    return scales === undefined ? 'none' : describeScales(scales, ' x ');
  };
  const ones = (...shape: readonly number[]): Stored => {
    const elements = shape.reduce((product, extent) => product * extent, 1);
    return f32(shape, ...Array<number>(elements).fill(1));
  };
  expect(words(e4m3(4, 64), ones(1))).toBe('one scale');
  expect(words(e4m3(4, 64), ones(4, 1))).toBe('a scale per row');
  expect(words(e4m3(4, 64), ones(4))).toBe('a scale per row');
  expect(words(e4m3(4, 64), ones(4, 2))).toBe('a scale for 32');
  expect(words(e4m3(256, 256), ones(2, 2))).toBe('a scale for 128 x 128');
});
