/**
 * Quantizing with NVFP4 and f32 scales, compared with the same steps in torch and ml_dtypes
 * (test/golden/quantize/record.py).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { quantize } from '../../src/arrays/quantized/quantize.ts';

interface Expected {
  readonly scales: string;
  readonly codes: string;
  readonly tensorScale?: string;
}

type Recorded = { readonly values: string } & Readonly<Record<'nvfp4' | 'e4m3' | 'e5m2' | 's8' | 's4' | 's2', Expected>>;

const file = new URL('quantize/recorded.json', import.meta.url);
const { arrays } = JSON.parse(readFileSync(file, 'utf8')) as { readonly arrays: readonly Recorded[] };

function hexOf(values: Uint8Array | Float32Array): string {
  if (values instanceof Uint8Array) return Buffer.from(values).toString('hex');
  return [...new Uint32Array(values.buffer)].map((bits) => bits.toString(16).padStart(8, '0')).join(' ');
}

describe.each(['nvfp4', 'e4m3', 'e5m2', 's8', 's4', 's2'] as const)('%s', (to) => {
  test.each(arrays.map((array, i) => [i, array] as const))('array %i', (_, array) => {
    const source = new Float32Array(Uint32Array.from(array.values.split(' '), (hex) => Number.parseInt(hex, 16)).buffer);
    const { scales, codes, tensorScale } = quantize(source, { to, packing: 'bytes' });
    const expected = array[to];
    expect(hexOf(codes)).toBe(expected.codes);
    expect(hexOf(scales)).toBe(expected.scales);
    if (expected.tensorScale !== undefined) expect(hexOf(Float32Array.of(tensorScale))).toBe(expected.tensorScale);
  });
});
