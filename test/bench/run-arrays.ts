/**
 * Measures `convert` and `quantize` on arrays of 2^24 elements. The times are compared with those for copying the same
 * number of bytes, and with those of C++ code on one thread.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convert, type ConvertOptions, type FormatName, quantize, Workspace } from '../../src/arrays.ts';
import type { Row } from './run-kernels.ts';
import { scratchFolder } from './scratch-folder.ts';

const count = 2 ** 24;
const runs = 15;

/**
 * Returns the time of the fastest of several runs, in seconds. The fastest run is used because other load on the
 * machine can only make a run slower.
 */
function fastest(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i++) {
    const started = performance.now();
    run();
    best = Math.min(best, (performance.now() - started) / 1000);
  }
  return best;
}

const billions = (seconds: number): string => `${(count / seconds / 1e9).toFixed(2)} G elements/s`;

/** The time for reading and writing the same number of bytes, in seconds. */
function copyOf(bytes: number): number {
  const [from, to] = [new Float32Array(bytes / 8).fill(1), new Float32Array(bytes / 8).fill(2)];
  return fastest(() => to.set(from));
}

function rowsOf(
  values: Float32Array,
  from: FormatName,
  to: FormatName,
  options: Partial<ConvertOptions>,
): readonly Row[] {
  const source = convert(values, { to: from });
  const out = convert(source, { ...options, from, to });
  const here = fastest(() => convert(source, { ...options, from, to, out }));
  const workspace = new Workspace(source.byteLength + out.byteLength + 1000);
  const [inside, into] = [workspace.array('u8', source.byteLength), workspace.array('u8', out.byteLength)];
  inside.set(new Uint8Array(source.buffer));
  const there = fastest(() => convert(inside, { ...options, from, to, out: into }));
  const copy = copyOf(source.byteLength + out.byteLength);
  const beside = (seconds: number): string => `${(copy / seconds).toFixed(2)} x the speed of a copy`;
  const name = `${from} to ${to}${options.rounding === undefined ? '' : ` .${options.rounding}`}`;
  return [
    { what: `convert ${name}`, figure: billions(here), beside: beside(here) },
    { what: '  in a workspace', figure: billions(there), beside: beside(there) },
  ];
}

const cplusplus = `#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cstdlib>
__attribute__((noinline)) static void convert(const uint32_t *in, uint8_t *out, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t x = in[i], m = x & 0x7fffffff, sign = x >> 24 & 0x80, c = m > 0x43e00000 ? 0x43e00000 : m;
    uint32_t normal = (c + 0x7ffff + (c >> 20 & 1) - (120u << 23)) >> 20;
    float f; memcpy(&f, &c, 4); f += 16384.0f; uint32_t small; memcpy(&small, &f, 4); small -= 0x46800000;
    uint32_t code = (c < 0x3c800000 ? small : normal) | sign;
    out[i] = m > 0x7f800000 ? 0x7f : code;
  }
}
int main() {
  size_t n = ${count};
  uint32_t *in = (uint32_t *)malloc(4 * n); uint8_t *out = (uint8_t *)malloc(n);
  for (size_t i = 0; i < n; i++) { float f = (float)(i % 8191) / 41.0f - 100.0f; memcpy(in + i, &f, 4); }
  double best = 1e9;
  for (int i = 0; i < ${runs}; i++) {
    auto start = std::chrono::steady_clock::now();
    convert(in, out, n);
    double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (took < best) best = took;
  }
  std::printf("%.2f", n / best / 1e9);
}
`;

function cplusplusBeside(): string {
  const folder = scratchFolder();
  const [source, program] = [join(folder, 'e4m3.cpp'), join(folder, 'e4m3')];
  writeFileSync(source, cplusplus);
  const built = spawnSync('g++', ['-O3', '-march=native', '-o', program, source]);
  if (built.error !== undefined || built.status !== 0) return 'no g++ here';
  return `${spawnSync(program, { encoding: 'utf8' }).stdout} G elements/s`;
}

export function arrayRows(): readonly Row[] {
  const values = Float32Array.from({ length: count }, (_, i) => (i % 8191) / 41 - 100);
  const small = values.map((value) => value / 16);
  return [
    ...rowsOf(values, 'f32', 'e4m3', {}),
    { what: '  by g++ -O3 -march=native', figure: cplusplusBeside(), beside: 'on ml_dtypes 0.11, NVIDIA headers 0.12' },
    ...rowsOf(small, 'f32', 'e2m1', {}),
    ...rowsOf(values, 'f32', 'e5m2', {}),
    ...rowsOf(values, 'f32', 'bf16', {}),
    ...rowsOf(values, 'f32', 'f16', {}),
    ...rowsOf(values, 'bf16', 'f32', {}),
    ...rowsOf(values, 'e4m3', 'f32', {}),
    ...rowsOf(small, 'f32', 'e2m1', { rounding: 'rs', seed: 1 }),
    ...(['mxfp4', 'nvfp4', 'mxfp8'] as const).map((to) => ({
      what: `quantize to ${to}`,
      figure: billions(fastest(() => quantize(values, { to }))),
      beside: 'result allocated each time',
    })),
  ];
}
