/**
 * Verdicts of ptxas 13.0 on caches, asynchronous copies, clusters and video instructions
 * (tools/record-legality-more.py).
 */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on caches, asynchronous copies, clusters and video', () => {
  testCases(casesIn(new URL('./legality-more/cases.jsonl.gz', import.meta.url)));
});
