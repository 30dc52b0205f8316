/**
 * Compares the evaluator with values that ptxas 13.0 computed at compile time (recorded by tools/fold-values.py), with
 * one test per mnemonic.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { describe, expect, test } from 'vitest';
import type { Bits } from '../../src/base/bits.ts';
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import { type Evaluator, evaluator } from '../../src/interp/evaluate.ts';
import { foldedValues } from './folded.ts';

function evaluatorOf(mnemonic: string): Evaluator {
  const resolution = resolveMnemonic(mnemonic);
  const variant = resolution.kind === 'variants' ? resolution.variants[0] : undefined;
  const made = variant === undefined ? null : evaluator(variant, namedEnvironment('sm_100', '9.0'));
  if (made === null) throw new Error(`${mnemonic} is not evaluated`);
  return made;
}

function bitsOf(text: string, width: number): Bits {
  return width > 32 ? BigInt(`0x${text}`) : Number(`0x${text}`);
}

describe('values folded by ptxas 13.0', () => {
  for (const { inst, rows } of foldedValues()) {
    test(inst, () => {
      const { inputs, outputs, run } = evaluatorOf(inst);
      const wrong = rows.flatMap((row) => {
        const sources = inputs.map((input, i) => bitsOf(row[i] as string, input.width));
        const wanted = bitsOf(row[inputs.length] as string, outputs[0]?.width ?? 0);
        const [found] = run(sources);
        return found === wanted ? [] : [`${row.slice(0, -1).join(' ')}: ${found?.toString(16)}, not ${wanted.toString(16)}`];
      });
      expect(wrong).toEqual([]);
    });
  }
});
