/**
 * Compares the WebAssembly version with the plain JavaScript version, which is its specification, on blocks of random
 * bytes.
 */
import { describe, expect, test } from 'vitest';
import { linearCongruential } from '../../../test/linear-congruential.ts';
import { blockRows } from '../../tensors/gguf/block-rows.ts';
import { FastPackedDecoder } from './fast-packed-decoder.ts';
import { PlainPackedDecoder } from './plain-packed-decoder.ts';

function randomBytes(length: number, seed: number): Uint8Array {
  const word = linearCongruential(seed);
  return Uint8Array.from({ length }, () => word() >>> 24);
}

describe.each(Object.entries(blockRows))('%s', (_, block) => {
  const decoders = [new FastPackedDecoder(block), new PlainPackedDecoder(block)] as const;

  // The longest input fills one chunk of 16384 elements and part of a second one.
  test.each([0, 1, 3, Math.ceil(16_384 / block.elements) + 5])('%i blocks', (blocks) => {
    const bytes = randomBytes(blocks * block.bytes, blocks + 1);
    const [fast, plain] = decoders.map((decoder) => {
      const values = new Float32Array(blocks * block.elements);
      const areFinite = decoder.decode(bytes, values);
      return { areFinite, bits: [...new Uint32Array(values.buffer)] };
    });
    expect(fast).toEqual(plain);
  });

  test('writes nothing past its output', () => {
    const room = new Float32Array(2 * block.elements).fill(7);
    decoders[0].decode(randomBytes(block.bytes, 9), room.subarray(0, block.elements));
    expect(room.subarray(block.elements).every((value) => value === 7)).toBe(true);
  });
});
