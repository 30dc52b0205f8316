// Reference functions of kernels.ptxtest.json. Each gets the buffers before the launches and returns what one should be.

export const sum = ({ a, b }) => a.map((x, i) => x + b[i]);

export function accumulated({ x, y }) {
  return y.map((start, i) => {
    let acc = start;
    for (let k = 0; k < 10; k++) acc = Math.fround(acc * 0.5 + x[i]);
    return acc;
  });
}

export function product({ a, b }) {
  const n = Math.sqrt(a.length);
  return a.map((_, i) => {
    let total = 0;
    for (let k = 0; k < n; k++) total += a[Math.floor(i / n) * n + k] * b[k * n + (i % n)];
    return total;
  });
}

export function counts({ x }) {
  const bins = new Uint32Array(256);
  for (const value of x) bins[value]++;
  return bins;
}

export function positive({ x, y }) {
  const kept = x.filter((value) => value > 0);
  const expected = y.slice();
  expected.set(kept);
  return expected;
}

export const positiveCount = ({ x }) => Int32Array.of(x.filter((value) => value > 0).length);

export function transposed({ a }) {
  const n = Math.sqrt(a.length);
  return a.map((_, i) => a[(i % n) * n + Math.floor(i / n)]);
}

export const unchanged = ({ x }) => x;

export const doubled = ({ x }) => x.map((value) => 2 * value);
