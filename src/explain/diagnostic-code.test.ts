/** Every code in the catalog is explained by an example that triggers it. */
import { describe, expect, test } from 'vitest';
import { type Code, catalog } from '../diagnostics/catalog.ts';
import { plainStyle } from '../diagnostics/renderers/style.ts';
import { exampleOf, isCheckCode, withoutExample } from './code-examples.ts';
import { codeText, explainCode } from './diagnostic-code.ts';

const codes = Object.keys(catalog) as readonly Code[];

describe('explanations of codes', () => {
  test.each(codes.filter((code) => isCheckCode(code) && !withoutExample.includes(code)))(
    '%s is reported for its example',
    (code) => {
      expect(exampleOf(code)?.finding.code).toBe(code);
    },
  );

  test('a code has no example only if no short text can trigger it', () => {
    expect(withoutExample).toEqual(['PTX1007', 'PTX1020', 'PTX1021', 'PTX1022', 'PTX2013']);
  });

  test.each(codes)('the message of %s is more than a single parameter', (code) => {
    const explained = explainCode(code);
    const lines = explained === null ? [] : codeText(explained, 80, plainStyle);
    expect(lines.filter((line) => /^ {2}(reads|ptxas) +\{\w+\}$/.test(line))).toEqual([]);
  });
});
