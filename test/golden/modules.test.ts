/**
 * Tests that the checker rejects every module that ptxas 13.0 rejects, and warns about every module that ptxas warns
 * about.
 */
import { describe, expect, it } from 'vitest';
import { check } from '../../src/check/check.ts';
import { caseFiles, readCases } from './module-cases.ts';

function verdictOn(source: string): string {
  const severities = check(source).diagnostics.map(({ severity }) => severity);
  if (severities.includes('error')) return 'error';
  return severities.includes('warning') ? 'warning' : 'accepted';
}

for (const file of caseFiles()) {
  const cases = readCases(file).filter(({ title }) => !title.startsWith('quirk:'));
  describe(file, () => {
    it.each(cases)('$title ($version, $target)', ({ source, verdict }) => {
      const ours = verdictOn(source);
      const theirs = verdict.split(':', 1)[0];
      expect(theirs === 'accepted' && ours === 'warning' ? theirs : ours).toBe(theirs);
    });
  });
}
