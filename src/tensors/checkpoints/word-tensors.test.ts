/**
 * Tests special cases of reading integers that are packed in 32-bit words: a format that is specified outside the
 * tensors, unusual encodings, and an invalid file. The layouts are tested in checkpoints.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { compared, expectClose, fileOf, type Made, original } from '../../../test/tensors/made-checkpoints.ts';
import { gptq, packQuantized, words } from '../../../test/tensors/packed-integers.ts';
import { safetensorsBytes } from '../../../test/tensors/safetensors-bytes.ts';
import { memorySource } from '../bytes.ts';
import { openTensorFile } from '../open.ts';
import { readTensor } from '../read-tensor.ts';
import type { TensorFile } from '../tensor-file.ts';

const weight = 'model.layers.0.mlp.up_proj.weight';
const upProjection = 'model.layers.0.mlp.up_proj';

describe('the two formats of GPTQ', () => {
  const made = (lessOne: 0 | 1): Made =>
    gptq(upProjection, { bits: 4, shape: [8, 32], group: 16, hasZeros: true }, lessOne, true);
  const open = ({ tensors }: Made, configs: Readonly<Record<string, unknown>>): Promise<TensorFile> =>
    openTensorFile(memorySource(safetensorsBytes(tensors)), {
      readBeside: (name) =>
        Promise.resolve(Object.hasOwn(configs, name) ? Buffer.from(JSON.stringify(configs[name])) : null),
    });
  const second = { quantization_config: { quant_method: 'gptq', checkpoint_format: 'gptq_v2' } };

  test.each<[string, Made, Readonly<Record<string, unknown>>]>([
    ['config.json names the second', made(0), { 'config.json': second }],
    ['quantize_config.json names the second', made(0), { 'quantize_config.json': { checkpoint_format: 'gptq_v2' } }],
    ['quantize_config.json names the first', made(1), { 'quantize_config.json': { checkpoint_format: 'gptq' } }],
    ['the configuration names none', made(1), { 'config.json': { quantization_config: {} } }],
    ['there is no configuration', made(1), {}],
    ['the configuration is not an object', made(1), { 'config.json': 'x' }],
  ])('%s', async (_, one, configs) => {
    const [wanted, found] = await compared(await original(one, weight), await open(one, configs));
    expectClose(found, wanted);
  });

  test('a symmetric file of the first format whose configuration names the second is read as the second', async () => {
    const symmetric = gptq(upProjection, { bits: 4, shape: [8, 32], group: 32, hasZeros: false }, 1, true);
    const [wanted = [], found = []] = await compared(
      await original(symmetric, weight),
      await open(symmetric, { 'config.json': second }),
    );
    expect(found).not.toEqual(wanted);
  });
});

test('pack-quantized: an index of -1 means that columns are in order, and zero points may be bytes', async () => {
  const made = packQuantized(weight, { bits: 4, shape: [4, 32], group: 16, hasZeros: false });
  const minusOnes = words([32], Array<number>(32).fill(0xffffffff));
  const zeros = { dtype: 'I8', shape: [4, 2], bytes: new Uint8Array(8) };
  const tensors = { ...made.tensors, [`${weight}_g_idx`]: minusOnes, [`${weight}_zero_point`]: zeros };
  const [wanted, found] = await compared(await original(made, weight), await fileOf(tensors));
  expectClose(found, wanted);
});

test('a column in a group without scales is an error', async () => {
  const { tensors } = gptq(upProjection, { bits: 4, shape: [8, 32], group: 16, hasZeros: true }, 1, true);
  const file = await fileOf({ ...tensors, [`${upProjection}.g_idx`]: words([32], Array<number>(32).fill(2)) });
  await expect(readTensor(file, weight)).rejects.toMatchObject({
    code: 'bad-data',
    message: '"model.layers.0.mlp.up_proj.g_idx": column 0 is in group 2, but there are 2 groups',
  });
});
