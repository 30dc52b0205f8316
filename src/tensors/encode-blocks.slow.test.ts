/**
 * Compares the WebAssembly encoder with the plain JavaScript encoder, which serves as the reference, on random and
 * special values.
 */
import { describe, expect, test } from 'vitest';
import { linearCongruential } from '../../test/linear-congruential.ts';
import { FastPackedEncoder } from '../arrays/quantized/fast-packed-encoder.ts';
import { PlainPackedEncoder } from '../arrays/quantized/plain-packed-encoder.ts';
import type { SourceArray, SourceFormat } from '../arrays/elements/source-values.ts';
import { elementAt } from '../base/element-at.ts';
import { keysOf } from '../base/records.ts';
import { blockEncodings } from './encode-blocks.ts';
import { blockRows } from './gguf/block-rows.ts';

const size = 32;
/** The number of elements. They fill one chunk of 16,384 elements completely and a second chunk partly. */
const count = 700 * size;

function randomWords(seed: number): () => number {
  const word = linearCongruential(seed);
  return () => word() >>> 8;
}

const special = [0, -0, 0.5, -0.5, 1.5, 0.49999997, 127, -127, 65504, 65536, 2 ** -126, 1e-45, -1e-45, 3e38, -3e38];
const odd = [...special, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/**
 * Functions that generate the values of a block. The name of each function indicates why its blocks are difficult to
 * encode.
 */
const blocks: Readonly<Record<string, (word: () => number) => number>> = {
  'any bits': (word) => elementAt(new Float32Array(Uint32Array.of((word() << 8) ^ word()).buffer), 0),
  'values near 1': (word) => word() / 2 ** 23 - 1,
  'few values, so that several have the largest magnitude': (word) => (word() % 17) - 8,
  'halves, so that codes are ties': (word) => ((word() % 511) - 255) / 2,
  'a scale of 1, and values just below ties': (word) =>
    elementAt([127, 0.49999997, -0.49999997, 2.4999998], word() % 4),
  'zeros of both signs': (word) => (word() % 2 === 0 ? 0 : -0),
  'subnormal numbers': (word) => (word() % 5) * 2 ** -149,
  'special values': (word) => elementAt(special, word() % special.length),
  'NaN and infinities': (word) => elementAt(odd, word() % odd.length),
  'nothing but NaN': () => Number.NaN,
};

function sourceOf(value: (word: () => number) => number, from: SourceFormat): SourceArray {
  const singles = Float32Array.from(
    { length: count },
    (
      (word) => () =>
        value(word)
    )(randomWords(1)),
  );
  if (from === 'f32') return singles;
  // The upper 16 bits of an f32 are a bf16 with about the same value. Interpreted as f16, these bits represent other
  // values, which are just as useful for the test.
  return Uint16Array.from(new Uint32Array(singles.buffer), (bits) => bits >>> 16);
}

describe.each(keysOf(blockEncodings))('%s', (layout) => {
  const block = blockRows[layout];
  const encoders = [FastPackedEncoder, PlainPackedEncoder].map((Encoder) => new Encoder(block, blockEncodings[layout]));

  test.each(Object.entries(blocks))('%s', (_, value) => {
    for (const from of ['f32', 'f16', 'bf16'] as const) {
      const source = sourceOf(value, from);
      const [fast, plain] = encoders.map((encoder) => {
        const bytes = new Uint8Array((count / size) * block.bytes);
        encoder.encode(source, from, bytes);
        return Buffer.from(bytes).toString('hex');
      });
      expect(fast === plain, from).toBe(true);
    }
  });
});
