/**
 * Verdicts of ptxas 13.0 on bit fields, carries, dot products, functions, set and lop3, recorded by
 * tools/record-legality-values.py.
 */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on the other value opcodes', () => {
  testCases(casesIn(new URL('./legality-values/cases.jsonl.gz', import.meta.url)));
});
