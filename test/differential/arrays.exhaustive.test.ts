/**
 * Compares array conversions with the exact engine. Source formats of up to 16 bits and the common conversions from f32
 * are tested with all values. In addition, every pair of formats is tested in every mode with a sample of values.
 */
import { describe, expect, test } from 'vitest';
import { convert } from '../../src/arrays.ts';
import { conversionOf, planConverter } from '../../src/arrays/semantics/semantics.ts';
import { type FormatName, formats, formatNames } from '../../src/numerics/formats.ts';
import { checkConversion, modes } from '../arrays/every-pair.ts';

const words = formatNames.filter((name) => formats[name].width === 16);

describe.each(words)('every %s', (from) => {
  const source = Uint16Array.from({ length: 2 ** 16 }, (_, i) => i);

  test.each(formatNames)('to %s', (to) => {
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

const targets = ['e4m3', 'e5m2', 'e2m1', 'e2m3', 'e3m2', 'f16', 'bf16'] as const;
const piece = 2 ** 20;

function exactOf(to: FormatName): (bits: number) => number {
  const plan = conversionOf({ from: 'f32', to });
  if (!plan.ok) throw new Error(plan.error.message);
  const one = planConverter(plan.value);
  return (bits) => Number(one(bits));
}

const unpacked = (to: FormatName) => (formats[to].width < 8 ? ({ packing: 'bytes' } as const) : {});

const firstNan = 0x7f800001;

describe('all 2^32 f32 in order', () => {
  test.each(targets)('to %s', (to) => {
    const exact = exactOf(to);
    const source = new Uint32Array(piece);
    const Words = formats[to].width === 16 ? Uint16Array : Uint8Array;
    const wanted = new Words(piece);
    for (const sign of [0, 0x80000000]) {
      const runs = runsOf((magnitude) => exact(sign + magnitude));
      for (let first = 0; first < 2 ** 31; first += piece) {
        for (let i = 0; i < piece; i++) source[i] = sign + first + i;
        for (let at = first; at < first + piece; ) {
          const run = runs.at(at);
          const end = Math.min(run.end, first + piece);
          wanted.fill(run.code, at - first, end - first);
          at = end;
        }
        const found = convert(source, { from: 'f32', to, ...unpacked(to) });
        expect(Buffer.compare(Buffer.from(found.buffer), Buffer.from(wanted.buffer))).toBe(0);
      }
    }
  });
});

interface Run {
  readonly code: number;
  /** The magnitude at which the next run begins. */
  readonly end: number;
}

/**
 * Finds runs of consecutive magnitudes that all round to the same code. The end of a run is found by bisection when it
 * is first needed. Bisection works because rounding is monotonic.
 */
function runsOf(exact: (magnitude: number) => number): { at(magnitude: number): Run } {
  let run: Run = { code: exact(0), end: 0 };
  const next = (from: number): Run => {
    const code = exact(from);
    // All NaNs are converted to the same code.
    let [same, behind] = [from, from >= firstNan ? 2 ** 31 : firstNan];
    if (from >= firstNan) same = 2 ** 31 - 1;
    while (behind - same > 1) {
      const middle = Math.floor((same + behind) / 2);
      if (exact(middle) === code) same = middle;
      else behind = middle;
    }
    return { code, end: behind };
  };
  return {
    at(magnitude) {
      if (magnitude >= run.end) run = next(magnitude);
      return run;
    },
  };
}

describe('10^8 random f32', () => {
  test.each(targets)('to %s', (to) => {
    const exact = exactOf(to);
    const source = new Uint32Array(piece);
    let state = 0x2545f491;
    for (let done = 0; done < 1e8; done += piece) {
      // Three out of four pieces contain only values near the range of these formats; in every fourth piece, half of
      // the patterns are random. These two kinds of input exercise different code paths.
      const near = (done / piece) % 4 < 3 ? 1 : 2;
      for (let i = 0; i < piece; i++) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        source[i] = i % near === 0 ? (state & 0x807fffff) | ((96 + ((state >>> 8) & 31)) << 23) : state;
      }
      const found = bitsOf(to, convert(source, { from: 'f32', to, ...unpacked(to) }));
      const wrong = source.findIndex((bits, i) => found(i) !== exact(bits));
      expect(wrong < 0 ? null : source[wrong]?.toString(16)).toBe(null);
    }
  });
});

describe('every pair of formats, with every mode', () => {
  test.each(formatNames)('from %s', (from) => {
    for (const to of formatNames) for (const mode of modes) checkConversion(from, { ...mode, to });
  });
});
