/**
 * Compares the checker with every recorded verdict. Each case is checked in a module of its own, as it was recorded.
 */
import { expect, test } from 'vitest';
import { isMisjudgedAlone } from './batch.ts';
import { conversionCases } from './conversion-cases.ts';
import { casesIn } from './verdicts.ts';

test('conversions', () => {
  expect(conversionCases.filter(isMisjudgedAlone)).toEqual([]);
});

test.each(['async', 'basic', 'matrix', 'more', 'tensor', 'textures', 'values', 'warp'])('legality-%s', (name) => {
  const cases = casesIn(new URL(`./legality-${name}/cases.jsonl.gz`, import.meta.url));
  expect(cases.filter(isMisjudgedAlone)).toEqual([]);
});
