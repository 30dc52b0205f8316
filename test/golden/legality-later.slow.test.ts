/** Verdicts of ptxas 13.3 and nvJitLink 13.4 on instructions of PTX 9.1 to 9.4 (tools/record-legality-later.py). */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.3 and nvJitLink 13.4 on PTX 9.1 to 9.4', () => {
  testCases(casesIn(new URL('./legality-later/cases.jsonl.gz', import.meta.url)));
});
