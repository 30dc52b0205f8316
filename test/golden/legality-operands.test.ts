/**
 * Verdicts of ptxas 13.0 on operands that are allowed only in some positions (tools/record-legality-more.py
 * legality-operands).
 */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on operands that fit only in some places', () => {
  testCases(casesIn(new URL('./legality-operands/cases.jsonl.gz', import.meta.url)));
});
