/** Arrays against the exact engine: every value of the sources of up to 16 bits, and 10^8 random f32 of the usual conversions. */
import { describe, expect, test } from 'vitest';
import { convert } from '../../src/arrays.ts';
import { conversionOf, planConverter } from '../../src/arrays/semantics.ts';
import { type FormatName, formats } from '../../src/numerics/formats.ts';

const names = Object.keys(formats) as FormatName[];
const words = names.filter((name) => formats[name].width === 16);

describe.each(words)('every %s', (from) => {
  const source = Uint16Array.from({ length: 2 ** 16 }, (_, i) => i);

  test.each(names)('to %s', (to) => {
    const plan = conversionOf({ from, to });
    if (!plan.ok) return;
    const one = planConverter(plan.value);
    const packing = formats[to].width < 8 ? ({ packing: 'bytes' } as const) : {};
    const found = bitsOf(to, convert(source, { from, to, ...packing }));
    const wrong = source.filter((bits) => BigInt(found(bits)) !== BigInt(one(bits)));
    expect([...wrong.subarray(0, 5)]).toEqual([]);
  });
});

/** Elements of an array as unsigned bits. */
function bitsOf(format: FormatName, { buffer, byteOffset }: ArrayBufferView): (i: number) => number | bigint {
  const view = new DataView(buffer, byteOffset);
  switch (formats[format].width) {
    case 64:
      return (i) => view.getBigUint64(8 * i, true);
    case 32:
      return (i) => view.getUint32(4 * i, true);
    case 16:
      return (i) => view.getUint16(2 * i, true);
    default:
      return (i) => view.getUint8(i);
  }
}

const many = 1e8;
const piece = 2 ** 20;

test.each(['e4m3', 'e5m2', 'e2m1', 'e2m3', 'e3m2', 'f16', 'bf16'] as const)('10^8 random f32 to %s', (to) => {
  const plan = conversionOf({ from: 'f32', to });
  if (!plan.ok) throw new Error(plan.error.message);
  const one = planConverter(plan.value);
  const packing = formats[to].width < 8 ? ({ packing: 'bytes' } as const) : {};
  const source = new Uint32Array(piece);
  let state = 0x2545f491;
  for (let done = 0; done < many; done += piece) {
    // Half of all patterns is far beyond these formats, so every other exponent is drawn near theirs.
    for (let i = 0; i < piece; i++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      source[i] = i % 2 === 0 ? state : (state & 0x807fffff) | ((100 + ((state >>> 8) % 48)) << 23);
    }
    const found = bitsOf(to, convert(source, { from: 'f32', to, ...packing }));
    const wrong = source.findIndex((bits, i) => found(i) !== one(bits));
    expect(wrong < 0 ? null : source[wrong]?.toString(16)).toBe(null);
  }
});
