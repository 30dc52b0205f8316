/**
 * Verdicts of ptxas 13.0 on arithmetic, logic, comparisons, mov and control flow, recorded by tools/record-legality.py:
 * mnemonics over versions and targets, modifiers and types that may not fit, operands of every kind in every place.
 */
import { describe } from 'vitest';
import { testVerdicts } from './verdicts.ts';

describe('verdicts of ptxas 13.0 outside conversions', () => {
  testVerdicts(new URL('./legality-basic/cases.jsonl.gz', import.meta.url));
});
