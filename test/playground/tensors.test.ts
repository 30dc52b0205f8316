import { layoutFile, memorySource, openTensorFile } from 'ptxlab/tensors';
import { describe, expect, it } from 'vitest';
import { Bench, type Opened } from '../../apps/playground/src/tensors/bench.ts';
import { recipes } from '../../apps/playground/src/tensors/recipe-names.ts';
import { sampleName, sampleSource } from '../../apps/playground/src/tensors/sample.ts';

const none = (): void => undefined;

async function opened(bench = new Bench()): Promise<{ bench: Bench; file: Opened }> {
  const file = await bench.open(sampleSource(), { name: sampleName });
  if (file.kind !== 'opened') throw new Error(file.message);
  return { bench, file };
}

/** A `Bench` in which an .npy file of zeros is open. */
async function withZeros(shape: readonly number[], dtype = '<f4'): Promise<Bench> {
  const layout = layoutFile('npy', [{ name: 'zeros', dtype, shape }]);
  const bytes = new Uint8Array(layout.size);
  bytes.set(layout.header);
  const bench = new Bench();
  await bench.open(memorySource(bytes), { name: 'zeros.npy' });
  return bench;
}

describe('the sample of Tensors', () => {
  it('has matrices and a vector, the same at every visit', async () => {
    const { bench, file } = await opened();
    expect(file.tensors.map(({ name, shape }) => `${name} ${shape.join('x')}`)).toEqual([
      'embed.weight 256x192',
      'layers.0.attention.weight 192x192',
      'layers.0.mlp.weight 384x192',
      'norm.weight 192',
    ]);
    expect(await bench.summarize(3, none)).toMatchObject({ count: 192, nans: 0 });
  });

  it.each(recipes)('has an error with $name that the size accounts for', async ({ name }) => {
    const { bench } = await opened();
    const shares: number[] = [];
    const answer = await bench.measure(0, name, (share) => shares.push(share));
    if (answer.kind !== 'measured') throw new Error(JSON.stringify(answer));
    // With evenly spaced codes, each bit would improve the signal-to-noise ratio by 6 dB. Every recipe must achieve at
    // least a third of that.
    expect(answer.bits).toBeGreaterThanOrEqual(4);
    expect(answer.bits).toBeLessThanOrEqual(16);
    expect(answer.sqnr).toBeGreaterThan(answer.bits * 2);
    expect(answer.mismatches).toBe(0);
    expect(shares.at(-1)).toBe(1);
  });

  it('keeps more with finer scales: e4m3 by row at least as much as by tensor, nvfp4 more than mxfp4', async () => {
    const { bench } = await opened();
    const sqnr = async (recipe: string): Promise<number> => {
      const answer = await bench.measure(1, recipe, none);
      return answer.kind === 'measured' ? answer.sqnr : Number.NaN;
    };
    expect(await sqnr('nvfp4')).toBeGreaterThan(await sqnr('mxfp4'));
    expect(await sqnr('q8_0')).toBeGreaterThan(await sqnr('q5_0'));
    expect(await sqnr('q5_0')).toBeGreaterThan(await sqnr('q4_0'));
  });
});

describe('saving', () => {
  it.each([
    ['q8_0', 'gguf', ['F32', 'Q8_0', 'Q8_0', 'Q8_0']],
    ['f16', 'safetensors', ['F16', 'F16', 'F16', 'F32']],
  ])('with %s converts the matrices, and copies the vector', async (recipe, container, dtypes) => {
    const { bench } = await opened();
    const saved = await bench.save(recipe, none);
    if (saved.kind !== 'saved') throw new Error(JSON.stringify(saved));
    expect(saved.name).toBe(`sample-${recipe}.${container}`);
    expect(bench.outlook(recipe)).toEqual({
      kind: 'outlook',
      container,
      bytes: saved.blob.size,
      converted: 3,
      copied: 1,
    });
    const file = await openTensorFile(memorySource(new Uint8Array(await saved.blob.arrayBuffer())));
    expect(file.tensors.map(({ dtype }) => dtype).sort()).toEqual(dtypes);
  });

  it('of elements that numpy cannot name gives a safetensors file', async () => {
    const bench = await withZeros([4, 32]);
    expect(await bench.measure(0, 'bf16', none)).toMatchObject({ kind: 'measured', bits: 16 });
    expect(await bench.save('bf16', none)).toMatchObject({ name: 'zeros-bf16.safetensors' });
    expect(await bench.save('f16', none)).toMatchObject({ name: 'zeros-f16.npy' });
  });

  it('stops when it is told to, and then works again', async () => {
    const { bench } = await opened();
    const saving = bench.save('nvfp4', none);
    bench.stop();
    expect(await saving).toEqual({ kind: 'stopped' });
    // When new work is requested, the work in progress is stopped.
    const [first, second] = await Promise.all([bench.measure(0, 'mxfp4', none), bench.measure(1, 'mxfp4', none)]);
    expect([first.kind, second.kind]).toEqual(['stopped', 'measured']);
    expect((await bench.save('nvfp4', none)).kind).toBe('saved');
  });
});

describe('refusals are sentences', () => {
  it('for a file that is not a tensor file', async () => {
    const answer = await new Bench().open(memorySource(new TextEncoder().encode('hello world')), { name: 'a.txt' });
    expect(answer).toEqual({ kind: 'refused', message: 'Not a safetensors, .npy, .npz or GGUF file.' });
  });

  it('for rows that are not whole blocks of GGUF', async () => {
    const bench = await withZeros([3, 5]);
    const answer = await bench.measure(0, 'q4_0', none);
    expect(answer.kind === 'refused' ? answer.message : '').toMatch(/32/);
  });

  it('for integers, which recipes leave as they are', async () => {
    const bench = await withZeros([4, 32], '<i4');
    const answer = await bench.measure(0, 'nvfp4', none);
    expect(answer).toMatchObject({ kind: 'refused', message: expect.stringContaining('floating-point') });
  });
});
