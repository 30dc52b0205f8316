/** Tests that a conversion is refused if readers would interpret its result differently than intended. */
import { describe, expect, test } from 'vitest';
import { memorySource } from '../bytes.ts';
import type { Container } from '../containers.ts';
import type { ConversionChoice } from '../conversion-choice.ts';
import { planConversion } from '../conversion-plan.ts';
import { layoutFile } from '../layout.ts';
import { openTensorFile } from '../open.ts';
import type { TensorFile } from '../tensor-file.ts';

type Shapes = Readonly<Record<string, readonly [dtype: string, ...shape: readonly number[]]>>;

async function fileOf(tensors: Shapes): Promise<TensorFile> {
  const plans = Object.entries(tensors).map(([name, [dtype, ...shape]]) => ({ name, dtype, shape }));
  const layout = layoutFile('safetensors', plans);
  const bytes = new Uint8Array(layout.size);
  bytes.set(layout.header);
  return openTensorFile(memorySource(bytes));
}

const chance = expect.objectContaining({
  code: 'bad-choice',
  message: expect.stringMatching(/"a" \(\S+\) would be multiplied by "a_scale/),
});

describe('an unrelated tensor that would be read as the scale of converted elements', () => {
  const scales: readonly (readonly number[])[] = [[1], [], [4], [4, 1], [4, 2]];
  test.each(scales.map((shape) => ({ shape })))('a_scale with the shape $shape', async ({ shape }) => {
    const file = await fileOf({ a: ['F32', 4, 4], a_scale: ['F32', ...shape] });
    const others = { takes: (name: string) => name !== 'a_scale' };
    for (const choice of [{ to: 'e4m3' }, { to: 'e4m3', ...others }, { to: 'e2m1', scale: 'none', ...others }] as const)
      expect(() => planConversion(file, 'safetensors', choice)).toThrow(chance);
    expect(planConversion(file, 'safetensors', { to: 'e4m3', takes: (name) => name !== 'a' }).work).toHaveLength(2);
    expect(planConversion(file, 'safetensors', { to: 'bf16' }).work).toHaveLength(2);
  });

  test.each<[ConversionChoice, Container, Shapes]>([
    [{ to: 'e4m3' }, 'safetensors', { a: ['F32', 4, 4], a_scale_inv: ['F32', 1] }],
    [{ to: 's8', scale: 'none', takes: (name) => name === 'a' }, 'gguf', { a: ['F32', 4, 4], a_scale: ['F32', 4] }],
    [{ to: 'e5m2' }, 'npz', { a: ['F16', 4, 4], a_scale: ['F32', 1] }],
    [{ to: 'e4m3', scale: 'row' }, 'safetensors', { a: ['F32', 4, 4], a_scale_2: ['F32', 1] }],
  ])('%o to %s', async (choice, container, tensors) => {
    const file = await fileOf(tensors);
    expect(() => planConversion(file, container, choice)).toThrow(chance);
  });

  test('but not a scale that fits no layout', async () => {
    const file = await fileOf({ a: ['F32', 4, 4], a_scale: ['F32', 3], b_scale: ['F32', 1] });
    expect(planConversion(file, 'safetensors', { to: 'e4m3' }).work).toHaveLength(3);
  });
});

test('scales that would not be read because of another tensor', async () => {
  const file = await fileOf({ a: ['F32', 4, 4], a_zero_point: ['F32', 1] });
  expect(() => planConversion(file, 'safetensors', { to: 's8', takes: (name) => name === 'a' })).toThrow(
    expect.objectContaining({
      code: 'bad-choice',
      message: expect.stringContaining('would not be read as the scales'),
    }),
  );
});

test('codes and scales that are copied still belong together', async () => {
  const file = await fileOf({
    a: ['F8_E4M3', 4, 4],
    a_scale: ['F32', 1],
    b_packed: ['U8', 2, 16],
    b_scale: ['F8_E4M3', 2, 2],
    b_global_scale: ['F32', 1],
    c: ['F32', 4, 4],
  });
  for (const container of ['safetensors', 'npz'] as const)
    expect(planConversion(file, container, { to: 'e4m3', takes: (name) => name === 'c' }).work).toHaveLength(6);
});
