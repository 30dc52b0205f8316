/**
 * Measures tiled matrix products on tensor cores (kernels/matrices.cu), on one thread and with checks. Only the third
 * launch is measured, in CPU time. Some elements of each product are compared with the exact model, to make sure that
 * the results are correct. A plain f32 product of the same size, compiled by g++ -O3 -march=native, runs between the
 * launches.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convert } from '../../src/arrays.ts';
import { elementAt } from '../../src/base/element-at.ts';
import { Device } from '../../src/device.ts';
import { findGpu, type GpuName } from '../../src/isa/gpus.ts';
import { arithmeticOf, familyOf } from '../../src/isa/matrix-arithmetic.ts';
import { dotProduct, product, termOf } from '../../src/numerics/dot.ts';
import { linearCongruential } from '../linear-congruential.ts';
import type { Row } from './run-kernels.ts';
import { scratchFolder } from './scratch-folder.ts';

const size = 1024;

interface MatrixCase {
  readonly format: 'f16' | 'bf16' | 'tf32' | 'e4m3' | 's8';
  readonly gpu: GpuName;
  /**
   * How the elements of the matrices are chosen: with `normal`, from a normal distribution; with `wide`, at random from
   * the codes of all finite values.
   */
  readonly data: 'normal' | 'wide';
}

const cases: readonly MatrixCase[] = [
  { format: 'f16', gpu: 'sm_80', data: 'normal' },
  { format: 'f16', gpu: 'sm_80', data: 'wide' },
  { format: 'f16', gpu: 'sm_90', data: 'normal' },
  { format: 'f16', gpu: 'sm_90', data: 'wide' },
  { format: 's8', gpu: 'sm_80', data: 'wide' },
  { format: 'e4m3', gpu: 'sm_89', data: 'normal' },
  { format: 'e4m3', gpu: 'sm_89', data: 'wide' },
  { format: 'bf16', gpu: 'sm_80', data: 'normal' },
  { format: 'bf16', gpu: 'sm_90', data: 'normal' },
  { format: 'tf32', gpu: 'sm_80', data: 'normal' },
];

const arrays = { f16: Uint16Array, bf16: Uint16Array, tf32: Uint32Array, e4m3: Uint8Array, s8: Uint8Array } as const;
type Codes = InstanceType<(typeof arrays)[MatrixCase['format']]>;

/** Random words, which are the same in every run. */
function randomWords(seed: number, count: number): Uint32Array {
  const next = linearCongruential(seed);
  return new Uint32Array(count).map(() => {
    const word = next();
    return (word ^ (word >>> 15)) >>> 0;
  });
}

function codesOf({ format, data }: MatrixCase, seed: number): Codes {
  if (data === 'normal') return normalCodes(format, seed);
  const codes = new arrays[format](randomWords(seed, size * size));
  const read = format === 's8' ? null : termOf(format);
  // If a code stands for an infinity or a NaN, one bit of its exponent is cleared to make it finite.
  const bit = { f16: 1 << 12, bf16: 1 << 9, tf32: 1 << 25, e4m3: 1 << 5, s8: 0 }[format];
  return codes.map((code) => (typeof read?.(code) === 'string' ? code & ~bit : code));
}

function normalCodes(format: MatrixCase['format'], seed: number): Codes {
  const words = randomWords(seed, 2 * size * size);
  const values = Float32Array.from({ length: size * size }, (_, i) => {
    const [radius, angle] = [elementAt(words, 2 * i), elementAt(words, 2 * i + 1)];
    return Math.sqrt(-2 * Math.log((radius + 0.5) / 2 ** 32)) * Math.cos((2 * Math.PI * angle) / 2 ** 32);
  });
  if (format === 'tf32') return new Uint32Array(values.buffer);
  return new arrays[format](convert(values, { to: format }));
}

// --- the exact model ------------------------------------------------------------------------------------------------

const samples = 256;

/** Computes an element of the product, as bits, from a row of A and a column of B. */
function elementOf({ format, gpu: name }: MatrixCase, a: Codes, b: Codes): number {
  if (format === 's8') {
    const signed = new Int8Array(b);
    return new Int8Array(a).reduce((sum, factor, k) => sum + factor * elementAt(signed, k), 0) >>> 0;
  }
  const gpu = findGpu(name);
  if (gpu === undefined) throw new Error(name);
  const arithmetic = arithmeticOf(gpu, familyOf(format, format), 'f32');
  if (arithmetic.order !== 'direct') throw new Error('halves are not in the order of k');
  const read = termOf(format);
  const products = Array.from(a, (code, k) => product(read(code), read(elementAt(b, k))));
  return dotProduct(products, 0, arithmetic, () => 0);
}

/** @throws Error if an element differs from the model */
function checkResult(one: MatrixCase, a: Codes, b: Codes, c: Uint32Array): void {
  for (const place of randomWords(3, samples)) {
    const [row, column] = [place % size, (place >>> 16) % size];
    const line = (of: Codes, at: number): Codes => of.slice(at * size, (at + 1) * size);
    const [found, wanted] = [elementAt(c, row * size + column), elementOf(one, line(a, row), line(b, column))];
    if (found !== wanted) throw new Error(`${JSON.stringify(one)}: ${row}, ${column} is ${found}, not ${wanted}`);
  }
}

// --- the plain product ----------------------------------------------------------------------------------------------

const plain = `#include <cstdio>
#include <ctime>
static float a[1024][1024], b[1024][1024], c[1024][1024];
int main() {
  for (int i = 0; i < 1024; i++) for (int j = 0; j < 1024; j++) { a[i][j] = (i * 7 + j) % 13; b[i][j] = (i + j * 5) % 11; }
  const clock_t start = clock();
  for (int i = 0; i < 1024; i++) for (int k = 0; k < 1024; k++) for (int j = 0; j < 1024; j++) c[i][j] += a[i][k] * b[k][j];
  const double took = double(clock() - start) / CLOCKS_PER_SEC;
  if (c[1][2] < 0) return 1;
  std::printf("%f", took * 1000);
}
`;

/** The path of the compiled program; null if there is no g++. */
function compiled(): string | null {
  const folder = scratchFolder();
  const [source, program] = [join(folder, 'product.cpp'), join(folder, 'product')];
  writeFileSync(source, plain);
  const { error, status } = spawnSync('g++', ['-O3', '-march=native', '-o', program, source]);
  return error === undefined && status === 0 ? program : null;
}

// --- the figures ----------------------------------------------------------------------------------------------------

const launches = 3;

function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function measure(one: MatrixCase, program: string | null): Promise<Row> {
  const { format, gpu, data } = one;
  const file = `kernels/matrices.${format === 'e4m3' ? 'sm_89' : 'sm_80'}.ptx`;
  const [a, b] = [codesOf(one, 1), codesOf(one, 2)];
  const device = await Device.create({ gpu });
  const c = device.alloc(4 * size * size);
  const args = [device.alloc(a), device.alloc(b), c, size, size * a.BYTES_PER_ELEMENT];
  const started = cpuMilliseconds();
  const kernel = device.load(readFileSync(new URL(file, import.meta.url), 'utf8')).kernel(`multiply_${format}`);
  const times: number[] = [];
  let native = Number.POSITIVE_INFINITY;
  let [cold, slow] = [0, 0];
  for (let i = 0; i < launches; i++) {
    const before = cpuMilliseconds();
    const result = await kernel.launch({ grid: [size / 128, size / 128], block: 128, args });
    if (!result.ok) throw new Error(result.fault.message);
    times.push(cpuMilliseconds() - before);
    slow = result.stats.slowTiles;
    if (i === 0) cold = cpuMilliseconds() - started;
    if (program !== null) native = Math.min(native, Number(spawnSync(program, { encoding: 'utf8' }).stdout));
  }
  checkResult(one, a, b, c.read('u32'));
  device.close();
  const rate = (milliseconds: number): string => `${(size ** 3 / milliseconds / 1e6).toFixed(2)} G products/s`;
  const third = elementAt(times, launches - 1);
  const beside =
    program === null ? 'no g++ here' : `f32 by g++ -O3 ${rate(native)}, ${(third / native).toFixed(1)} x its time`;
  return {
    what: `matrix product of ${format}, ${data}, ${gpu}`,
    figure: `${rate(third)} of CPU time, ${slow} slow tiles, cold ${cold.toFixed(0)} ms`,
    beside,
  };
}

export async function matrixRows(): Promise<readonly Row[]> {
  const program = compiled();
  const rows: Row[] = [];
  for (const one of cases) rows.push(await measure(one, program));
  return rows;
}
