/**
 * Verdicts of ptxas 13.0 on matrix instructions: ldmatrix, stmatrix, movmatrix, wmma, mma, mma.sp, block-scaled mma.
 */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on matrix instructions', () => {
  testCases(casesIn(new URL('./legality-matrix/cases.jsonl.gz', import.meta.url)));
});
