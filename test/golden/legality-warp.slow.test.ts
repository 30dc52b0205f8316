/**
 * Verdicts of ptxas 13.0 on instructions that threads execute together: shfl, vote, match, redux, elect, atom, red,
 * fence, membar.
 */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on warps, atomics and fences', () => {
  testCases(casesIn(new URL('./legality-warp/cases.jsonl.gz', import.meta.url)));
});
