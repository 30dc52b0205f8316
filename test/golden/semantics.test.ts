/**
 * Tests conversions with the semantics of other software stacks against recorded results of these stacks
 * (test/golden/semantics/record.py).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { conversionOf, planConverter } from '../../src/arrays/semantics/semantics.ts';
import type { Semantics } from '../../src/arrays/semantics/semantic-rules.ts';
import { formats, type FormatName } from '../../src/numerics/formats.ts';

interface Recorded {
  readonly versions: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, string>>;
  readonly results: readonly (readonly [Semantics, FormatName, FormatName, string])[];
}

const file = new URL('semantics/recorded.json', import.meta.url);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;

function bits(format: FormatName, hex: string): number | bigint {
  return formats[format].width > 32 ? BigInt(`0x${hex}`) : Number.parseInt(hex, 16);
}

describe('conversions of other stacks, as recorded', () => {
  test.each(recorded.results.map(([semantics, from, to, hex]) => ({ semantics, from, to, hex })))(
    '$semantics $from to $to',
    ({ semantics, from, to, hex }) => {
      const plan = conversionOf({ from, to, semantics });
      if (!plan.ok) throw new Error(plan.error.message);
      const convert = planConverter(plan.value);
      const inputs = (recorded.inputs[from] as string).split(' ');
      const wrong = hex.split(' ').flatMap((expected, i) => {
        const input = inputs[i] as string;
        const result = convert(bits(from, input)).toString(16);
        return result === expected ? [] : [`${input}: ${result}, recorded ${expected}`];
      });
      expect(wrong).toEqual([]);
    },
  );
});
