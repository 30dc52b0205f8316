/**
 * Verdicts of ptxas 13.0 on arithmetic, logic, comparisons, mov and control flow, recorded by tools/record-legality.py.
 * The cases include mnemonics for all versions and targets, possibly illegal modifiers and types, and operands of every
 * kind in every position.
 */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 outside conversions', () => {
  testCases(casesIn(new URL('./legality-basic/cases.jsonl.gz', import.meta.url)));
});
