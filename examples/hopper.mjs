/**
 * A matrix product for Hopper without a GPU: runs a kernel that nvcc compiled (kernels/hopper.cu) and that uses TMA,
 * mbarrier and wgmma, and compares the results with exact sums, and with sums that are rounded to f32 after each step.
 *
 *   npm run build && node examples/hopper.mjs
 */
import { readFileSync } from 'node:fs';
import { convert } from 'ptxlab/arrays';
import { Device, tensorMap } from 'ptxlab/device';

const [m, n, k] = [256, 192, 320];
const source = readFileSync(new URL('kernels/hopper_sm90a.ptx', import.meta.url), 'utf8');

/** Numbers between -1 and 1, the same in every run. */
let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 31 - 1;
};
const matrix = (rows) => convert(Float32Array.from({ length: rows * k }, random), { to: 'f16' });
const [a, b] = [matrix(m), matrix(n)];

const device = await Device.create({ gpu: 'H100' });
const c = device.alloc(4 * m * n);
const box = (codes, rows, height) =>
  tensorMap({ tensor: device.alloc(codes), type: 'f16', dimensions: [k, rows], box: [64, height], swizzle: 128 });
const result = await device
  .load(source)
  .kernel('product')
  .launch({
    grid: [n / 64, m / 128],
    block: 384,
    sharedBytes: 49152,
    args: [box(a, m, 128), box(b, n, 64), c, n, k / 64],
  });
if (!result.ok) throw new Error(result.fault.message);

const values = c.read('f32');
const [left, right] = [a, b].map((codes) => convert(codes, { from: 'f16', to: 'f32' }));
let [error, different] = [0, 0];
for (let i = 0; i < m * n; i++) {
  const [row, column] = [Math.floor(i / n) * k, (i % n) * k];
  let [sum, rounded] = [0, 0];
  for (let j = 0; j < k; j++) {
    sum += left[row + j] * right[column + j];
    rounded = Math.fround(rounded + left[row + j] * right[column + j]);
  }
  error = Math.max(error, Math.abs(values[i] - sum));
  if (values[i] !== rounded) different++;
}
console.log(
  `${m} by ${n} results of an H100, in ${result.stats.milliseconds.toFixed(0)} ms; largest error ${error.toExponential(2)}`,
);
console.log(`${different} of them differ from sums that are rounded to f32 after each product`);
