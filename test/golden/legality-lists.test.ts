/** Verdicts of ptxas 13.0 on lists, and on values of one notation or type (tools/record-legality-more.py legality-lists). */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on lists', () => {
  testCases(casesIn(new URL('./legality-lists/cases.jsonl.gz', import.meta.url)));
});
