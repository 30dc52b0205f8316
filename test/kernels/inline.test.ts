/**
 * Tests instructions that nvcc generates only for inline assembly: there must be no findings, and both engines must
 * produce the same results.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import { Device } from '../../src/device.ts';
import { videoFunction } from '../oracle/video.ts';

const source = readFileSync(new URL('./inline/inline.sm_100a.ptx', import.meta.url), 'utf8');
const words = Uint32Array.from({ length: 256 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);

/** Launches a kernel with one warp, and returns the words in its last buffer. */
async function launch(name: string, engine: 'interp' | 'jit', values: readonly number[]): Promise<Uint32Array> {
  const device = await Device.create({ simd: true });
  const kernel = device.load(source).kernel(name);
  const buffers = Array.from({ length: kernel.parameters.length - values.length }, () =>
    device.alloc(words.byteLength),
  );
  for (const buffer of buffers) buffer.write(new Uint8Array(words.buffer));
  const result = await kernel.launch({ block: 32, args: [...buffers, ...values], engine, uninitialized: 'zero' });
  if (!result.ok) throw new Error(`${result.fault.message} at line ${result.fault.line}`);
  const read = buffers.at(-1)?.read() ?? new Uint8Array();
  return new Uint32Array(read.buffer, read.byteOffset, read.byteLength / 4);
}

test('inline assembly of every family has no findings', () => {
  expect(check(source).diagnostics).toEqual([]);
});

describe('both engines give the same results', () => {
  test.each([
    ['caches', [0.5]],
    ['cluster', []],
    ['redux', []],
    ['video', []],
  ] as const)('%s', async (name, values) => {
    const [interp, jit] = await Promise.all([launch(name, 'interp', values), launch(name, 'jit', values)]);
    expect(jit).toEqual(interp);
    expect(interp).not.toEqual(words);
  });
});

test('every video instruction of the kernel follows the pseudo-code', async () => {
  const texts = [...source.matchAll(/^\s*(v(?:add|sub|absdiff|avrg|min|max|mad|set|sh[lr])\S* [^;]+);/gm)].map(
    (m) => m[1],
  );
  const found = await launch('video', 'jit', []);
  const [a = 0, b = 0, c = 0] = words;
  const overwritten = (text: string | undefined): boolean => /^vmad\S*shr15|^vadd4.*b0123/.test(text ?? '');
  const models = texts.filter((text) => !overwritten(text)).map((text) => videoFunction(text ?? '')(a, b, c));
  expect(models).toHaveLength(22);
  expect(found[0]).toBe(models.reduce((sum, value) => (sum ^ value) >>> 0, 0));
});
