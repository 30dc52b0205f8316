/** The checker says of whole modules what ptxas 13.0 says: accepted, warned of, or refused. */
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
      expect(verdictOn(source)).toBe(verdict.split(':', 1)[0]);
    });
  });
}
