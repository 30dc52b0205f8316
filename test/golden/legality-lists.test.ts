/**
 * Verdicts of ptxas 13.0 on operand lists, and on single operands of various notations and types
 * (tools/record-legality-more.py legality-lists).
 */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on lists', () => {
  testCases(casesIn(new URL('./legality-lists/cases.jsonl.gz', import.meta.url)));
});
