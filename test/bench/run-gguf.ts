/**
 * Measures the conversion of GGUF blocks to f32 and back with the public functions for files. The rate is compared with
 * that of a C program that decodes q4_K.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConversionName,
  convertFile,
  layoutFile,
  memorySink,
  memorySource,
  openTensorFile,
  planConversion,
} from '../../src/tensors.ts';
import type { Row } from './run-kernels.ts';
import { scratchFolder } from './scratch-folder.ts';

const count = 2 ** 24;
const runs = 15;

const loopInC = `#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static float half(const uint8_t *p) {
  uint32_t h = p[0] | p[1] << 8, sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023, bits;
  float f;
  if (e == 0) { f = m * 0x1p-24f; return sign ? -f : f; }
  bits = sign | (e == 31 ? 0x7f800000 : (e + 112) << 23) | m << 13;
  memcpy(&f, &bits, 4);
  return f;
}
__attribute__((noinline)) static void decode(const uint8_t *b, float *out, size_t blocks) {
  for (; blocks > 0; blocks--, b += 144) {
    const uint8_t *s = b + 4, *q = b + 16;
    float d = half(b), least = half(b + 2);
    for (int g = 0; g < 8; g++) {
      int n = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | s[g - 4] >> 6 << 4;
      int k = g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | s[g] >> 6 << 4;
      float scale = d * n, offset = least * k;
      if (g % 2 == 0) for (int i = 0; i < 32; i++) out[i] = scale * (q[i] & 15) - offset;
      else { for (int i = 0; i < 32; i++) out[i] = scale * (q[i] >> 4) - offset; q += 32; }
      out += 32;
    }
  }
}
int main(void) {
  size_t n = ${count}, size = n / 256 * 144;
  uint8_t *in = malloc(size);
  float *out = malloc(4 * n);
  for (size_t i = 0; i < size; i++) in[i] = i % 113;
  memset(out, 1, 4 * n);
  double best = 1e9;
  for (int i = 0; i < ${runs}; i++) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    decode(in, out, n / 256);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double took = to.tv_sec - from.tv_sec + 1e-9 * (to.tv_nsec - from.tv_nsec);
    if (took < best) best = took;
  }
  printf("%.3f", n / best / 1e9);
  return 0;
}
`;

/** The speed of the C program in billions of elements per second; null if there is no C compiler. */
function rateOfC(): number | null {
  const folder = scratchFolder();
  const [source, program] = [join(folder, 'q4_k.c'), join(folder, 'q4_k')];
  writeFileSync(source, loopInC);
  const built = spawnSync('cc', ['-O2', '-o', program, source]);
  if (built.error !== undefined || built.status !== 0) return null;
  return Number(spawnSync(program, { encoding: 'utf8' }).stdout);
}

/**
 * Measures the conversion of one file in memory to another file in memory, and returns its speed in billions of
 * elements per second.
 */
async function rateOf(
  { container, dtype }: { readonly container: 'gguf' | 'safetensors'; readonly dtype: string },
  into: 'npy' | 'gguf',
  to: ConversionName,
): Promise<number> {
  const layout = layoutFile(container, [{ name: 'w', dtype, shape: [count / 4096, 4096] }]);
  // All bytes are below 0x7c, so that no number is an infinity or a NaN.
  const bytes = Uint8Array.from({ length: layout.size }, (_, i) => i % 113);
  bytes.set(layout.header);
  const file = await openTensorFile(memorySource(bytes));
  const plan = planConversion(file, into, { to });
  const out = new Uint8Array(plan.layout.size).fill(1);
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i++) {
    const started = performance.now();
    await convertFile(plan, file, { ...memorySource(out), ...memorySink(out) });
    best = Math.min(best, (performance.now() - started) / 1000);
  }
  return count / best / 1e9;
}

function decoding(dtype: string): Promise<number> {
  return rateOf({ container: 'gguf', dtype }, 'npy', 'f32');
}

const billions = (rate: number): string => `${rate.toFixed(2)} G elements/s`;

export async function ggufRows(): Promise<readonly Row[]> {
  const before = rateOfC();
  const ours = await decoding('Q4_K');
  const after = rateOfC();
  const best = before === null || after === null ? null : Math.max(before, after);
  const beside = best === null ? 'no C compiler here' : `${(ours / best).toFixed(2)} x the loop in C, limit 0.5`;
  const others = ['Q4_0', 'Q6_K', 'Q8_0', 'IQ3_S'];
  const rows: Row[] = [{ what: 'convert q4_K of GGUF to f32', figure: billions(ours), beside }];
  if (best !== null) rows.push({ what: '  a loop in C, cc -O2', figure: billions(best), beside: 'fastest of 30 runs' });
  for (const dtype of others)
    rows.push({ what: `convert ${dtype.toLowerCase()} to f32`, figure: billions(await decoding(dtype)), beside: '' });
  for (const to of ['q4_0', 'q4_1', 'q8_0', 'mxfp4'] as const) {
    const rate = await rateOf({ container: 'safetensors', dtype: 'F32' }, 'gguf', to);
    rows.push({ what: `convert f32 to ${to} of GGUF`, figure: billions(rate), beside: '' });
  }
  return rows;
}
