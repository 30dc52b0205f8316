/** Compares the checker with every recorded verdict of ptxas on conversions. */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import { testCases } from './batch.ts';
import { type Case, conversionCases, declarationCases, headOf } from './conversion-cases.ts';

/** Whether the checker disagrees with a verdict on a declaration at module scope. */
function isModuleMisjudged(row: Case): boolean {
  const source = `${headOf(row)}.global .align 16 .b8 gb[64];\n${row.inst}\n.visible .entry k() { ret; }\n`;
  return !check(source).diagnostics.some(({ severity }) => severity === 'error') !== row.ok;
}

describe('verdicts of ptxas 13.0', () => {
  testCases(conversionCases);

  test('on declarations of a module', () => {
    expect(declarationCases.filter(isModuleMisjudged)).toEqual([]);
  });
});
