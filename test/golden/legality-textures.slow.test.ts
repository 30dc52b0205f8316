/** Verdicts of ptxas 13.0 on textures and surfaces (tools/record-legality-more.py legality-textures). */
import { describe } from 'vitest';
import { testCases } from './batch.ts';
import { casesIn } from './verdicts.ts';

describe('verdicts of ptxas 13.0 on textures and surfaces', () => {
  testCases(casesIn(new URL('./legality-textures/cases.jsonl.gz', import.meta.url)));
});
