/**
 * Verdicts of ptxas 13.0 on asynchronous barriers, bulk copies and multimem (tools/record-legality-more.py
 * legality-async).
 */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on asynchronous barriers, bulk copies and multimem', () => {
  testCases(casesIn(new URL('./legality-async/cases.jsonl.gz', import.meta.url)));
});
