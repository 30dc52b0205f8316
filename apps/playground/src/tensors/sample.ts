/** A small generated file, so that the page shows something before the user opens a file. */
import { layoutFile, memorySource, type ByteSource } from 'ptxlab/tensors';

export const sampleName = 'sample.safetensors';

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly value: (random: () => number, index: number) => number;
}

const tensors: readonly Tensor[] = [
  { name: 'embed.weight', shape: [256, 192], value: (random) => 0.02 * normal(random) },
  {
    name: 'layers.0.attention.weight',
    shape: [192, 192],
    // The values in a few columns are much larger than the others, as in language models.
    value: (random, index) => normal(random) * (index % 48 === 17 ? 1.2 : 0.04),
  },
  {
    name: 'layers.0.mlp.weight',
    shape: [384, 192],
    value: (random) => 0.01 * normal(random) * Math.exp(normal(random)),
  },
  { name: 'norm.weight', shape: [192], value: (random) => 1 + 0.1 * normal(random) },
];

/**
 * Returns the sample file, which contains four f32 tensors and is about 600 kB in size. It is the same on every visit.
 */
export function sampleSource(): ByteSource {
  const layout = layoutFile(
    'safetensors',
    tensors.map(({ name, shape }) => ({ name, shape, dtype: 'F32' })),
  );
  const bytes = new Uint8Array(layout.size);
  bytes.set(layout.header);
  for (const { name, offset, elements } of layout.tensors) {
    const tensor = tensors.find((one) => one.name === name);
    if (tensor === undefined) throw new Error(`the sample has no ${name}`);
    const random = generator(offset);
    const values = Float32Array.from({ length: elements }, (_, i) => tensor.value(random, i));
    bytes.set(new Uint8Array(values.buffer), offset);
  }
  return memorySource(bytes);
}

/** Returns a generator of random numbers between 0 and 1, both excluded (Marsaglia's 32-bit xorshift). */
function generator(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 0.5) / 2 ** 32;
  };
}

/** A random number from the standard normal distribution, computed by the Box-Muller method. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}
