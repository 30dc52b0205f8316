import { expect, test } from 'vitest';
import type { FormatName } from '../../numerics/formats.ts';
import { CodeCounts } from './code-counts.ts';
import { elementDecoder } from '../elements/element-values.ts';
import { Summarizer } from './summary.ts';

test.each<[FormatName, number]>([
  ['bf16', 65536],
  ['f16', 65536],
  ['s16', 65536],
  ['e4m3', 256],
  ['e5m2', 256],
  ['e2m1', 256],
  ['ue8m0', 256],
])('%s: the summary of the counts is the summary of the values', (format, patterns) => {
  const codes = Array.from({ length: patterns + 1 }, (_, i) => i % patterns);
  const stored = patterns === 256 ? Uint8Array.from(codes) : Uint16Array.from(codes);
  const counts = new CodeCounts(format);
  counts.add(stored.subarray(0, 101));
  counts.add(stored.subarray(101));
  const [fromCounts, fromValues] = [new Summarizer(format), new Summarizer(format)];
  counts.addTo(fromCounts);
  fromValues.add(elementDecoder(format, false).values(new Uint8Array(stored.buffer), codes.length));
  const { mean, ...found } = fromCounts.result();
  const { mean: expectedMean, ...expected } = fromValues.result();
  expect(found).toEqual(expected);
  expect(mean).toBeCloseTo(expectedMean as number, 6);
});
