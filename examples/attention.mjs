/**
 * Attention on tensor cores without a GPU: runs a FlashAttention-2 kernel compiled by nvcc (kernels/attention.cu) with
 * the arithmetic of several GPUs, and compares the results with each other and with double precision.
 *
 *   npm run build && node examples/attention.mjs
 */
import { readFileSync } from 'node:fs';
import { convert } from 'ptxlab/arrays';
import { Device } from 'ptxlab/device';

const [rows, keys, columns] = [64, 128, 64];
const source = readFileSync(new URL('kernels/attention_sm80.ptx', import.meta.url), 'utf8');

/** Numbers between -1.5 and 1.5, the same in every run. */
let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return (state / 2 ** 32) * 3 - 1.5;
};
const matrix = (count) => convert(Float32Array.from({ length: count * columns }, random), { to: 'f16' });
const [q, k, v] = [matrix(rows), matrix(keys), matrix(keys)];

async function attention(gpu) {
  const device = await Device.create({ gpu });
  const out = device.alloc(rows * columns * 2);
  const args = [device.alloc(q), device.alloc(k), device.alloc(v), out, keys];
  const result = await device
    .load(source)
    .kernel('attention')
    .launch({ grid: rows / 16, block: 32, args });
  if (!result.ok) throw new Error(result.fault.message);
  return { bits: out.read('u16'), values: out.read('f16') };
}

/** softmax(Q K^T / 8) V. */
function exact() {
  const [left, right, values] = [q, k, v].map((codes) => convert(codes, { from: 'f16', to: 'f32' }));
  return Array.from({ length: rows * columns }, (_, at) => {
    const row = Math.floor(at / columns);
    const weights = Array.from({ length: keys }, (__, j) => {
      let score = 0;
      for (let i = 0; i < columns; i++) score += left[row * columns + i] * right[j * columns + i];
      return Math.exp(score / 8);
    });
    const sum = weights.reduce((x, y) => x + y, 0);
    return weights.reduce((total, weight, j) => total + weight * values[j * columns + (at % columns)], 0) / sum;
  });
}

const wanted = exact();
const first = await attention('A100');
for (const gpu of ['A100', 'L40S', 'H100', 'B200']) {
  const { bits, values } = await attention(gpu);
  const different = bits.filter((one, i) => one !== first.bits[i]).length;
  const error = wanted.reduce((most, value, i) => Math.max(most, Math.abs(values[i] - value)), 0);
  console.log(
    `${gpu}: ${different} of ${bits.length} results differ from those of an A100; largest error ${error.toExponential(2)}`,
  );
}
