/** Verdicts of ptxas 13.0 on wgmma and tcgen05 (tools/record-legality-more.py legality-tensor). */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on wgmma and tcgen05', () => {
  testCases(casesIn(new URL('./legality-tensor/cases.jsonl.gz', import.meta.url)));
});
