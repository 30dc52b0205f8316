/**
 * Tests converting GGUF files with block types that ptxlab can only read, and writing values that ggml cannot encode.
 */
import { describe, expect, test } from 'vitest';
import { convert } from '../arrays/convert.ts';
import { memorySink, memorySource, readBytes } from './bytes.ts';
import type { Container } from './containers.ts';
import type { ConversionChoice } from './conversion-choice.ts';
import { planConversion } from './conversion-plan.ts';
import { requireConversion } from './conversion-target.ts';
import { convertFile } from './convert-file.ts';
import { layoutFile } from './layout.ts';
import { openTensorFile } from './open.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';
import { tensorValues } from './tensor-values.ts';

async function converted(file: TensorFile, container: Container, choice: ConversionChoice): Promise<TensorFile> {
  const plan = planConversion(file, container, choice);
  const bytes = new Uint8Array(plan.layout.size);
  await convertFile(plan, file, { ...memorySource(bytes), ...memorySink(bytes) });
  return openTensorFile(memorySource(bytes), { container });
}

function entryOf({ tensors }: TensorFile, name: string): TensorEntry {
  const found = tensors.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no '${name}'`);
  return found;
}

async function valuesOf(file: TensorFile, name: string): Promise<Float32Array> {
  const entry = entryOf(file, name);
  return Float32Array.from((await tensorValues(file, entry).load(0, entry.elements))());
}

function bytesOf(file: TensorFile, name: string): Promise<Uint8Array> {
  const entry = entryOf(file, name);
  return readBytes(file.data(entry), 0, entry.byteLength);
}

/** A file whose tensors have several types, like those of a "q4_K_M" model. */
function mixed(): Promise<TensorFile> {
  // The tensor consists of several pieces, of which the last one is shorter than the others.
  const shape = [1100, 256];
  const layout = layoutFile(
    'gguf',
    [
      { name: 'k', dtype: 'Q4_K', shape },
      { name: 'norm', dtype: 'F32', shape: [256] },
      { name: 'l', dtype: 'Q6_K', shape },
    ],
    { fields: [{ key: 'general.file_type', type: 'u32', items: null, value: 15 }] },
  );
  // The bytes are chosen so that none of the factors in the blocks is infinite or NaN.
  const bytes = Uint8Array.from({ length: layout.size }, (_, i) => Math.imul(i, 7) % 113);
  bytes.set(layout.header);
  return openTensorFile(memorySource(bytes));
}

describe('a file of K-quants and f32', () => {
  test.each(['f32', 'bf16', 'e4m3'] as const)('becomes %s', async (to) => {
    const file = await mixed();
    const found = await converted(file, 'safetensors', { to });
    expect(new Set(found.tensors.map(({ format }) => format))).toEqual(new Set([to]));
    for (const name of ['k', 'l', 'norm']) {
      const rounded = convert(convert(await valuesOf(file, name), { from: 'f32', to }), { from: to, to: 'f32' });
      const expected = new Uint8Array(Float32Array.from(rounded).buffer);
      const values = new Uint8Array((await valuesOf(found, name)).buffer);
      expect(Buffer.from(values).equals(expected)).toBe(true);
    }
  });

  test('is copied byte for byte to another GGUF file if nothing is converted', async () => {
    const file = await mixed();
    const found = await converted(file, 'gguf', { to: 'q4_0', takes: (name) => name === 'l' });
    expect(found.tensors.map(({ dtype }) => dtype)).toEqual(['Q4_K', 'F32', 'Q4_0']);
    expect(Buffer.from(await bytesOf(found, 'k')).equals(await bytesOf(file, 'k'))).toBe(true);
  });

  test('loses the key that gives the type of most tensors', async () => {
    const file = await mixed();
    expect(Object.keys(file.metadata)).toEqual(['general.file_type']);
    expect((await converted(file, 'gguf', { to: 'q4_0' })).metadata).toEqual({});
  });

  test('cannot be kept in a file of another container', async () => {
    const choice = { to: 'bf16' as const, takes: (name: string) => name !== 'k' };
    const file = await mixed();
    expect(() => planConversion(file, 'safetensors', choice)).toThrow(/"k".*safetensors.*Q4_K/);
  });
});

describe.each(['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0'] as const)('to %s', (to) => {
  const encoded = async (given: Readonly<Record<number, number>>): Promise<Float32Array> => {
    const layout = layoutFile('safetensors', [{ name: 'w', dtype: 'F32', shape: [32] }]);
    const bytes = new Uint8Array(layout.size);
    bytes.set(layout.header);
    const data = Float32Array.from({ length: 32 }, (_, i) => given[i] ?? 0);
    bytes.set(new Uint8Array(data.buffer), layout.header.length);
    return valuesOf(await converted(await openTensorFile(memorySource(bytes)), 'gguf', { to }), 'w');
  };

  test('NaN becomes 0 and does not change its neighbors', async () => {
    const found = await encoded({ 3: Number.NaN, 4: 8 });
    // If the scale is negative, zeros are decoded as -0.
    expect([found[3], found[5]].every((value) => value === 0)).toBe(true);
    expect(found[4]).toBeCloseTo(8, 1);
  });

  test.each([1e9, -3e38, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%d stays finite', async (large) => {
    const found = await encoded({ 0: large, 1: 1 });
    expect(found.every(Number.isFinite)).toBe(true);
    expect(Math.sign(found[0] ?? 0)).toBe(Math.sign(large));
  });

  test('a block of zeros is read as zeros', async () => {
    expect((await encoded({})).every((value) => value === 0)).toBe(true);
  });
});

test.each([
  ['zz', /known formats are f16.*nvfp4.*q8_0$/],
  ['nvp4', /did you mean 'nvfp4'\?$/],
  ['q3_k', /GGUF blocks of q3_k can be read, but not written/],
])('%s is refused with the names that exist', (name, message) => {
  expect(() => requireConversion(name)).toThrow(message);
});
